"""What in a reply is not the model's own request: invented results, examples, quotations.

invented result   a line `tool_result...`, or a role marker or result marker of another dialect; an
                  `Observation:` or a user's line once a call was written
announcement      the words before a fence that make it an example
quotation         what stands between backticks or quotation marks of one line
"""

from __future__ import annotations

import re

from text_agent.protocol.source import Source

_SPECIAL = r"<\|[^|<>\n]{1,40}+\|>"
INVENTED = re.compile(
    r"[ \t]*+(?:"
    r"[*_#]*+tool[_ ]results?\b[*_]*+(?:[ \t]*+(?:[(:\[{#=<\d-]|\r?$|\w+[ \t]*+[\w#/ ]*+[:(])|>)"
    r"|</?(?:tool_response|tool_result|tool_results|tool_output|function_results?|function_response)\b"
    r"|\[/?TOOL_RESULTS\]"
    r"|<[|｜]tool[▁_ ]outputs?[▁_ ]begin[|｜]>"
    r"|<\|im_start\|>[ \t]*+(?:user|tool|system)"
    r"|<\|start_header_id\|>[ \t]*+(?:user|ipython|tool|system)"
    r"|<\|start\|>[ \t]*+(?:user|tool|functions|developer|system)"
    r"|<\|turn>[ \t]*+user|<\|tool_response>"
    r"|<start_of_turn>[ \t]*+user|<start_function_response>"
    r"|<\|(?:user|observation|tool|ipython|START_TOOL_RESULTS)\|>|<｜User｜>|<\|END_OF_TURN_TOKEN\|>"
    r")",
    re.MULTILINE | re.IGNORECASE,
)
INVENTED_AFTER_CALL = re.compile(
    r"[ \t]*+[*_#]*+(?:observations?(?:[ \t]*+\d{1,3})?|user|human)[*_]*+[ \t]*+:", re.IGNORECASE
)

_ANNOUNCEMENT = re.compile(
    r"\b(?:for[ \t\n]+(?:example|instance|illustration)|examples?[ \t]*:|e\.[ \t]?g\."
    r"|(?:as|here(?:'s|[ \t\n]+is)|is|an?|this|following|another|some)[ \t\n]+(?:an?[ \t\n]+)?"
    r"(?:[\w-]+[ \t\n]+){0,2}(?:examples?|illustrations?|schemas?|formats?|syntax)\b(?![ \t\n]+(?:error|file))"
    r"|(?:syntax|format|schema|form|shape)s?[ \t\n]+(?:[\w-]+[ \t\n]+){0,6}(?:is|are)\b"
    r"|in[ \t\n]+(?:this|that|the|the[ \t\n]+following)[ \t\n]+(?:format|form|syntax|schema)"
    r"|looks?[ \t\n]+(?:roughly[ \t\n]+|something[ \t\n]+|a[ \t\n]+bit[ \t\n]+|just[ \t\n]+)?like"
    r"|illustrations?\b)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\b(?:syntax[ \t\n]+(?:errors?|highlight\w*|check\w*|tree)|(?:wrong|bad|invalid|unknown)[ \t\n]+"
    r"(?:format|syntax|schema))",
    re.IGNORECASE,
)
_PARAGRAPH_LIMIT = 1200


def is_invented(source: Source, position: int, *, after_call: bool) -> bool:
    """Whether the line at `position` begins a result or a turn that is not the model's to write."""
    match = INVENTED.match(source.text, position) or (
        INVENTED_AFTER_CALL.match(source.text, position) if after_call else None
    )
    if match and match.end() == source.end:
        source.reached_end = True
    return match is not None


def announces_example(source: Source, fence_start: int, paragraph_floor: int) -> bool:
    """Whether the paragraph right before a fence, after `paragraph_floor`, announces an example."""
    floor = max(paragraph_floor, fence_start - _PARAGRAPH_LIMIT)
    before = source.text[floor:fence_start].rstrip()
    paragraph = re.split(r"\n[ \t\r]*\n", before)[-1]
    return bool(_ANNOUNCEMENT.search(_SUBJECT.sub(" ", paragraph)))
