"""A text that names its own arm, model or run is masked, or flagged where it may be a word."""

import base64
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.blind.families import read_families
from equipoise.blind.hidden import hidden_names
from equipoise.blind.judge_texts import lint_texts
from equipoise.blind.leak_report import leak_lines, mask_outputs
from equipoise.blind.leaks import MASK, find_leaks, mask
from equipoise.errors import InputError
from equipoise.records.packet import Doc
from equipoise.records.rating_plan import Output

MAP = read_families()
NAMES = hidden_names(
    arms=["A", "new", "release-2", "new_prompt", "C0", "with memory", "v2"],
    models=["x-ai/grok-4.3", "claude-opus-4-1-20250805", "gpt-5-mini"],
    families=MAP,
    skills=["mcp-code-reviewer", "pdf"],
    runs=["new-ab12cd34-1"],
    counts=["1523", "0.0123"],
)
_BASE64 = base64.b64encode(b"made by grok-4.3").decode()


@pytest.mark.requirement("ABX-38")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("made by variant new", "made by variant [masked]"),
        ("arm: A", "arm: [masked]"),
        ("API v2 of arm v2", "API v2 of arm [masked]"),
        ("Release 2, release_2, RELEASE2", "[masked], [masked], [masked]"),
        ("r e l e a s e 2 and re-\nlease-2", "[masked] and [masked]"),
        ("re\u200blease\u00ad-2", "[masked]"),
        ("rеlеаsе-2 and С0", "[masked] and [masked]"),
        ("ｇｒｏｋ, 𝐆𝐫𝐨𝐤, Grók", "[masked], [masked], [masked]"),
        ("".join(chr(0xE0000 + ord(sign)) for sign in "grok") + " x", "[masked] x"),
        ("new-prompt newPrompt", "[masked] [masked]"),
        ("Gr**ok**, g.p.t, GPTs", "[masked]**, [masked], [masked]"),
        ("I'm Grok, by xAI", "I'm [masked], by [masked]"),
        ("x-ai/grok-4.3-fast wrote it", "[masked] wrote it"),
        ("I am Claude, and Claude 4.1", "I am [masked], and [masked]"),
        ("Claude Opus 4.1", "[masked]"),
        ("GPT-4o, GPT5, ChatGPT, gpt‑5‑mini", "[masked], [masked], [masked], [masked]"),
        ("我是Claude模型", "我是[masked]模型"),
        ("GPT'а, GPTшный", "[masked]'а, [masked]шный"),
        ("code-reviewer, /pdf, skill: pdf", "[masked], /[masked], skill: [masked]"),
        (f"{_BASE64} x", "[masked] x"),
        ("%67rok-4.3 and 67 72 6f 6b 2d 34", "[masked] and [masked]"),
        ("&#71;rok", "[masked]"),
        ("Took 1,523 tokens at $0.0123", "Took [masked] tokens at $[masked]"),
        ("total_tokens: 9 latency_ms=44", "[masked] [masked]"),
        ("tokens used: 1,500, cost_usd=$0.02.", "[masked], [masked]."),
        ("run 3 of 12, see new-ab12cd34-1/out", "[masked], see [masked]/out"),
    ],
)
def test_a_name_is_masked_however_it_is_written(text: str, shown: str) -> None:
    assert mask(text, find_leaks(text, NAMES)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "I read a book about a new idea. A new model of it.",
        "renewal, Egypt, pdfs, C00, grokking, openaire",
        "I ain't new here. The system is new.",
        "a pdf file of 1523 people in 0.0123 of it, version 2",
        "magnum opus, a sonnet, a haiku",
        "Со мной",  # the letters of "Co", all of another alphabet
        "Total cost: $20",
    ],
)
def test_an_ordinary_word_is_left_alone(text: str) -> None:
    assert find_leaks(text, NAMES) == ()


@pytest.mark.requirement("ABX-38")
@pytest.mark.parametrize(
    "text",
    [
        "Claude opened the door.",
        "Sonnet 18",
        "a new prompt",
        "with memory of it",
        "as the new arm",
        "### new\n\nText",
    ],
)
def test_what_may_be_a_word_is_flagged_and_stays(text: str) -> None:
    leaks = find_leaks(text, NAMES)
    assert [leak.is_masked for leak in leaks] == [False]
    assert mask(text, leaks) == text


