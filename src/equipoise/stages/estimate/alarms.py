"""Signs that the harness or the grading, not the system, made the numbers: told, never mended."""

from collections.abc import Mapping, Sequence

from equipoise.errors import NotEstimable
from equipoise.records.estimate import ArmEstimate, CellKey, CriterionEstimate
from equipoise.records.notice import Notice
from equipoise.records.terms import Terms
from equipoise.stats.contingency import fisher

_ALPHA = 0.05
_LEAST = 5


def missing_alarm(base: ArmEstimate, new: ArmEstimate) -> list[Notice]:
    """Tells when outcomes are missing more often in one arm than chance would have it.

    Fisher's exact test on repetitions with and without outcome. Missing outcomes that depend on
    the arm are no noise: the comparison of what is left is suspect, whatever its interval says.
    """
    sides = [(arm.missing.planned, arm.missing.evaluable) for arm in (base, new)]
    (planned_base, found_base), (planned_new, found_new) = sides
    if planned_base == found_base and planned_new == found_new:
        return []
    try:
        p = fisher(found_new, planned_new - found_new, found_base, planned_base - found_base).p
    except NotEstimable:
        return []
    if p >= _ALPHA:
        return []
    lacking = [f"{1 - found / planned:.1%} of {arm.arm!r}"
               for arm, (planned, found) in zip((base, new), sides, strict=True)]  # fmt: skip
    return [
        Notice(
            code="missing_differs",
            message=f"outcomes are missing in {' and '.join(lacking)} (Fisher's exact p = {p:.2g}):"
            " what is missing depends on the arm, so the comparison is suspect",
        )
    ]


def constant_alarm(estimates: Mapping[CellKey, ArmEstimate]) -> list[Notice]:
    """Tells when the outcome of an arm follows from a label alone: all 0 here, all 1 there.

    A system that always gives the same answer looks like that where the label names the right
    answer; so does a harness that never sees it answer.
    """
    by_label: dict[str, list[ArmEstimate]] = {}
    for key, one in estimates.items():
        if key.label and one.mean is not None and one.n_units >= _LEAST:
            by_label.setdefault(key.label, []).append(one)
    found = []
    for label, cells in by_label.items():
        means = {one.mean for one in cells}
        if means == {0.0, 1.0}:
            zero, full = (
                ", ".join(repr(one.cell.value) for one in cells if one.mean == m) for m in (0, 1)
            )
            found.append(
                Notice(
                    code="constant_by_label",
                    message=f"arm {cells[0].arm!r} has outcome 0 in every unit of {label} = {zero} "
                    f"and 1 in every unit of {label} = {full}: a system or harness that always "
                    "answers the same looks like this; check it before believing the rates",
                )
            )
    return found


def uncounted_alarm(terms: Terms, criteria: Sequence[CriterionEstimate]) -> list[Notice]:
    """Tells which criteria are shown but count for nothing in any verdict."""
    names = sorted({one.criterion for one in criteria})
    if not names:
        return []
    return [
        Notice(
            code="criteria_not_counted",
            message=f"{terms.criterion!r} alone decides; without weight, reported only: "
            f"{', '.join(map(repr, names))}",
            count=len(names),
        )
    ]
