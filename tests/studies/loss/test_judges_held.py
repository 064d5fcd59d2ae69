"""Model judges of single outputs, held against people's grades of some of the outputs."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.errors import InputError
from equipoise.records.codec import pretty
from equipoise.stages.estimate.loss.judges_held import HeldUnder, RatedOutput, judge_held
from equipoise.studies.rating.comparing import compare
from studies.loss.executed import trials
from studies.loss.judged import judge, judged_study
from studies.loss.made_study import made_units
from studies.loss.runs import equipoise
from studies.rating.rated import Rated, feeling, panel, preferring

_UNDER = HeldUnder(judge="j", model="m", category="tone", about_sha256="")


def _rated(
    n: int, rng: np.random.Generator, *, right: float, labelled: int, rate: float = 0.3
) -> list[RatedOutput]:
    """Outputs of which a share is lost; the judge and two people say so with some probability."""
    found = []
    for number in range(n):
        is_lost = rng.random() < rate
        said = [float(is_lost if rng.random() < p else not is_lost) for p in (right, 0.97, 0.97)]
        people = {"ann": said[1], "ben": said[2]} if number < labelled else {}
        found.append(RatedOutput(unit=f"u{number}", arm="a", people=people, judges={"j": said[0]}))
    return found


@pytest.mark.requirement("PIL-38")
def test_what_people_would_find_is_covered_by_limits_that_know_the_judges_errors() -> None:
    rng = np.random.default_rng(17)
    rounds, inside, naive_inside = 150, {"Rogan-Gladen": 0, "prediction-powered": 0}, 0
    for _ in range(rounds):
        held = judge_held(_UNDER, _rated(600, rng, right=0.8, labelled=120))
        for share in held.found:
            assert share.lo is not None
            assert share.hi is not None
            assert share.naive is not None
            inside[share.method] += share.lo <= 0.3 + 0.012 and share.hi >= 0.3 - 0.012
            naive_inside += abs(share.naive - 0.3) < 0.05
    # people's own errors of 3 % move what they say by up to 0.012
    assert all(0.93 <= n / rounds <= 0.995 for n in inside.values())
    assert naive_inside / (2 * rounds) < 0.2, "the judge alone is far off"


@pytest.mark.requirement("PIL-38")
@pytest.mark.parametrize(
    ("says", "why"),
    [
        (lambda lost: 0.0 * lost, "is not shown to be above 0"),
        (lambda lost: 1.0 + 0.0 * lost, "is not shown to be above 0"),
        (lambda lost: lost, ""),
    ],
)
def test_a_judge_that_never_finds_anything_fails_however_rare_it_is(says: Any, why: str) -> None:
    rated = [
        RatedOutput(
            unit=f"u{n}",
            arm="a",
            people=dict.fromkeys(("ann", "ben"), float(n % 10 == 0)),
            judges={"j": says(float(n % 10 == 0))},
        )
        for n in range(100)
    ]
    held = judge_held(_UNDER, rated)
    assert held.passed is (not why)
    assert any(why in one for one in held.failed) or not why


def test_one_person_alone_validates_nobody() -> None:
    rng = np.random.default_rng(3)
    rated = _rated(100, rng, right=1.0, labelled=100)
    alone = [
        RatedOutput(unit=o.unit, arm=o.arm, people={"ann": 1.0}, judges=o.judges) for o in rated
    ]
    held = judge_held(_UNDER, alone)
    assert not held.passed
    assert any("no-κ mode" in why for why in held.failed)


def _people(study: Path, n: int, *, wrong: int = 0) -> None:
    """Two people rate the first units of both arms as a careful reader does; some the other way."""
    lines = []
    for arm in ("release-1", "release-2"):
        for trial in trials(study, arm):
            number = int(trial.unit.rpartition("-")[2])
            if number > n or trial.repetition > 1:
                continue
            is_lost = (arm == "release-2" and number % 2 == 0) is not (number <= wrong)
            for rater in ("ann", "ben"):
                line: dict[str, Any] = {"trial": trial.id, "category": "tone_off", "rater": rater}
                line |= {"raw": 2.0 * is_lost}
                if is_lost:
                    line |= {"log": "output", "quote": "refunded"}
                lines.append(json.dumps(line))
    study.joinpath("findings").mkdir()
    study.joinpath("findings", "people.jsonl").write_text("\n".join(lines) + "\n")


def _compared(study: Path) -> dict[str, Any]:
    equipoise("grade", study)
    equipoise("compare", study, code=None)
    (file,) = study.glob("comparisons/*/regressions.json")
    found: dict[str, Any] = json.loads(file.read_bytes())
    return found


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study in which people rated some of what the judge did, and agree with it."""
    study = judged_study(tmp_path_factory.mktemp("held") / "study", units=made_units(36), mde="0.2")
    _people(study, 24)
    _compared(study)
    return study


