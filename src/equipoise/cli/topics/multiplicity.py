"""Topics on many comparisons at once: ``multiplicity.*``."""

from typing import Any, Literal

import msgspec
import numpy as np

from equipoise.cli.topics import Topic
from equipoise.stats.critical import critical_value
from equipoise.stats.max_t import max_t
from equipoise.stats.multiplicity import adjust


class Cells(msgspec.Struct):
    """The number of compared cells."""

    k: int


class PValues(msgspec.Struct):
    """The p-values of the family."""

    p: list[float]


class UnitByCell(msgspec.Struct):
    """One row a unit with its difference in each cell (null where it has none)."""

    unit_by_cell_differences: list[list[float | None]]
    scaled: bool = False
    side: Literal["two-sided", "greater", "less"] = "two-sided"
    seed: int | None = None
    draws: int = 10_000


def _seed_z(given: Cells) -> dict[str, Any]:
    critical = critical_value(given.k)
    return {
        "z": critical.z,
        "one_sided_p": critical.one_sided_p,
        "fwer_bound_k_times_p": critical.family_error_bound,
    }


def _adjust(given: PValues) -> dict[str, Any]:
    adjusted = adjust(given.p)
    return {
        "bonferroni": adjusted.bonferroni,
        "holm": adjusted.holm,
        "hochberg": adjusted.hochberg,
        "BH": adjusted.bh,
        "BY": adjusted.by,
    }


def _max_t(given: UnitByCell) -> dict[str, Any]:
    rows = [
        [float("nan") if value is None else value for value in row]
        for row in given.unit_by_cell_differences
    ]
    rng = None if given.seed is None else np.random.default_rng(given.seed)
    found = max_t(rows, side=given.side, scaled=given.scaled, rng=rng, draws=given.draws)
    return {
        "raw_p": found.raw,
        "single_step_max_adjusted_p": found.single_step,
        "step_down_max_adjusted_p": found.step_down,
        "smallest_p": found.smallest_p,
        "patterns": found.patterns,
        "exact": found.is_exact,
        "n": found.n,
        "method": found.method,
    }


TOPICS = {
    "multiplicity.seed_z": Topic(
        says="The critical value z = 2 + ln(k)/2 of the report rule and its error rates.",
        takes=Cells,
        gives={
            "z": "critical value",
            "one_sided_p": "chance that one cell at the margin is listed",
            "fwer_bound_k_times_p": "k times that, at most 1",
        },
        compute=_seed_z,
    ),
    "multiplicity.adjust": Topic(
        says="Adjusted p-values of a family, in the order given.",
        takes=PValues,
        gives={
            "bonferroni": "family-wise, any dependence",
            "holm": "family-wise, any dependence",
            "hochberg": "family-wise, positive dependence",
            "BH": "false discovery rate, positive dependence",
            "BY": "false discovery rate, any dependence",
        },
        compute=_adjust,
    ),
    "multiplicity.max_t": Topic(
        says="Family-wise adjusted p-values by flipping the signs of whole units.",
        takes=UnitByCell,
        gives={
            "raw_p": "p-value of each cell alone",
            "single_step_max_adjusted_p": "adjusted by the largest statistic of all cells",
            "step_down_max_adjusted_p": "adjusted step by step",
            "smallest_p": "the smallest p that could have come out",
            "patterns": "sign patterns used",
            "exact": "whether these were all",
            "n": "units",
            "method": "name of the method",
        },
        compute=_max_t,
    ),
}
