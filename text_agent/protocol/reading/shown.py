# ruff: noqa: E501, RUF001 - words of several languages
"""Tells whether a reply treats a call as shown: said to be a possibility, declined, or left to the user.

A request is announced in the first person or by what is done ("I look", "Removing it:"), and nothing is asked
behind it. A shown call is what "you" or "one" would write, what "could" be done, what shall not be done, or what
the user is asked about. And it stands inside of something: an item of a list, an element that shows text.
"""

from __future__ import annotations

import re

from text_agent.lazy_regex import late_pattern
from text_agent.protocol.reading.line_syntax import NEXT_ATTEMPT
from text_agent.protocol.reading.reading import begins_line
from text_agent.protocol.reading.source import Source

_BEHIND_LIMIT = 600
_CLAUSE = r"(?:\A|[.!?:;,(\n\u2026\u2014-][\s*_>]*|\b(?:then|and|or|here|also|simply|just)\s+)"
_YOU = r"(?:you|one|anyone|someone|somebody|people|users?)"
_NO = r"(?:do\s+not|don['\u2019]t|must\s+not|mustn['\u2019]t|should\s+not|shouldn['\u2019]t|never|avoid|not\s+to)"
_IT = r"(?:it|this|that|these|those|them|so|the\s+(?:call|command|line|following)|any\s+of|either|yet|now|before|until|unless|without|[.:;,!)]|\Z)"
_MAKE = r"(?:run|execute|call|do|use|try|type|send|make|start|delete|remove|touch|apply)"