@settings(max_examples=40)
@given(st.text(max_size=60), st.sampled_from(["grok-4.3", "Release 2", "OpenAI"]), st.text())
def test_masking_twice_is_masking_once(before: str, name: str, after: str) -> None:
    text = f"{before} {name} {after}"
    once = mask(text, find_leaks(text, NAMES))
    assert name not in once
    assert mask(once, find_leaks(once, NAMES)) == once


@given(st.text(max_size=200))
def test_leaks_lie_in_order_inside_the_text(text: str) -> None:
    ends = 0
    for leak in find_leaks(text, NAMES):
        assert ends <= leak.start < leak.end <= len(text)
        ends = leak.end


@pytest.mark.parametrize(
    "text", ["a" * 50_000, "ab " * 20_000, "variant " * 6_000, "%a&b" * 10_000]
)
def test_a_long_text_takes_no_time_to_speak_of(text: str) -> None:
    begun = time.process_time()
    assert find_leaks(text, NAMES) == ()
    assert time.process_time() - begun < 5


@pytest.mark.requirement("ABX-38")
def test_all_texts_of_all_arms_are_masked_alike_and_counted() -> None:
    outputs = [
        Output(
            unit=f"u{number}",
            arm=arm,
            text=f"{text} The end.",
            prompt="Ask Grok.",
            docs=(Doc(name="grok.txt", text="by gpt-5-mini"),),
        )
        for arm, text in (("C0", "I am Grok."), ("A", "This is arm A."), ("new", "Claude left."))
        for number in range(4)
    ]
    masked, report = mask_outputs(outputs, NAMES)
    assert {output.text for output in masked} == {
        "I am [masked]. The end.",
        "This is arm [masked]. The end.",
        "Claude left. The end.",
    }
    assert {output.prompt for output in masked} == {f"Ask {MASK}."}
    assert {doc.text for output in masked for doc in output.docs} == {f"by {MASK}"}
    assert [report.n_with(arm, is_masked=True) for arm in ("C0", "A", "new")] == [4, 4, 0]
    assert report.flagged_units() == ("u0", "u1", "u2", "u3")
    assert report.is_tell
    page = "\n".join(leak_lines(report))
    assert "| C0 | 4 | 4 | 0 |" in page
    assert "| new | 4 | 0 | 4 |" in page
    assert "mask itself may tell" in page
    untouched, none = mask_outputs([Output(unit="u", arm="C0", text="A new day.")], NAMES)
    assert untouched[0].text == "A new day."
    assert not none.is_tell
    assert "No output names its arm" in "\n".join(leak_lines(none))


@pytest.mark.requirement("ABX-38")
def test_an_ordinary_word_that_only_its_own_arm_uses_is_flagged() -> None:
    names = hidden_names(arms=["guided", "plain"], models=[], families=MAP)
    outputs = [
        Output(unit=f"u{number}", arm=arm, text=text)
        for number in range(6)
        for arm, text in (
            ("guided", "A plain tale, as a guided pen writes it."),
            ("plain", "A plain tale of mine."),
        )
    ]
    masked, report = mask_outputs(outputs, names)
    assert list(masked) == outputs
    assert [report.n_with(arm, is_masked=False) for arm in ("guided", "plain")] == [6, 0]


@pytest.mark.requirement("X-A9")
@pytest.mark.parametrize(
    "text",
    [
        "In D the catalogue is shown, in E1 it is not.",
        "Better than variant new?",
        "Is it as good as release 2?",
        "Does it read like Claude?",
        "The text never says that it is ChatGPT.",
        "It does not look like Qwen.",
        "The code-reviewer was not called.",
    ],
)
def test_a_question_that_names_an_arm_a_model_or_a_skill_is_refused(text: str) -> None:
    names = (*NAMES, *hidden_names(arms=["D", "E1", "E2"], models=[], families=MAP))
    with pytest.raises(InputError, match="applies_to") as caught:
        lint_texts({"criterion SC-1": text}, names, MAP, labels=("A", "B"))
    assert caught.value.code == "names_in_judge_text"
    assert "criterion SC-1" in str(caught.value)


@pytest.mark.requirement("X-A9")
def test_a_neutral_question_passes_and_a_doubtful_word_is_told() -> None:
    texts = {
        "axis style: ask": "Which of A and B reads best as a story for adults?",
        "criterion Mercury": "The god Mercury keeps his name.",
    }
    assert lint_texts(texts, NAMES, MAP) == ()
    (warning,) = lint_texts({"ask": "Does it say what is new?"}, NAMES, MAP)
    assert "'new'" in warning
