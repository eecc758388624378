"""What the chat shows, held by the screen of the installed command in a pseudo-terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.moves import ScriptEntry
from tests.support.scripted_server import Drop, Fail, Say, ScriptedServer
from tests.support.terminal import Chat
from text_agent.messages import Usage

MARKDOWN = """# Results

There are **two** things in `main.py`, see [the page](http://example.org/page):

1. first
2. second
   - nested

| name | size |
|------|-----:|
| a    | 12   |

> as they say

```python
def greet():
    return "hi"
```

List<int> and &lt; stay as they are."""
WRITE = 'tool: write_file({"path": "a.py"})\n```python\nprint("cargo")\n```'


def flags(server: ScriptedServer) -> tuple[str, ...]:
    return server.flags()


def chat_of(server: ScriptedServer, project: Path, *arguments: str, **options: object) -> Chat:
    return Chat(*arguments, *flags(server), cwd=project, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(24, 80), (50, 200)])
@pytest.mark.parametrize("chunks", [1, 7, 300])
def test_markdown_is_rendered_and_every_line_stands_once(
    project: Path, size: tuple[int, int], chunks: int
) -> None:
    reply = Say(f"{MARKDOWN}\n\nThe end.", chunks=chunks, delay_seconds=0.003)
    with ScriptedServer([reply]) as server, chat_of(server, project, "go", size=(60, size[1])) as chat:
        chat.expect("The end. you>")
        text = chat.text
        assert "assistant>\nResults\n\nThere are two things in main.py" in text
        assert "the page\n(http://example.org/page)" in text or "the page (http://example.org/page)" in text
        assert "1. first\n2. second\n   \u2022 nested\n" in text
        assert re.search(r"name +size\n\u2500+\na +12\n", text)
        assert "\n\u2502 as they say\n" in text
        assert '\n  def greet():\n      return "hi"\n' in text
        assert "List<int> and &lt; stay as they are." in text
        for once in ("Results", "first", "nested", "as they say", "greet", "List<int>", "The end."):
            assert text.count(once) == 1
        assert "**" not in text
        assert "```" not in text


def test_a_screen_of_few_rows_shows_a_long_reply_whole(project: Path) -> None:
    lines = "\n".join(f"line {number} of the code" for number in range(100))
    reply = Say(f"Here:\n\n```text\n{lines}\n```\n\nThe end.", chunks=400)
    with ScriptedServer([reply]) as server, chat_of(server, project, "go", size=(10, 40)) as chat:
        chat.expect("The end. you>")
        printed = chat.history
        assert [printed.count(f"line {number} of the code") for number in range(100)] == [1] * 100


def test_code_has_the_colours_of_its_language(project: Path) -> None:
    reply = "```python\ndef greet():\n    return 1\n```"
    with ScriptedServer([reply]) as server, chat_of(server, project, "go") as chat:
        chat.expect("return 1 you>")
        assert chat.color_of("def ") != chat.color_of("greet")


def test_a_call_and_its_payload_are_shown_once(project: Path) -> None:
    script = [f"I write it.\n\n{WRITE}\n", "Done."]
    with ScriptedServer(script) as server, chat_of(server, project, "--yes", "go") as chat:
        chat.expect("Done. you>")
        assert "assistant> I write it.\n#1 write_file a.py: a.py was created" in chat.text
        assert chat.text.count("cargo") == 1
        assert '+print("cargo")' in chat.text
        assert "tool:" not in chat.text


def test_a_reviewed_change_is_shown_once(project: Path) -> None:
    with ScriptedServer([WRITE, "Done."]) as server, chat_of(server, project, "go") as chat:
        chat.expect("[y]es")
        assert "#1 write_file a.py\n--- new file\n" in chat.text
        chat.send("y")
        chat.expect("Done. you>")
        assert chat.text.count("cargo") == 1
        assert "\n#1: a.py was created" in chat.text


def test_words_that_look_like_a_call_at_first_are_not_lost(project: Path) -> None:
    reply = Say("tool makers like it.\n\n{not json}\n\n[1] A note.\n\n<b>bold</b>\n\nThe end.", chunks=40)
    with ScriptedServer([reply]) as server, chat_of(server, project, "go") as chat:
        chat.expect("The end. you>")
        for words in ("tool makers like it.", "{not json}", "[1] A note.", "<b>bold</b>"):
            assert chat.text.count(words) == 1


def test_words_behind_a_call_are_shown(project: Path) -> None:
    (project / "f.txt").write_text("x\n")
    script = ['Before.\n\ntool: read_file({"path": "f.txt"})\n\nAfter it.', "Done."]
    with ScriptedServer(script) as server, chat_of(server, project, "go") as chat:
        chat.expect("Done. you>")
        assert "assistant> Before.\n\nAfter it.\n#1 read_file f.txt: 1 line\n" in chat.text


def test_thinking_is_dim_in_either_form(project: Path) -> None:
    script = [Say("<think>Hm, hm.</think>Yes.", reasoning="Let me see.")]
    with ScriptedServer(script) as server, chat_of(server, project, "go") as chat:
        chat.expect("Let me see. Hm, hm. assistant> Yes. you>")
        assert "\x1b[2;3mLet me see.\x1b[0m" in chat.raw
        assert "\x1b[2;3mHm, hm.\x1b[0m" in chat.raw
        assert "think>" not in chat.text


def test_quotations_are_marked_as_not_run(project: Path) -> None:
    call = 'tool: read_file({"path": "f"})'
    reply = f"<think>{call}\n</think>For example:\n\n```\n{call}\n```"
    with ScriptedServer([reply]) as server, chat_of(server, project, "go") as chat:
        chat.expect(f"(not run, in thinking: {call})")
        chat.expect(f"(not run, shown as an example: {call})")


def test_long_results_are_folded_and_can_be_shown(project: Path) -> None:
    script = ['tool: run_command({"command": "seq 1 30; printf \'\\\\033[2J\'"})', "Done."]
    with ScriptedServer(script) as server, chat_of(server, project, "--yes", "go", size=(60, 80)) as chat:
        chat.expect("Done. you>")
        assert "#1 run_command seq 1 30" in chat.text
        assert re.search(
            r": exit code 0\n  1\n  2\n  3\n  4\n  5\n  6\n  \u2026 2\d more lines: /show 1", chat.text
        )
        chat.send("/show 1")
        chat.expect("29 30")
        chat.send("/show 7")
        chat.expect("There is no result '7'")
        assert "\x1b[2J" not in chat.raw


def test_a_malformed_call_has_a_line_and_can_be_shown(project: Path) -> None:
    script = ['tool: read_file({"path": "a" "b" c})', "Sorry."]
    with ScriptedServer(script) as server, chat_of(server, project, "go") as chat:
        chat.expect("#1: error:")
        chat.expect("Sorry. you>")
        chat.send("/show 1")
        chat.expect('#1 tool: read_file({"path": "a"')


def test_while_the_model_is_silent_the_screen_says_for_how_long(project: Path) -> None:
    slow = Say("Hello there, and so on.", chunks=2, delay_seconds=1.3)
    with ScriptedServer([slow]) as server, chat_of(server, project, "go") as chat:
        chat.expect("waiting for the model 1s")
        chat.expect("assistant> Hello there")
        chat.expect("writing 2s, ~")
        chat.expect("so on. you>")
        assert "waiting" not in chat.text
        assert "writing" not in chat.text


def test_while_a_command_runs_the_screen_says_for_how_long(project: Path) -> None:
    script = ['tool: run_command({"command": "sleep 1.5; echo ready"})', "Done."]
    with ScriptedServer(script) as server, chat_of(server, project, "--yes", "go") as chat:
        chat.expect("#1 run_command sleep 1.5; echo ready 1s")
        chat.expect("#1 run_command sleep 1.5; echo ready: exit code 0 ready assistant> Done. you>")


def test_while_a_call_is_written_the_screen_names_it(project: Path) -> None:
    call = Say(f"I write.\n\n{WRITE}", chunks=30, delay_seconds=0.05)
    with ScriptedServer([call, "Done."]) as server, chat_of(server, project, "--yes", "go") as chat:
        chat.expect("assistant> I write.")
        chat.expect("calling write_file")
        chat.expect("Done. you>")


def test_an_interrupted_reply_stays_as_far_as_it_came(project: Path) -> None:
    slow = Say("word " * 200, chunks=200, delay_seconds=0.05)
    with ScriptedServer([slow]) as server, chat_of(server, project, "go") as chat:
        chat.expect("assistant> word word")
        chat.interrupt()
        chat.expect("interrupted. you>")
        assert chat.text.count("assistant> word word") == 1
        assert "writing" not in chat.text


def test_after_ctrl_c_at_a_question_the_screen_goes_on(project: Path) -> None:
    slow = Say("Hello there, and so on.", chunks=2, delay_seconds=1.3)
    with ScriptedServer([WRITE, slow]) as server, chat_of(server, project, "go") as chat:
        chat.expect("[y]es")
        chat.interrupt()
        chat.expect("interrupted. you>")
        chat.send("and now?")
        chat.expect("waiting for the model 1s")
        chat.expect("so on. you>")


def test_a_reply_that_breaks_off_leaves_no_spinner(project: Path) -> None:
    script: list[ScriptEntry] = [Drop(3), Drop(3), Drop(3), Fail(401, "bad key")]
    with ScriptedServer(script, strict=False) as server, chat_of(server, project, "go") as chat:
        chat.expect("you>")
        chat.send("/plan")
        chat.expect("There is no plan")
        assert "waiting for the model" not in chat.text


def test_a_resize_in_the_middle(project: Path) -> None:
    words = " ".join(f"word{number}" for number in range(150))
    reply = Say(f"{words}\n\nThe end.", chunks=150, delay_seconds=0.02)
    with ScriptedServer([reply]) as server, chat_of(server, project, "go", size=(40, 100)) as chat:
        chat.expect("word30")
        chat.resize(40, 50)
        chat.expect("The end. you>")
        flat = " ".join(chat.text.split())
        assert f"{words} The end. you>" in flat


def test_nothing_but_ascii_in_a_c_locale(project: Path) -> None:
    (project / "f.txt").write_text("x\n" * 50)
    plan = 'tool: update_plan({"steps": ["Look"], "done": [1]})'
    script: list[ScriptEntry] = [
        plan,
        'tool: run_command({"command": "seq 1 30"})',
        Say(f"{MARKDOWN}\n\n\u201cDone\u201d \u2013 \u00fcber.", chunks=30, delay_seconds=0.01),
    ]
    locale = {"LC_ALL": "C", "PYTHONUTF8": ""}
    with (
        ScriptedServer(script) as server,
        chat_of(server, project, "--yes", "go", size=(60, 80), environment=locale) as chat,
    ):
        chat.expect('"Done" - ?ber. you>')
        assert chat.raw.isascii()
        assert "  [x] 1. Look" in chat.text
        assert "   * nested" in chat.text


def test_what_is_decided_on_shows_code_points_in_a_c_locale(project: Path) -> None:
    script = ['tool: run_command({"command": "rm \u2018x\u2019"})', "Fine."]
    locale = {"LC_ALL": "C", "PYTHONUTF8": ""}
    with ScriptedServer(script) as server, chat_of(server, project, "go", environment=locale) as chat:
        chat.expect("$ rm <U+2018>x<U+2019>")
        chat.expect("[y]es")
        chat.send("n no")
        chat.expect("Fine. you>")


def test_a_dumb_terminal_gets_the_text_without_the_call(project: Path) -> None:
    script = [f"I write it.\n\n{WRITE}\n", MARKDOWN]
    dumb = {"TERM": "dumb"}
    with (
        ScriptedServer(script) as server,
        chat_of(server, project, "--yes", "go", environment=dumb, size=(50, 80)) as chat,
    ):
        chat.expect("stay as they are. you>")
        assert "assistant> I write it.\n#1 write_file a.py: a.py was created" in chat.text
        assert "There are **two** things" in chat.text
        assert chat.text.count("cargo") == 1
        assert "\x1b" not in chat.raw
        assert "\r" not in chat.raw.replace("\r\n", "")


def test_a_pipe_gets_the_text_without_the_call(project: Path) -> None:
    with ScriptedServer([f"I write it.\n\n{WRITE}\n", MARKDOWN]) as server:
        done = run_command("--yes", *flags(server), cwd=project, stdin="go\n")
    assert "assistant> I write it.\n#1 write_file a.py: a.py was created" in done.stdout
    assert f"assistant> {MARKDOWN}\n" in done.stdout
    assert done.stdout.count("cargo") == 1
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "environment", "colored"),
    [
        ((), {}, True),
        (("--no-color",), {}, False),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (("--theme", "light"), {}, True),
        ((), {"TEXT_AGENT_THEME": "dark"}, True),
    ],
)
def test_colours(
    project: Path, arguments: tuple[str, ...], environment: dict[str, str], colored: bool
) -> None:
    script = [WRITE, "**Done.**"]
    with (
        ScriptedServer(script) as server,
        chat_of(server, project, "--yes", "go", *arguments, environment=environment) as chat,
    ):
        chat.expect("Done. you>")
        assert (chat.color_of("assistant>") != "default") is colored
        assert (chat.background_of("print(") != "default") is colored


def test_the_themes_have_different_colours(project: Path) -> None:
    seen = []
    for environment in ({"COLORFGBG": "0;15"}, {"COLORFGBG": "15;0"}):
        with (
            ScriptedServer([WRITE, "Done."]) as server,
            chat_of(server, project, "--yes", "go", environment=environment) as chat,
        ):
            chat.expect("Done. you>")
            seen.append(chat.background_of("print("))
        (project / "a.py").unlink()
    assert seen[0] != seen[1]


def test_colours_may_be_forced_in_a_pipe(project: Path) -> None:
    with ScriptedServer(["Hello."]) as server:
        done = run_command(*flags(server), cwd=project, stdin="go\n", environment={"FORCE_COLOR": "1"})
    assert "\x1b[1;32massistant> \x1b[0mHello." in done.stdout


def test_a_theme_that_does_not_exist(project: Path) -> None:
    done = run_command(cwd=project, environment={"TEXT_AGENT_THEME": "pink"})
    assert done.returncode == 2
    assert "the theme 'pink' (from the environment) does not exist." in done.stderr


def test_a_diff_hides_nothing(project: Path) -> None:
    script = ['tool: write_file({"path": "a.py", "content": "x = 1  # \\u202ehidden\\u0007\\n"})', "Done."]
    with ScriptedServer(script) as server, chat_of(server, project, "go") as chat:
        chat.expect("+x = 1 # <U+202E>hidden<U+0007>")
        chat.expect("[y]es")
        chat.send("y")
        chat.expect("Done. you>")


def test_entities_and_links_hide_nothing(project: Path) -> None:
    reply = "&#x202e;x [bank](http://evil.example) <script>\n\n[a]: http://hidden.example\n\nEnd."
    with ScriptedServer([reply]) as server, chat_of(server, project, "go") as chat:
        chat.expect("&#x202e;x bank (http://evil.example) <script>")
        chat.expect("[a]: http://hidden.example End. you>")


def test_the_footer_says_how_things_stand(project: Path) -> None:
    prices = {"TEXT_AGENT_PRICE_IN": "1000", "TEXT_AGENT_PRICE_OUT": "0", "TEXT_AGENT_CONTEXT_TOKENS": "2000"}
    reply = Say("Hello.", usage=Usage(500, 2))
    with ScriptedServer([reply]) as server, chat_of(server, project, environment=prices) as chat:
        chat.expect("scripted-model \u00b7 context 0% \u00b7 permissions ask")
        chat.send("hi")
        chat.expect("Hello. you>")
        chat.expect("cost 0.5000 \u00b7 permissions ask")
        assert re.search(r"context [1-9]\d?%", chat.text)
        chat.send("/permissions edits")
        chat.expect("permissions edits")


def test_the_greeting_fits_a_narrow_screen(project: Path) -> None:
    deep = project / ("long-name-" * 9) / ("and-another-" * 6)
    deep.mkdir(parents=True)
    with ScriptedServer([]) as server, chat_of(server, deep, size=(24, 60)) as chat:
        chat.expect("you>")
        first, second, third, fourth, fifth, *_ = chat.text.split("\n")
        assert first == "text-agent 0.1.0: scripted-model (openai)"
        assert second == f"at {server.openai_url} (--base-url)"
        assert re.fullmatch("in /.+ \\.\\.\\. .+and-another-", third)
        assert fourth == "Type what you want done; /help shows the commands."
        assert fifth.startswith("you>")