# What introduces a call that is not made.
_POSSIBLE = (
    # you would write; you can list it like this; one might call
    rf"\b{_YOU}(?:\s+(?:would|could|might)\b|['\u2019]d\b)(?!\s+(?:also\s+)?(?:like|want)\b)",
    r"\b(?:if|when(?:ever)?|should)\s+you(?:['\u2019]d)?\s+(?:want|wish|like|need|prefer|ever|decide)\b",
    rf"\b(?:i|we)\s+(?:refuse|decline|cannot|can['\u2019]t|will\s+not|won['\u2019]t|must\s+not|should\s+not|shouldn['\u2019]t|was\s+told\s+not|am\s+not\s+(?:going|allowed|able))(?:\s+\w+){{0,2}}?\s+{_MAKE}\b",
    rf"{_CLAUSE}please\b",
    rf"{_CLAUSE}(?:use|try|type|enter|write|copy|paste|send)\s+(?:this|that|the\s+following|one\s+of|something)\b",
    rf"\b(?:i|we)\s+can\s+(?:also\s+|then\s+)?{_MAKE}\b",
    r"\b(?:i|we)\s+(?:have\s+not|haven['\u2019]t|did\s+not|didn['\u2019]t)\s+(?:\w+\s+)?(?:run|executed?|called?|done|made|applied|writ\w+)\b",
    r"\b(?:command|call|line|request|tool)\s+would\b",
    r"\b(?:earlier|previous(?:ly)?|last\s+(?:time|week|session)|yesterday|used\s+to|was\s+(?:made|called|run|executed)|had\s+(?:run|called|written))\b",
    r"\b(?:it|that|this|which)\s+would\s+(?:then\s+)?(?:be|look(?:\s+like)?|read|go)\W*\Z",
    r"\b(?:it|which|that|this|they|\w+)\s+(?:says?|said|reads?|stated?s?|shows?|recommend(?:s|ed)?|suggest(?:s|ed)?|propose[sd]?|wrote|answered|replied|sent)\W*\Z|\b(?:such\s+as|instead\s+of|rather\s+than)\W*\Z",
    rf"{_CLAUSE}{_YOU}\s+(?:can|may|should|shall|must|need\s+to|have\s+to|use|write|type|call|run|enter|send|say|put|do)\b",
    rf"\bto\s+\w+\b[^.\n]{{0,80}}\b{_YOU}\s+(?:can|may|should|must|need|have|use|write|type|call|run|enter)\b",
    r"\b(?:i|we)\s+(?:could|would|might|may)\b(?!\s+(?:not\b|like\s+to\b|have\s+to\b|need\s+to\b))",
    r"\b(?:the|its|this|that)\s+(?:form|call|command|line|notation|way|request)\s+(?:would|could|might)\s+be\b",
    r"\b(?:can|may|could|might)\s+(?:also\s+|then\s+)?be\s+(?:done|called|used|run|written|made|achieved)\b",
    r"\b(?:form|call|command|notation|way|request)\b[^.;,\n]{0,40}\s(?:is|would\s+be|looks|reads|goes)\b[^.;\n]{0,60}\Z",
    r"\b(?:has|have|takes?|in|of)\s+(?:this|that|the\s+following)\s+(?:form|shape|notation)\W*\Z",
    rf"\b{_NO}\s+(?:\w+\s+)?{_MAKE}\s*{_IT}",
    r"\b(?:hypothetical\w*|cheat\s?sheet|for\s+(?:later|reference|illustration|documentation)|imagine|suppose)\b",
    r"\b(?:log|transcript|session|documentation|docs|manual|readme|chat|issue|ticket|prompt)\s+(?:says?|said|shows?|showed|reads?|had|has|contains?|contained|stood)\b",
    r"(?<!you\s)\b(?:recommend|suggest|propos|advis)(?:es?|s|ed)?\b",
    # German
    r"\b(?:zum\s+beispiel|beispiel(?:sweise|haft)?|z\.\s?b\.|etwa\s+so|so\s+(?:etwa|zum|w\u00fcrde|k\u00f6nnte|sieht|s\u00e4he|geht)|folgenderma\u00dfen|wie\s+folgt)",
    r"\b(?:k\u00f6nn(?:t|st|ten?|test)\w*|w\u00fcrde\w*|m\u00fcsst\w*|sollte\w*|man\s+(?:kann|schreibt|ruft|gibt|nimmt)|kann\s+man|(?:du|ihr|sie)\s+(?:kannst|k\u00f6nnt|k\u00f6nnen|schreibst|musst|m\u00fcssen))\b",
    r"\b(?:nicht|niemals|nie)\s+(?:\w+\s+)?(?:aus\w*f\u00fchren|ausgef\u00fchrt|laufen|machen|tun|verwenden|benutzen|l\u00f6schen|starten)\b",
    # French
    r"\b(?:par\s+exemple|comme\s+(?:ceci|\u00e7a|suit)|ainsi\s*:|on\s+(?:peut|pourrait|\u00e9crirait)|(?:vous|tu)\s+(?:pou(?:vez|rriez|rrais)|peux|devez|devrais|devriez|\u00e9cri\w+)|je\s+pourrais|pourrait|serait|ne\s+(?:pas\s+)?(?:l['\u2019])?(?:ex\u00e9cut\w+|lanc\w+)\w*(?:\s+pas)?)",
    # Spanish, Portuguese, Italian
    r"\b(?:por\s+ejemplo|de\s+esta\s+(?:manera|forma)|as\u00ed\s*:|como\s+sigue|(?:puede|puedes|podr\u00eda\w*|pod\u00e9s|se\s+puede|deber\u00eda\w*|escribir\u00eda\w*|usar\u00eda\w*|ser\u00eda)\b|no\s+(?:lo\s+)?ejecut\w+)",
    r"\b(?:por\s+exemplo|desta\s+forma|assim\s*:|(?:voc\u00ea\s+)?(?:pode(?:ria\w*|mos)?|deveria\w*|escreveria|usaria|seria)\b|n\u00e3o\s+(?:o\s+)?execut\w+)",
    r"\b(?:(?:per|ad)\s+esempio|in\s+questo\s+modo|cos\u00ec\s*:|come\s+segue|(?:si\s+)?(?:pu\u00f2|puoi|potrest\w+|potre\w+|potresti|dovresti|scriverest\w+|sarebbe)\b|non\s+eseguir\w+)",
    # Dutch, Polish, Russian
    r"\b(?:bijvoorbeeld|als\s+volgt|(?:je|u|men)\s+(?:kunt|kan|zou|zult|moet)|zou\s+(?:je|kunnen|zijn)|niet\s+uitvoeren)\b",
    r"\b(?:na\s+przyk\u0142ad|np\.|w\s+ten\s+spos\u00f3b|mo\u017cna|mo\u017cesz|m\u00f3g\u0142\w*|nie\s+uruchamia\w+|nie\s+wykonuj\w*)",
    r"(?:\u043d\u0430\u043f\u0440\u0438\u043c\u0435\u0440|\u0442\u0430\u043a\u0438\u043c\s+\u043e\u0431\u0440\u0430\u0437\u043e\u043c|\u043c\u043e\u0436\u043d\u043e|\u043c\u043e\u0436\u0435\u0442\u0435|\u043c\u043e\u0436\u0435\u0448\u044c|\u043c\u043e\u0433(?:\u043b\u0430?)?\s+\u0431\u044b|\u043d\u0435\s+(?:\u0432\u044b\u043f\u043e\u043b\u043d\u044f\u0439|\u0437\u0430\u043f\u0443\u0441\u043a\u0430\u0439)\w*)",
    # Chinese, Japanese, Korean
    r"(?:\u4f8b\u5982|\u6bd4\u5982|\u793a\u4f8b|\u8b6c\u5982|\u4f60\u53ef\u4ee5|\u60a8\u53ef\u4ee5|\u53ef\u4ee5\u8fd9\u6837|\u5982\u4e0b\u6240\u793a|\u8bf7\u52ff|\u4e0d\u8981(?:\u6267\u884c|\u8fd0\u884c)|\u4f8b\u3048\u3070|\u305f\u3068\u3048\u3070|\u3053\u306e\u3088\u3046\u306b|\u6b21\u306e\u3088\u3046\u306b|\u5b9f\u884c\u3057\u306a\u3044|\u3067\u304d\u307e\u3059|\uc608\ub97c\s*\ub4e4\uc5b4|\uc608\uc2dc|\uc774\ub807\uac8c|\uc2e4\ud589\ud558\uc9c0)",
)
# What a reply says behind a call that is not made.
_DECLINED = (
    rf"\b(?:do\s+not|don['\u2019]t|will\s+not|won['\u2019]t|would\s+not|wouldn['\u2019]t|am\s+not\s+going\s+to|never|not\s+going\s+to|must\s+not|should\s+not)\s+(?:\w+\s+)?{_MAKE}\s*{_IT}",
    r"\b(?:that|this|it|which)\s+would\b(?!\s+(?:\w+\s+)?(?:help|tell|show|give|let|allow)\s+(?:me|us)\b)",
    r"\b(?:that|this|it|above)\s+(?:is|was|are|were)\s+(?:(?:only|just|merely)\s+)?(?:(?:the|an?)\s+(?:\w+\s+){0,2}?(?:form|format|syntax|example|illustration|notation)|how\s+(?:you|one|to|it|such))\b",
    r"\b(?:that|this|it|above)\s+(?:is|was|were)\s+what\s+(?!i\b|we\b)[^.\n]{1,40}?\b(?:says?|said|show\w*|print\w*|contain\w*|had|held|reads?|proposed)\b",
    r"\A[\s*_]*(?:would|could|might|and\s+(?:the|that|it|then)\b[^.\n]{0,60}\bwould)\b",
    rf"{_CLAUSE}(?:please\s+)?(?:confirm|approve|decide|choose|let\s+me\s+know|tell\s+me|say\s+(?:the\s+word|yes|so|go)|just\s+ask)\b",
    r"\b(?:if\s+you(?:['\u2019]d|\s+(?:want|like|agree|wish|prefer|would|approve|confirm))|if\s+(?:that|this|it)\s+(?:is|['\u2019]s|sounds|works|looks)\s+(?:ok|okay|fine|good|right|what)|should\s+(?:i|we)|shall\s+(?:i|we)|do\s+you\s+want|would\s+you\s+like|want\s+me\s+to|may\s+i|can\s+i\s+(?:go|run|proceed)|waiting\s+for\s+your\s+(?!result)|await\w*\s+your|(?:once|when|after)\s+you\s+(?:confirm|agree|approve|say)|your\s+(?:approval|confirmation|permission|go-ahead|choice|decision|ok)|up\s+to\s+you)\b",
    r"\b(?:soll\s+ich|sag(?:en)?\s+(?:mir|sie)|m\u00f6chte(?:st|n)|wenn\s+(?:du|sie|ihr)\b|falls\s+(?:du|sie)|nicht\s+(?:\w+\s+)?(?:aus\w*f\u00fchr\w*|ausgef\u00fchrt)|gib\s+bescheid|(?:das|es|dies)\s+w\u00fcrde|w\u00fcrde\s+(?:das|es|den|die))",
    r"\b(?:dites-moi|dis-moi|voulez-vous|veux-tu|dois-je|souhaitez|si\s+(?:vous|tu)\b|ne\s+l['\u2019]ex\u00e9cut\w+|cela\s+(?:supprimerait|ferait))",
    r"\b(?:d[i\u00ed]game|d[i\u00ed]me|av[i\u00ed]same|quieres|quiere\s+que|\u00bf|si\s+(?:quieres|quiere|deseas|desea)|no\s+lo\s+ejecut\w+|me\s+avise|quer\s+que|se\s+(?:quiser|voc\u00ea)|deseja|fammi\s+sapere|vuoi|vuole|se\s+vuoi|devo\b)",
    r"(?:\u0441\u043a\u0430\u0436\u0438\u0442\u0435|\u0434\u0430\u0439\u0442\u0435\s+\u0437\u043d\u0430\u0442\u044c|\u0435\u0441\u043b\u0438\s+(?:\u0445\u043e\u0442\u0438\u0442\u0435|\u0432\u044b)|\u043d\u0443\u0436\u043d\u043e\s+\u043b\u0438|\u544a\u8bc9\u6211|\u662f\u5426|\u8981\u6211|\u8981\u4e0d\u8981|\u5982\u679c(?:\u4f60|\u60a8)|\u4e0d\u8981|\u6559\u3048\u3066|\u3057\u307e\u3059\u304b|\u3088\u308d\u3057\u3044|\uc54c\ub824|\uc6d0\ud558)",
)
# How something is done, by the model or by anybody: an adverb or a preposition that the call completes.
_MANNER = late_pattern(
    r"(?:\b(?:like\s+(?:this|so|that)|this\s+way|in\s+this\s+manner)|(?<=\w\s)(?:as(?:\s+follows)?|with|by|via|mit|so|avec|ainsi|comme"
    r"|con|com|así|assim|così|met|zo|tak|med|så|так|через|şöyle|böyle|was|were|war|était|era|foi|был[оаи]?)\b|是|这样|この様に|このように[^\s。]{0,9}"
    r"|次のように[^\s。]{0,9}|이렇게[^.。]{0,12})\W*\Z",
    re.IGNORECASE,
)
# A sentence about a case that may come.
_CONDITION = late_pattern(
    r"[\s*_>#-]*(?:(?:if|when(?:ever)?|once|in\s+case|wenn|falls|sobald|si|cuando|quand|lorsque|se|quando|als|wanneer|jeśli"
    r"|gdy|если|когда|eğer|om|när)\s|如果|当|もし|만약)",
    re.IGNORECASE,
)
# What anybody does, or nobody: impersonal and reflexive forms, and a manner that begins the sentence.
_IMPERSONAL = late_pattern(
    r"\b(?:man|one\s+(?!of\b|more\b|thing\b)\w+s|s['\u2019]\w+|(?:se|si)\s+\w+|\w+-se|się|sposób|\w+тся)\b|方法|写法|寫法|用法|做法|やり方|방법"
    r"|\A[\s*_>#-]*(?:así(?!\s+que)|assim|così|zo|ainsi|так|tak|şöyle)\s",
    re.IGNORECASE,
)
# What the model itself has not done.
_NOT_DONE = late_pattern(
    r"\b(?:(?:i|we)\b[^.!?\n]{0,40}(?:\bnot\b|\bnever\b|n['\u2019]t\b)|(?:ich|wir)\b[^.!?\n]{0,60}\b(?:nicht|nie)\b|je\s+n['\u2019e]"
    r"|no\s+(?:lo\s+|la\s+)?he\b|não\s+(?:o\s+|a\s+)?\w+(?:ei|iz|i)\b|non\s+(?:l['\u2019])?ho\b|ik\b[^.!?\n]{0,60}\bniet\b|nie\s+\w+ł[ae]m\b"
    r"|я\s[^.!?\n]{0,40}\bне\s|jag\b[^.!?\n]{0,60}\binte\b|\w+m[ae]d[ıi]m\b)|没|沒|未|ていません|ませんでした|않았|안 했",
    re.IGNORECASE,
)
# What is said behind a call that is made: what comes next, what it will show, that all is done.
_NEXT_STEP = late_pattern(
    r"\b(?:(?<!until\s)then|after(?:wards?)?|once|next|now|as\s+soon\s+as|when|wait(?:ing)?|i['\u2019]ll|we['\u2019]ll|(?:i|we)\s+(?:will|go|can)"
    r"|let\s+me|let['\u2019]s|(?:this|that|it|they|the\s+\w+)\s+(?:will|should|(?!is\b|was\b|has\b|does\b)\w+s)|danach|dann|anschließend"
    r"|sobald|jetzt|nun|ensuite|puis|après|dès|maintenant|después|luego|ahora|depois|então|agora|assim\s+que|dopo|poi|appena|adesso"
    r"|daarna|zodra|dan|nu|potem|następnie|teraz|затем|потом|после|теперь|sonra|ardından|şimdi|sedan|därefter)\b"
    r"|\A\W*(?:done|there|ok(?:ay)?|fertig|erledigt|voilà|fait|listo|hecho|pronto|feito|fatto|ecco|klaar|gotowe|готово|tamam|klart)\b"
    r"|然后|之后|接着|接下来|现在|完成|その後|次に|それから|これで|그다음|그런 다음|이제",
    re.IGNORECASE,
)
_SENTENCE_END = late_pattern(r"[.!?。！？](?=\s|\Z|[^\x00-\x7f])|\n")
_POSSIBLY = late_pattern("|".join(_POSSIBLE), re.IGNORECASE)
_BEHIND = late_pattern("|".join(_DECLINED), re.IGNORECASE)
# What is done, and by the model itself.
_COMMITS = late_pattern(
    r"\b(?:i(?:['\u2019](?:ll|m)|\s+(?!could|would|might|may|can|should)\w+)|let\s+(?:me|us)|let['\u2019]s)\b"
    r"|(?:\A|[.!?\n]\s*)(?:now\s+|first\s+)?\w+ing\b|\b(?:ich|je(?!\s+(?:het|de|een)\b)|yo|eu|io|ik|ja)\s+\w+|\u044f\s|\u6211|\u79c1|\uc81c\uac00",
    re.IGNORECASE,
)
_UNFINISHED = late_pattern(r"[\w,\"')\]]\s*\Z")
_RELATES = late_pattern(r"\s*[,;]?\s*(?:which|but|because|or|where|whereas)\s")
_GOES_ON = late_pattern(r"\s*[,;]?\s*[^\W\dA-Z_]+[\s,]")
_QUESTION = late_pattern(r"[?\uff1f][\s*_)\"'\u201d]*\Z")
_NEXT = late_pattern(rf"{NEXT_ATTEMPT.pattern}|^[ \t]*(?:`{{3}}|~{{3}})", NEXT_ATTEMPT.flags)
_ITEM = late_pattern(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)]|[a-z]\))[ \t]")
_ELEMENT = late_pattern(r"<(?P<name>pre|details|blockquote|code|samp|kbd|xmp|example)(?:\s[^<>\n]{0,80})?>")
_SPACES = late_pattern(r"[ \t]*")
_ITEM_REACH = 60


