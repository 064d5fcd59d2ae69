"""The family of comparisons and the critical value its multiplicity rule gives."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
from scipy.special import ndtr, ndtri

from equipoise.errors import InputError
from equipoise.records.estimate import CellKey
from equipoise.records.terms import Rule, Terms
from equipoise.stages.estimate.moments import cell_keys, total
from equipoise.stages.estimate.pair_moments import pair_groups
from equipoise.stages.estimate.unit_sets import pair_table
from equipoise.stages.estimate.units import SCALE
from equipoise.stats.guarded_test import largest_critical

_DRAWS = 100_000


_MOST = 1_000_000
"""More comparisons than anyone plans; beyond it only a slip or an attack asks for so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family: how many comparisons, and the level each interval of it is printed at.

    `level` and `critical_z` are null under Holm and Benjamini-Hochberg, which give decisions but
    no matching intervals.
    """

    size: int
    level: float | None
    critical_z: float | None


def headline_family(terms: Terms) -> Family:
    """Gives the family of the whole-set comparisons: one per arm, Bonferroni."""
    return _bonferroni(len(terms.arms), terms.level)


def cell_family(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    cells: Mapping[tuple[int, CellKey], float],
    paired: dict[int, int],
) -> Family:
    """Gives the family of the partition cells.

    Args:
        con: holds the tables of pairs.
        terms: rule, level, and the planned family size if it was fixed beforehand.
        cells: (index of the arm, cell) -> mean difference, of every comparison to be made.
        paired: index of each arm that is paired with the baseline -> index of the baseline.

    Raises:
        InputError: fewer comparisons were planned than the data holds.
    """
    k = terms.family_size if terms.family_size is not None else len(cells)
    if k > _MOST:
        raise InputError(
            f"a family of {k} comparisons", wanted=f"at most {_MOST}", code="family_too_large"
        )
    if k < len(cells):
        raise InputError(
            f"the family was planned with {k} comparisons, the data holds {len(cells)}",
            wanted="the planned list to cover every comparison made",
            mend="compare fewer partitions, or plan a larger family",
            code="family_too_small",
        )
    if k == 0:
        return Family(size=0, level=terms.level, critical_z=float(ndtri(0.5 + terms.level / 2)))
    if terms.rule is Rule.SEED:
        z = 2 + math.log(k) / 2
        return Family(size=k, level=2 * float(ndtr(z)) - 1, critical_z=z)
    if terms.rule in (Rule.HOLM, Rule.BH):
        return Family(size=k, level=None, critical_z=None)
    if terms.rule is Rule.MAX_T and k == len(cells) and {i for i, _ in cells} <= set(paired):
        return _max_t(con, terms, cells, paired)
    return _bonferroni(k, terms.level)


def _bonferroni(k: int, level: float) -> Family:
    adjusted = 1 - (1 - level) / max(k, 1)
    return Family(size=k, level=adjusted, critical_z=float(ndtri(0.5 + adjusted / 2)))


def _max_t(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    cells: Mapping[tuple[int, CellKey], float],
    paired: dict[int, int],
) -> Family:
    """Gives the family with the critical value of max |T| over correlated cells.

    Cells that share no unit and no arm are independent: the value is then Sidak's, in closed
    form. Otherwise it is the quantile of max |Z| under the correlation of the cells' mean
    differences, by simulation, rounded up to 0.001 (Hothorn, Bretz and Westfall 2008, section 3);
    never above Bonferroni's.
    """
    bonferroni = _bonferroni(len(cells), terms.level)
    if len(terms.partitions) == 1 and len(paired) == 1:
        adjusted = terms.level ** (1 / len(cells))
        return Family(size=len(cells), level=adjusted, critical_z=float(ndtri(0.5 + adjusted / 2)))
    correlation = _correlation(con, terms, cells, paired)
    rng = np.random.default_rng(terms.seed)
    z = largest_critical(correlation, level=terms.level, rng=rng, draws=_DRAWS)
    assert bonferroni.critical_z is not None
    if z >= bonferroni.critical_z:
        return bonferroni
    return Family(size=len(cells), level=2 * float(ndtr(z)) - 1, critical_z=z)


def _correlation(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    cells: Mapping[tuple[int, CellKey], float],
    paired: dict[int, int],
) -> np.ndarray:
    """Gives the correlation of the cells' mean differences, shape (cells, cells)."""
    place = {cell: i for i, cell in enumerate(cells)}
    deltas = list(cells.values())
    covariance = np.zeros((len(cells), len(cells)))
    keys = [k for k in cell_keys(terms) if k[0]]
    for first, second in _pairs_of_arms(paired):
        joined = _joined((paired[first], first), (paired[second], second))
        for label_a, column_a in keys:
            for label_b, column_b in keys:
                rows = con.execute(
                    f"SELECT a.{column_a}, b.{column_b}, sum(m), {total('a.d')}, "
                    f"{total('b.d')}, {total('a.d * b.d')} "
                    f"FROM {joined} GROUP BY ALL ORDER BY ALL"
                ).fetchall()
                for value_a, value_b, *sums in rows:
                    i = place.get((first, CellKey(label=label_a, value=str(value_a))))
                    j = place.get((second, CellKey(label=label_b, value=str(value_b))))
                    if i is not None and j is not None:
                        covariance[i, j] = covariance[j, i] = _shared(sums, deltas[i], deltas[j])
    spread = np.sqrt(np.diag(covariance))
    safe = np.where(spread > 0, spread, 1.0)
    correlation = covariance / safe[:, None] / safe[None, :]
    np.fill_diagonal(correlation, 1.0)
    return np.clip(correlation, -1.0, 1.0)


def _joined(first: tuple[int, int], second: tuple[int, int]) -> str:
    """Gives SQL for units of two comparisons as `a` and `b` with weight `m`; no self-join."""
    if first == second:
        return f"(SELECT x AS a, x AS b, m FROM {pair_groups(*first)} x)"
    return (
        f"(SELECT a, b, 1 AS m FROM (SELECT * FROM {pair_table(*first)} WHERE d IS NOT NULL) a "
        f"JOIN (SELECT * FROM {pair_table(*second)} WHERE d IS NOT NULL) b USING (unit))"
    )


def _pairs_of_arms(paired: dict[int, int]) -> list[tuple[int, int]]:
    arms = sorted(paired)
    return [(a, b) for i, a in enumerate(arms) for b in arms[i:]]


def _shared(sums: list[int], delta_a: float, delta_b: float) -> float:
    """Gives the centred cross-product of two cells' differences over their shared units."""
    n, total_a, total_b, cross = sums[0], *(value / SCALE for value in sums[1:])
    return cross - delta_a * total_b - delta_b * total_a + n * delta_a * delta_b
