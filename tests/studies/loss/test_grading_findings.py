"""What reviewers and model judges find: quoted, doubly rated, weighed by the catalog alone."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from equipoise.errors import InputError
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.event import Rating
from equipoise.records.grade import How
from equipoise.records.trial import Trial
from studies.loss.executed import archive_of, executed_study, grade, grades, trials
from studies.loss.made_study import unit_line
from studies.loss.runs import equipoise
from studies.loss.test_grading import WRONG

TONE = {"id": "tone_off", "weight": 0.1, "type": "model_judged", "max": 2}
SEEN = {"id": "rude", "weight": 0.1, "type": "deterministic", "max": 1}
CATALOG: dict[str, Any] = {"version": "v1", "categories": [WRONG, TONE, SEEN]}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return executed_study(tmp_path / "study", catalog=CATALOG)


def finding(about: Trial, raw: float = 1, rater: str = "ada", **fields: Any) -> dict[str, Any]:
    """A finding about a trial of `executed.answered`, quoted from the first line of its output."""
    said = {"log": "output", "line": 1, "quote": f"{about.unit}: refunded"} if raw else {}
    whole = {"trial": about.id, "category": "tone_off", "raw": raw, "rater": rater} | said
    return {key: value for key, value in (whole | fields).items() if value is not None}


def write(study: Path, findings: Iterable[Any], name: str = "ada.jsonl") -> None:
    folder = study / "findings"
    folder.mkdir(exist_ok=True)
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in findings)
    folder.joinpath(name).write_text(text, encoding="utf-8")


def twice(study: Path, arm: str = "release-1", raw: float = 1) -> list[dict[str, Any]]:
    """Everything of an arm rated by two raters."""
    return [finding(t, raw, rater) for t in trials(study, arm) for rater in ("ada", "bob")]


def test_the_mean_of_the_raters_is_the_grade_and_every_rating_is_kept(study: Path) -> None:
    first = trials(study, "release-1")[0]
    write(study, [finding(first, 2), finding(first, 0, "bob"), finding(first, 1, "eve")])
    grade(study)
    given = grades(study, "release-1", "v1:tone_off")[first.id]
    assert (given.value, given.how, given.by) == (0.5, How.SOFT, "rater:ada,bob,eve")
    assert [place.quote for place in given.evidence] == [f"{first.unit}: refunded"]
    kept = list(archive_of(study, "release-1").read(Rating))
    assert [(r.criterion, r.rater, r.value, r.source) for r in kept] == [
        ("v1:tone_off", "ada", 1.0, "findings/ada.jsonl:1"),
        ("v1:tone_off", "bob", 0.0, "findings/ada.jsonl:2"),
        ("v1:tone_off", "eve", 0.5, "findings/ada.jsonl:3"),
    ]
    assert grades(study, "release-1", "v1:loss")[first.id].how is How.SOFT
    archive = archive_of(study, "release-1")
    assert [fault for fault in verify_archive(archive.path) if not fault.is_note] == []


def test_a_trial_nobody_looked_at_is_not_evaluable(study: Path) -> None:
    write(study, twice(study)[:2])
    told = grade(study)["release-1"].categories["tone_off"]
    assert told.n_values == 1
    assert told.why == {"no rater has looked at it": len(trials(study, "release-1")) - 1}


def test_what_was_looked_at_and_is_fine_counts_as_zero(study: Path) -> None:
    write(study, twice(study, raw=0))
    told = grade(study)["release-1"].categories["tone_off"]
    assert (told.mean, told.n_values) == (0.0, len(trials(study, "release-1")))


@pytest.mark.requirement("E2E-28")
@pytest.mark.parametrize(("n_doubly", "is_enough"), [(19, False), (20, True)])
def test_e2e_28_below_a_fifth_of_doubly_rated_units_the_category_is_not_evaluable(
    tmp_path: Path, n_doubly: int, *, is_enough: bool
) -> None:
    units = [unit_line(k, intent="refund", kind="deterministic") for k in range(1, 96)]
    units += [unit_line(k, intent="invoice", kind="deterministic") for k in range(1, 6)]
    study = executed_study(tmp_path / "study", catalog=CATALOG, units=units, mde="0.1")
    everything = trials(study, "release-1")
    assert len(everything) == 100
    write(study, [finding(one) for one in everything])
    write(study, [finding(one, rater="bob") for one in everything[:n_doubly]], "bob.jsonl")
    told = grade(study)["release-1"]
    tally = told.categories["tone_off"]
    assert told.shares["tone_off"].startswith(f"{n_doubly} of 100 rated units ({n_doubly} %)")
    if is_enough:
        assert (tally.n_values, tally.mean) == (100, 0.5)
        assert told.notices == ()
    else:
        assert tally.n_values == 0
        assert all(why.startswith("unbewertbar: 19 of 100") for why in tally.why)
        assert told.notices[0].code == "double_rating"
    assert told.categories["loss"].n_values == 100


def test_the_same_rater_twice_is_no_double_rating(study: Path) -> None:
    first = trials(study, "release-1")[0]
    write(study, [finding(first), finding(first)])
    with pytest.raises(InputError, match=r"findings/ada\.jsonl:2: rater 'ada' has said this"):
        grade(study)


@pytest.mark.requirement("E2E-33")
@pytest.mark.parametrize(
    "wrong",
    [
        {"quote": "never said"},
        {"line": 2},
        {"line": 99},
        {"log": "desk.jsonl"},
        {"log": "nowhere.log"},
        {"quote": "Refunded"},
    ],
)
def test_e2e_33_a_quote_that_does_not_stand_is_invalid_and_does_not_count(
    study: Path, wrong: dict[str, Any]
) -> None:
    first = trials(study, "release-1")[0]
    write(study, [finding(first, 2, **wrong), finding(first, 0, "bob")])
    told = grade(study)["release-1"]
    assert grades(study, "release-1", "v1:tone_off")[first.id].value is None
    assert [r.rater for r in archive_of(study, "release-1").read(Rating)] == ["bob"]
    (notice, *_) = told.notices
    assert (notice.code, notice.where) == ("invalid_finding", "findings/ada.jsonl:1")
    assert "does not stand in" in notice.message


@pytest.mark.requirement("E2E-33")
def test_e2e_33_the_only_finding_being_invalid_is_no_loss(study: Path) -> None:
    first = trials(study, "release-1")[0]
    write(study, [finding(first, category="rude", quote="never said")])
    grade(study)
    given = grades(study, "release-1", "v1:rude")[first.id]
    assert (given.value, given.evidence) == (None, ())
    assert given.not_evaluable.startswith("invalid: the quote of ada does not stand in output:1")
    assert grades(study, "release-1", "v1:loss")[first.id].value == 0.0


@pytest.mark.requirement("E2E-34")
def test_e2e_34_a_finding_with_a_weight_is_refused_and_nothing_is_graded(study: Path) -> None:
    write(study, [finding(trials(study, "release-1")[0], weight=0.9)])
    done = equipoise("grade", study, code=2)
    assert "findings/ada.jsonl:1: a field 'weight'" in done.stderr
    assert grades(study, "release-1", "v1:loss") == {}


@pytest.mark.requirement("E2E-34")
def test_e2e_34_the_weights_of_the_loss_are_those_of_the_catalog(study: Path) -> None:
    write(study, [*twice(study, raw=2), *(f | {"category": "rude"} for f in twice(study, raw=1))])
    grade(study)
    for loss in grades(study, "release-1", "v1:loss").values():
        assert loss.value == pytest.approx((0.1 + 0.1) / 0.5)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("no json", "no JSON"),
        ("[1]", "no JSON object"),
        ({"category": "tone_of"}, "no category 'tone_of'; did you mean 'tone_off'?"),
        ({"category": "wrong_amount"}, "is found by its check, not by reviewers"),
        ({"raw": -1}, "raw is -1; wanted a number, 0 or more"),
        ({"raw": True}, "raw is True"),
        ({"raw": None}, "raw is missing"),
        ({"quote": None}, "quote is missing: a finding is quoted"),
        ({"rater": ""}, "rater is empty"),
        ({"line": 0}, "line is below 1"),
        ({"trial": "ffff"}, "no trial 'ffff' in the study's archives"),
        ({"unit": "refund-1"}, "wanted one of trial, or unit with its repetition"),
        ({"trial": None, "unit": "refund-1"}, "which arm? wanted arm, one of release-1, release-2"),
        ({"trial": None, "unit": "refund-99", "arm": "release-1"}, "no trial of unit 'refund-99'"),
        ({"qoute": "x"}, "no field 'qoute'; did you mean 'quote'"),
        ({"tokens": 1523}, "a field 'tokens': a rater says how good an output is"),
    ],
)
def test_a_line_that_is_no_finding_is_named_with_its_place(
    study: Path, line: str | dict[str, Any], part: str
) -> None:
    first = trials(study, "release-1")[0]
    write(study, ["", line if isinstance(line, str) else finding(first, **line)])
    with pytest.raises(InputError) as caught:
        grade(study)
    assert "findings/ada.jsonl:2: " in str(caught.value)
    assert part in str(caught.value)


def test_a_finding_may_name_unit_repetition_and_arm(study: Path) -> None:
    third = next(t for t in trials(study, "release-2") if (t.unit, t.repetition) == ("refund-2", 3))
    named: dict[str, Any] = {"trial": None, "unit": "refund-2", "repetition": 3, "arm": "release-2"}
    write(study, [finding(third, rater=rater, **named) for rater in ("ada", "bob")])
    grade(study)
    graded = grades(study, "release-2", "v1:tone_off")
    assert {trial for trial, one in graded.items() if one.value is not None} == {third.id}


def test_findings_that_come_later_take_the_place_of_no_finding(study: Path) -> None:
    grade(study)
    before = grades(study, "release-1", "v1:loss")
    head = archive_of(study, "release-1").head
    write(study, twice(study, raw=2))
    told = grade(study)
    assert told["release-1"].n_new == len(before)
    assert told["release-2"].n_new == 0
    after = grades(study, "release-1", "v1:loss")
    assert {one.value for one in before.values()} == {0.0}
    assert {round(one.value or 0, 9) for one in after.values()} == {0.25}
    assert {one.round for one in after.values()} == {1}
    archive = archive_of(study, "release-1")
    assert archive.head != head
    columns = archive.columns()
    assert columns.facts.n_grades_repeated == 0
    assert grade(study)["release-1"].n_new == 0
    assert [fault for fault in verify_archive(archive.path) if not fault.is_note] == []


def test_the_columns_hold_the_grade_of_the_last_round(study: Path) -> None:
    grade(study)
    write(study, twice(study, raw=2))
    grade(study)
    columns = archive_of(study, "release-1").columns()
    with duckdb.connect() as database:
        values = database.execute(
            'SELECT DISTINCT "value:v1:tone_off", round("value:v1:loss", 9) FROM read_parquet(?)',
            [str(columns.results)],
        ).fetchall()
    assert values == [(1.0, 0.25)]


def test_a_rating_that_was_recorded_is_never_altered(study: Path) -> None:
    write(study, twice(study, raw=2))
    grade(study)
    head = archive_of(study, "release-1").head
    write(study, twice(study, raw=1))
    with pytest.raises(InputError, match=r"rater 'ada' gave 1 before and now 0\.5"):
        grade(study)
    assert archive_of(study, "release-1").head == head


@pytest.mark.requirement("E2E-07")
def test_e2e_07_a_rater_may_not_quote_either_where_the_unit_may_not_be_quoted(
    tmp_path: Path,
) -> None:
    held = {"retention_until": "2027-01-01", "may_quote": False}
    units = [unit_line(k, intent=i, **held) for i in ("refund", "invoice") for k in range(1, 4)]
    study = executed_study(tmp_path / "study", catalog=CATALOG, units=units, provenance="korpus")
    write(study, twice(study, raw=1))
    grade(study)
    for name in ("v1:tone_off", "v1:loss", "v1:wrong_amount"):
        for one in grades(study, "release-1", name).values():
            assert one.evidence == ()
    first = next(iter(grades(study, "release-1", "v1:tone_off").values()))
    assert first.value == 0.5
    assert first.note.startswith("quote withheld: output:1 bytes 0-")
