"""Topics on which cells are listed as changed: ``report_rule.*``."""

from typing import Any

import msgspec

from equipoise.cli.topics import Topic
from equipoise.stats.inputs import positive, units
from equipoise.stats.intervals import Moments
from equipoise.stats.reporting import Arm, Row, guarded_rows, listed, literal_row


class Literally(msgspec.Struct):
    """Loss, spread between units and number of units of both arms; the rule."""

    loss_new: float
    stddev_between_new: float
    n_new: float
    loss_base: float
    stddev_between_base: float
    n_base: float
    k: int
    mde: float


class Guarded(Literally):
    """As the literal rule, with the minimum of units and whether the cell was planned."""

    n_min: float = 2
    is_planned: bool = True
    correlation: float = 0.0


class SortRow(msgspec.Struct):
    """A row: id, difference, lower limit, status of its partition."""

    id: str
    ci_low: float
    delta: float = 0.0
    status: str = "scored"


class SortRows(msgspec.Struct):
    """The rows and the margin."""

    mde: float
    rows: list[SortRow]


def _literal(given: Literally) -> dict[str, Any]:
    new = Arm(loss=given.loss_new, sd=given.stddev_between_new, n=given.n_new)
    base = Arm(loss=given.loss_base, sd=given.stddev_between_base, n=given.n_base)
    row = literal_row(new, base, k=given.k, margin=given.mde)
    return {
        "delta": row.delta,
        "se_delta": row.se,
        "z": row.z,
        "ci_low": row.ci_low,
        "ci_high": row.ci_high,
        "report": row.is_listed,
        "degenerate": row.is_degenerate,
    }


def _guarded(given: Guarded) -> dict[str, Any]:
    rows = guarded_rows(
        _moments(given.n_new, given.loss_new, given.stddev_between_new, "new"),
        _moments(given.n_base, given.loss_base, given.stddev_between_base, "base"),
        k=given.k,
        margin=given.mde,
        least_units=given.n_min,
        is_planned=given.is_planned,
        correlation=given.correlation,
    )
    return {
        "delta": rows.delta,
        "se_delta": rows.se,
        "z": rows.z,
        "ci_low": rows.literal_low,
        "ci_high": rows.literal_high,
        "guarded_low": rows.guarded_low,
        "guarded_high": rows.guarded_high,
        "clears_literal": rows.clears_literal,
        "clears_guarded": rows.clears_guarded,
        "has_units": rows.has_units,
        "report": rows.is_listed,
    }


def _moments(n: float, loss: float, sd: float, arm: str) -> Moments:
    size = units(n, f"n_{arm}")
    spread = positive(sd, f"stddev_between_{arm}", zero=True)
    return Moments.of(size, loss, spread**2 * (size - 1))


def _sort(given: SortRows) -> dict[str, Any]:
    rows = [
        Row(id=row.id, delta=row.delta, ci_low=row.ci_low, is_scored=row.status == "scored")
        for row in given.rows
    ]
    return {"listed_ids_in_order": [row.id for row in listed(rows, margin=given.mde)]}


_LITERAL = {
    "delta": "new minus base",
    "se_delta": "standard error",
    "z": "critical value",
    "ci_low": "delta - z se",
    "ci_high": "delta + z se",
    "report": "whether the rule lists the cell",
}

TOPICS = {
    "report_rule.literal": Topic(
        says="The literal report rule for one cell of two independent arms.",
        takes=Literally,
        gives=_LITERAL | {"degenerate": "an arm has a spread of 0: the rule cannot be trusted"},
        compute=_literal,
    ),
    "report_rule.guarded": Topic(
        says="The rule that ships: literal and guarded limit above the margin, enough units.",
        takes=Guarded,
        gives=_LITERAL
        | {
            "guarded_low": "lower limit of MOVER at the same z",
            "guarded_high": "upper limit of MOVER at the same z",
            "clears_literal": "ci_low above the margin",
            "clears_guarded": "guarded_low above the margin",
            "has_units": "both arms have n_min units",
        },
        compute=_guarded,
    ),
    "report_rule.sort": Topic(
        says="The rows to list, in order: lower limit above the margin, scored, surest first.",
        takes=SortRows,
        gives={"listed_ids_in_order": "ids"},
        compute=_sort,
    ),
}
