"""What outputs say of their own arm or model never reaches a packet, and the plan says so."""

from pathlib import Path
from typing import Any

import pytest

from studies.rating.rating_commands import fine, lines_of, outputs, refused, write_study

ARMS = ("C0", "new_prompt", "guided")
_PEOPLE = "annotators: [{name: ann}]\nset_size: 3\nhidden: [mcp-house-style]\n"


def _telling() -> list[dict[str, Any]]:
    lines = outputs(9, ARMS)
    for line in lines:
        line["models"] = {"C0": ["gpt-5-mini"], "new_prompt": ["x-ai/grok-4.3"]}.get(
            line["arm"], ["claude-opus-5"]
        )
        line["trial"] = f"trial-{line['arm']}-{line['unit']}"
        line["docs"][0]["text"] += " (Grok, by xAI)"
        own = {"C0": "I am ChatGPT, arm C0.", "new_prompt": "Written with the New-Prompt. "}
        line["text"] += " " + own.get(line["arm"], "Variant guided, with house-style.")
    return lines


@pytest.mark.requirement("ABX-38")
@pytest.mark.requirement("PIL-25")
def test_names_in_outputs_are_masked_before_sets_are_made(tmp_path: Path) -> None:
    axes = "axes:\n  - {name: style, ask: Which reads best?, shows: [source]}\n"
    study = write_study(tmp_path / "s", _telling(), arms=ARMS, more=_PEOPLE + axes)
    told = fine("plan", study)
    assert "27 outputs name an arm, a model or a run and are masked" in told
    page = study.joinpath("RATING-PLAN.md").read_text(encoding="utf-8")
    assert "| new_prompt | 9 | 9 | 0 |" in page
    assert "the arms differ" not in page
    fine("seal", study)
    fine("annotate", "make", study)
    packets = lines_of(study / "campaign" / "packets.jsonl")
    shown = str([packet | {"id": ""} for packet in packets]).casefold()
    hidden = ("c0", "prompt", "guided", "gpt", "grok", "xai", "claude", "house", "trial")
    assert [name for name in hidden if name in shown] == []
    for packet in packets:
        assert sum("[masked]" in option["text"] for option in packet["options"]) == 3


def test_texts_that_differ_by_a_name_alone_are_one_text(tmp_path: Path) -> None:
    lines = outputs(6, ("C0", "C1", "C2"))
    for line in lines:
        if line["arm"] != "C2":
            line["text"] = f"The same {line['unit']}, signed {line['arm']}."
    study = write_study(tmp_path / "s", lines, arms=("C0", "C1", "C2"), more="set_size: 3\n")
    fine("plan", study)
    plan = study.joinpath("plan.json").read_text(encoding="utf-8")
    assert plan.count('"same"') == 6


@pytest.mark.requirement("X-A9")
@pytest.mark.parametrize(
    "axis",
    [
        "{name: style, ask: Is new-prompt better?}",
        "{name: style, ask: Which is best?, criteria: [{id: SC-1, text: C0 calls no tool.}]}",
        "{name: style, ask: Which sounds like Grok?}",
        "{name: style, ask: Which is best?, shows: [C0-source]}",
    ],
)
def test_a_question_that_names_an_arm_or_a_model_is_refused(tmp_path: Path, axis: str) -> None:
    lines = outputs(6, ARMS)
    for line in lines:
        line["docs"][0]["name"] = "C0-source"
    more = f"set_size: 3\naxes:\n  - {axis}\n"
    study = write_study(tmp_path / "s", lines, arms=ARMS, more=more)
    assert "who reads a name is not blind" in refused("plan", study)


@pytest.mark.requirement("X-P26")
def test_a_family_map_that_is_named_has_to_be_there_and_stays_as_planned(tmp_path: Path) -> None:
    more = _PEOPLE + "families: own.yaml\n"
    study = write_study(tmp_path / "s", _telling(), arms=ARMS, more=more)
    assert "there is no own.yaml" in refused("plan", study)
    own = study / "own.yaml"
    own.write_text('version: "1"\nextends: shipped\n')
    fine("plan", study)
    fine("seal", study)
    own.write_text(
        'version: "1"\nextends: shipped\nfamilies:\n  - {id: xai, models: [ab], names: [rain]}\n'
    )
    assert "not what was planned" in refused("annotate", "make", study, code=1)