@pytest.mark.requirement("PIL-33")
def test_a_judge_held_against_people_is_soft_no_more_and_the_page_shows_how(earlier: Path) -> None:
    (file,) = earlier.glob("comparisons/*/regressions.json")
    found = json.loads(file.read_bytes())
    (held,) = found["judges"]
    assert (held["passed"], held["n_people"], held["is_simulated"]) == (True, 2, True)
    assert "[soft]" not in " ".join(found["notes"])
    assert "soft" not in found["tags"]
    page = file.with_name("report").joinpath("index.html").read_text()
    assert "Judges held against people" in page
    assert "What people would find" in page
    assert "[simulated] the judges are stand-ins" in page
    equipoise("verify", earlier)


@pytest.mark.slow
def test_people_who_say_otherwise_keep_it_soft(tmp_path: Path) -> None:
    study = judged_study(tmp_path / "study", units=made_units(36), mde="0.2")
    _people(study, 24, wrong=10)
    found = _compared(study)
    assert not found["judges"][0]["passed"]
    assert any(note.startswith("[soft] judge not validated") for note in found["notes"])


@pytest.mark.requirement("PIL-33")
def test_a_record_of_an_earlier_validation_is_named_checked_and_told(
    earlier: Path, tmp_path: Path
) -> None:
    (file,) = earlier.glob("comparisons/*/regressions.json")
    study = tmp_path / "study"
    study.mkdir()
    shutil.copy(file, study / "earlier.json")
    reader = judge() | {"validation": {"file": "earlier.json"}}
    judged_study(study, reader, units=made_units(6))
    plan = json.loads(study.joinpath("plan.json").read_bytes())
    (planned,) = plan["judges"]["judges"]
    assert planned["validation"]["categories"] == ["tone_off"]
    assert "earlier.json" in study.joinpath("E2E-PLAN.md").read_text()
    found = _compared(study)
    assert "soft" not in found["tags"]
    (told,) = [note for note in found["notes"] if "was validated before" in note]
    assert told.startswith("[simulated] judge reader was validated before, in run ")
    equipoise("verify", study)
    study.joinpath("earlier.json").write_text(file.read_text().replace('"passed": true', ""))
    assert "earlier.json: changed after planning" in equipoise("verify", study, code=1).stdout
    assert "earlier.json was changed" in equipoise("compare", study, code=1).stderr


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"passed": False, "failed": ["it sees nothing"]}, "did not pass there: it sees nothing"),
        ({"model": "gpt-5"}, "holds no judge of model gpt-5-mini-2025-08-07"),
        ({"about_sha256": "0" * 64}, "with the same sentence"),
    ],
)
def test_a_record_that_does_not_speak_for_the_judge_is_refused(
    earlier: Path, tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    (file,) = earlier.glob("comparisons/*/regressions.json")
    record = json.loads(file.read_bytes())
    record["judges"][0] |= changed
    study = tmp_path / "study"
    study.mkdir()
    study.joinpath("earlier.json").write_text(json.dumps(record))
    reader = judge() | {"validation": {"file": "earlier.json"}}
    with pytest.raises(InputError, match=said):
        judged_study(study, reader, units=made_units(6))


@pytest.mark.parametrize(
    ("asked", "change", "said"),
    [
        ({"axis": "style", "categories": ["tone_off"]}, {}, ""),
        ({"axis": "style", "categories": ["tone_off"]}, {"seal": ""}, "its plan was not sealed"),
        ({"axis": "style", "categories": ["other"]}, {}, "model-judged categories of the catalog"),
        ({"axis": "style"}, {}, "and the categories that it speaks for"),
        ({"axis": "tone", "categories": ["tone_off"]}, {}, "one of the axes style"),
    ],
)
def test_a_ranking_speaks_for_the_categories_that_the_plan_names(
    ranking: bytes, tmp_path: Path, asked: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    study.joinpath("ranking.json").write_text(json.dumps(json.loads(ranking) | change))
    reader = judge() | {"validation": {"file": "ranking.json"} | asked}
    if said:
        with pytest.raises(InputError, match=said):
            judged_study(study, reader, units=made_units(6))
        return
    judged_study(study, reader, units=made_units(6))
    plan = study.joinpath("E2E-PLAN.md").read_text()
    assert "in comparing outputs and not in scoring them, on axis style" in plan


@pytest.fixture(scope="module")
def ranking(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The ranking of a study whose judge agrees with people, and is of the reader's model."""
    better = {"base": 0.0, "new": 1.5}
    made = Rated(
        arms=("base", "new"),
        n_units=80,
        size=2,
        plan={"decides": "good", "panel": panel("good")},
    )
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling(better, local=1.0))
    made.judges("good", preferring(better, local=1.0))
    text = pretty(compare(made.write(tmp_path_factory.mktemp("rated") / "study")).ranking).decode()
    assert '"passed": true' in text
    text = text.replace("model of good", "gpt-5-mini-2025-08-07")
    return text.replace('"seal": ""', '"seal": "self-declared 2026-01-01T00:00:00Z"').encode()