def is_possibility(words: str, *, harmless: bool = True) -> bool:
    """Whether the words before a call introduce one that is not made: the last word on it counts.

    `words`: the paragraph before the call. `harmless`: whether the call only looks; of any other, doubt means
    that it is not made.
    """
    ends = [match.end() for match in _POSSIBLY.finditer(words)]
    if ends:
        return _COMMITS.search(words, ends[-1]) is None
    if _MANNER.search(words) and _COMMITS.search(words) is None:
        return True
    return not harmless and _is_doubtful(words)


def _is_doubtful(words: str) -> bool:
    """Whether the last sentence before a call asks, supposes, or says what others do or was not done."""
    if _QUESTION.search(words):
        return True
    sentence = _sentences(words)[-1]
    told = _NOT_DONE.search(sentence) or _IMPERSONAL.search(sentence) or _CONDITION.match(sentence)
    return told is not None and _COMMITS.search(sentence, told.end()) is None


def _sentences(words: str) -> list[str]:
    return [each for each in _SENTENCE_END.split(words.strip()) if each.strip()] or [""]


def is_in_sentence(source: Source, words: str, end: int) -> bool:
    """Whether a call stands in the middle of a sentence that begins with `words` and goes on behind it."""
    return bool(_UNFINISHED.search(words) and _GOES_ON.match(source.text, end)) or bool(
        words and _RELATES.match(source.text, end)
    )


