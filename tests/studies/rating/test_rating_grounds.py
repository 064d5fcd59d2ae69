"""What fidelity to a zh or ja source is held against is said, and doubted where it is nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from every import for_every
from studies.rating.rating_commands import fine, outputs, run, write_study

_ARMS = ("a", "b")
_PEOPLE = "[{name: ann}, {name: bob}, {name: cy}]"
_READERS = "[{name: ann, languages: [en, zh-Hans]}, {name: bob, languages: [en, zh]}]"
_JUDGE = "{model: gpt-5-mini-2025-08-07, provider: {scripted_judge: {acts: first}}}"


def _study(
    folder: Path, shows: str, *, people: str = _PEOPLE, axis: str = "fidelity", glossed: int = 0
) -> Path:
    """Four units from zh; the first `glossed` of them have an English gloss too."""
    lines = outputs(4, _ARMS)
    for line in lines[: glossed * len(_ARMS)]:
        line["docs"].append({"name": "anchor", "text": f"gloss of {line['unit']}", "lang": "en"})
    more = f"set_size: 2\naxes:\n  - {{name: {axis}, ask: Which is better?, shows: {shows}}}\n"
    more += f"annotators: {people}\n" if people else ""
    return write_study(folder, lines, arms=_ARMS, more=more)


def _told(study: Path) -> tuple[list[str], list[str]]:
    """Doubts and remarks of the plan about what is shown."""
    found: dict[str, Any] = json.loads(fine("plan", study, "--json"))
    doubts = [one for one in found["doubts"] if "neither anchor nor reference" in one]
    return doubts, [one for one in found["remarks"] if "texts are held against" in one]


@pytest.mark.requirement("PIL-09")
def test_a_plan_without_gloss_or_reference_is_doubted_with_the_mend(tmp_path: Path) -> None:
    doubts, remarks = _told(_study(tmp_path, "[source]"))
    (doubt,) = doubts
    assert doubt.startswith("fidelity: 4 units from zh shown with neither anchor nor reference")
    assert "mend: add an English gloss by a professional" in doubt
    assert remarks == ["fidelity: 4 units from zh: texts are held against the source itself"]
    page = tmp_path.joinpath("RATING-PLAN.md").read_text(encoding="utf-8")
    assert "neither anchor nor reference" in page
    assert "neither anchor nor reference" in fine("plan", tmp_path)


@pytest.mark.requirement("PIL-09")
@for_every(
    "shows, people, axis, glossed, n_bare",
    [
        ("[anchor]", _PEOPLE, "fidelity", 4, 0),
        ("[anchor, source]", _PEOPLE, "fidelity", 3, 1),
        ("[source]", _READERS, "fidelity", 0, 0),
        ("[source]", _READERS.replace("bob, languages: [en, zh]", "bob"), "fidelity", 0, 4),
        ("[]", _READERS, "completeness", 0, 4),
        ("[]", _PEOPLE, "style", 0, 0),
    ],
)
def test_only_units_that_nobody_can_judge_are_doubted(
    tmp_path: Path, shows: str, people: str, axis: str, glossed: int, n_bare: int
) -> None:
    doubts, _ = _told(_study(tmp_path, shows, people=people, axis=axis, glossed=glossed))
    unit = "unit" if n_bare == 1 else "units"
    wanted = [f"{axis}: {n_bare} {unit}"] if n_bare else []
    assert [one.split(" from ")[0] for one in doubts] == wanted


def test_judges_read_the_source(tmp_path: Path) -> None:
    study = _study(tmp_path, "[source]", people="")
    with study.joinpath("study.yaml").open("a", encoding="utf-8") as file:
        judges = f"[{{name: reader, model: {_JUDGE}}}]"
        file.write(f"decides: reader\njudges: {{policy: single, judges: {judges}}}\n")
    assert _told(study)[0] == []


@pytest.mark.requirement("PIL-09")
def test_results_say_what_they_rest_on(tmp_path: Path) -> None:
    study = _study(tmp_path / "study", "[anchor, source]", glossed=3)
    for words in (("plan",), ("seal",), ("annotate", "make"), ("annotate", "simulate")):
        fine(*words, study)
    fine("annotate", "collect", study)
    _, out, _ = run("compare", study)
    said = (
        "1 unit from zh: texts are held against the source itself",
        "3 units from zh: texts are held against an English gloss (anchor) and the source itself",
    )
    for text in (out, *(run("report", study, "--format", form)[1] for form in ("md", "html"))):
        assert [one for one in said if one not in text.replace("\\", "")] == []
    ranking = json.loads(run("report", study, "--format", "json")[1])
    assert sorted(ranking["axes"][0]["notes"]) == sorted(said)
    fine("verify", study)
