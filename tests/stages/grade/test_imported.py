"""A grade of frozen logs means the share lost, or says why it means nothing."""

import pytest

from equipoise.records.grade import Evidence, Grade, How
from equipoise.records.plan import Mode
from equipoise.records.terms import Direction
from equipoise.stages.grade.imported import taken_over
from stages.grade.made_catalogs import catalog, category
from stages.grade.made_material import material

PLACE = Evidence(document="0" * 64, start=0, end=4, quote="slow", name="app.log", line=1)


def taken(value: float | None, direction: Direction = Direction.LOWER, **fields: object) -> Grade:
    may_quote = bool(fields.pop("may_quote", True))
    evidence = (PLACE,) if fields.pop("is_quoted", True) else ()
    why = "" if value is not None else "the judge failed"
    held = catalog(category("other", weight=1), category("late", **({"weight": 0.1} | fields)))
    given = Grade(trial="t1", criterion="late", value=value, not_evaluable=why, evidence=evidence)
    made = material({}, may_quote=may_quote)
    return taken_over(given, held.categories[1], made, Mode.B, direction)


@pytest.mark.parametrize(
    ("value", "direction", "lost"),
    [
        (0.25, Direction.LOWER, 0.25),
        (0.25, Direction.HIGHER, 0.75),
        (1.0, Direction.HIGHER, 0.0),
        (None, Direction.HIGHER, None),
    ],
)
def test_the_share_lost_depends_on_what_is_better(
    value: float | None, direction: Direction, lost: float | None
) -> None:
    given = taken(value, direction)
    assert (given.value, given.how) == (lost, How.MEASURED)
    assert given.not_evaluable == ("" if lost is not None else "the judge failed")


@pytest.mark.requirement("E2E-33")
def test_e2e_33_a_lost_value_without_a_quote_is_invalid() -> None:
    assert taken(0.5, is_quoted=False).not_evaluable == "invalid: lost, and no quote shows it"
    assert taken(0.0, is_quoted=False).value == 0.0


@pytest.mark.requirement("E2E-28")
def test_e2e_28_a_judged_category_of_the_logs_is_not_evaluable() -> None:
    given = taken(0.5, type="model_judged")
    assert (given.value, given.evidence, given.how) == (None, (), How.SOFT)
    assert "no unit is known to have been rated twice" in given.not_evaluable


@pytest.mark.requirement("E2E-05")
def test_e2e_05_what_needs_execution_or_a_probe_is_not_evaluable() -> None:
    assert taken(0.5, is_reexecuted=True).not_evaluable.startswith("unbewertbar")
    assert "probe journal" in taken(0.5, needs=["journal"]).not_evaluable


@pytest.mark.requirement("E2E-07")
def test_e2e_07_a_quote_without_permission_is_withheld() -> None:
    given = taken(0.5, may_quote=False)
    assert (given.value, given.evidence) == (0.5, ())
    assert given.note == "quote withheld: app.log:1 bytes 0-4"