def is_left_open(source: Source, end: int, *, harmless: bool) -> bool:
    """Whether what stands behind a call declines it, or leaves it to the user.

    A model that makes a call has nothing more to say than what comes next: other words behind one that
    does more than look are doubt.
    """
    source.reached_end = True
    following = source.search(_NEXT, end)
    stop = min(source.end, end + _BEHIND_LIMIT, following.start() if following else source.end)
    tail = source.text[max(end, source.end - 80) : source.end]
    if _BEHIND.search(source.text, end, stop) or _QUESTION.search(tail):
        return True
    return not harmless and following is None and not _goes_on(source.text[end:stop])


def _goes_on(behind: str) -> bool:
    """Whether the words behind a call are those of a model that made it."""
    said = [each for each in _sentences(behind) if any(map(str.isalpha, each))]
    return not said or any(_NEXT_STEP.search(each) and not _NOT_DONE.search(each) for each in said)


def is_in_item(source: Source, start: int, column: int) -> bool:
    """Whether a line that begins at `column` belongs to an item of a list above it."""
    if _ITEM.match(source.text, start):
        return True
    position = start
    for _ in range(_ITEM_REACH if column else 0):
        if position <= 0:
            return False
        above = source.text.rfind("\n", 0, position - 1) + 1
        line = source.text[above:position]
        if line.strip() and len(line) - len(line.lstrip()) < column:
            return _ITEM.match(line) is not None
        position = above
    return False


def is_code(text: str, start: int) -> bool:
    """Whether the line that begins at `start` is indented as code is, below an empty line."""
    indent = _SPACES.match(text, start)
    deep = len(indent.group().expandtabs(4)) >= 4 if indent else False
    return deep and start > 0 and not text[text.rfind("\n", 0, start - 1) + 1 : start].strip()


def element_end(source: Source, position: int) -> int | None:
    """Where an element that shows text ends, which begins at `position`; None if none does, or it has no end."""
    opener = _ELEMENT.match(source.text, position)
    if opener is None or not begins_line(source.text, position):
        return None
    closer = source.find(f"</{opener['name']}>", opener.end())
    return None if closer < 0 else closer + len(opener["name"]) + 3
