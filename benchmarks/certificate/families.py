"""Family-wise error and false discovery of every multiplicity rule, cells correlated or not."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binom

from benchmarks.certificate.points import Measure, Point, Task, at_most
from equipoise.stats.critical import critical_value
from equipoise.stats.guarded import (
    Powers,
    independent_interval,
    independent_tails,
    paired_interval,
    paired_tails,
    powers_from_sums,
    powers_of,
)
from equipoise.stats.guarded_reach import Tails
from equipoise.stats.guarded_test import largest_critical, touching_p
from equipoise.stats.inputs import normal_quantile
from equipoise.stats.multiplicity import adjust

FloatArray = NDArray[np.float64]

_SIZES = [1, 10, 50, 200]
_CORRELATIONS = [0.0, 0.3, 0.6, 0.9]
_MOST = 0.05
_BLOCK = 250_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Suites:
    """Cells of many suites, shape (suites, cells): limits at any z, literal limits, tails.

    `values`, shape (suites, cells, units), where the cells share their units.
    """

    delta: FloatArray
    error: FloatArray
    tails: Tails
    limits: Callable[[float | FloatArray], tuple[FloatArray, FloatArray]]
    values: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A world in which every true difference is ``margin``; ``lift`` adds to chosen cells."""

    name: str
    margin: float
    drawn: Callable[[np.random.Generator, tuple[int, int], float, FloatArray], Suites]


def tasks(draws: int) -> list[Task]:
    """The work of this part; ``draws`` suites each."""
    return (
        [
            Task(name=f"family {world.name} {k} {rho}", run=_family(world, k, rho), draws=draws)
            for world in _WORLDS
            for k in _SIZES
            for rho in (_CORRELATIONS if k > 1 else _CORRELATIONS[:1])
        ]
        + [
            Task(
                name=f"mixed {world.name} {k} {rho}",
                run=_mixed(world, k, rho),
                draws=max(draws // 5, 100),
            )
            for world in _WORLDS[:2]
            for k in (10, 50, 200)
            for rho in (0.0, 0.6)
        ]
        + [
            Task(
                name=f"all null {world.name} {k} {rho}",
                run=_all_null(world, k, rho),
                draws=max(draws // 10, 100),
            )
            for world in _WORLDS
            for k in (10, 50)
            for rho in (0.0, 0.6)
        ]
        + [
            Task(
                name=f"estimated {k} {rho}",
                run=_estimated(k, rho),
                draws=max(draws // 5, 100),
            )
            for k in (10, 50)
            for rho in (0.0, 0.6, 0.9)
        ]
    )


def _family(world: World, k: int, rho: float) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        criticals = _criticals(rng, k, rho)
        errors = dict.fromkeys(criticals, 0)
        for suites in _blocks(draws, k):
            found = world.drawn(rng, (suites, k), rho, np.zeros(k))
            for rule, z in criticals.items():
                errors[rule] += int(_is_false(found, world.margin, rule, z).any(axis=1).sum())
        return [
            at_most(
                count / draws,
                _MOST,
                section="family-wise error",
                row=f"{world.name}, k = {k}, rho = {rho:g}",
                column=rule,
            )
            for rule, count in errors.items()
        ]

    return run


def _criticals(rng: np.random.Generator, k: int, rho: float) -> dict[str, float]:
    """The critical value of each rule that has one, max-T's under the true correlation."""
    correlation = np.full((k, k), rho) + (1 - rho) * np.eye(k)
    return {
        "seed z, guarded": critical_value(k).z,
        "Bonferroni": normal_quantile(1 - 0.05 / k),
        "max-T": min(
            largest_critical(correlation, level=0.95, rng=rng, draws=20_000),
            normal_quantile(1 - 0.05 / k),
        ),
    }


def _is_false(found: Suites, margin: float, rule: str, z: float) -> NDArray[np.bool_]:
    """Cells called though their true difference is the margin (either way where that is 0)."""
    lo, hi = found.limits(z)
    if rule.startswith("seed"):
        literal = z * found.error
        lo, hi = np.minimum(lo, found.delta - literal), np.maximum(hi, found.delta + literal)
    return (lo > margin) | (hi < -margin)


def _mixed(world: World, k: int, rho: float) -> Measure:
    """One cell in ten truly lies 0.25 above the margin; Holm's and BH's errors among the rest."""

    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        lifted = np.zeros(k)
        lifted[: max(1, k // 10)] = 0.25
        is_null = lifted == 0.0
        holm, share = 0, 0.0
        for suites in _blocks(draws, k):
            found = world.drawn(rng, (suites, k), rho, lifted)
            p = touching_p(found.tails, found.delta, margin=world.margin)
            for row in p:
                adjusted = adjust(row)
                holm += bool((adjusted.holm[is_null] <= _MOST).any())
                called = adjusted.bh <= _MOST
                share += float((called & is_null).sum()) / max(int(called.sum()), 1)
        row_name = f"{world.name}, k = {k}, rho = {rho:g}, a tenth truly lifted"
        given = {"section": "family-wise error", "row": row_name}
        return [
            at_most(holm / draws, _MOST, column="Holm", **given),
            at_most(share / draws, _MOST, column="BH (share of false lines)", **given),
        ]

    return run


def _all_null(world: World, k: int, rho: float) -> Measure:
    """No cell is truly lifted: any call of Holm or BH is an error of the whole family."""

    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        errors = {"Holm": 0, "BH (any call)": 0}
        for suites in _blocks(draws, k):
            found = world.drawn(rng, (suites, k), rho, np.zeros(k))
            p = touching_p(found.tails, found.delta, margin=world.margin)
            for row in p:
                adjusted = adjust(row)
                errors["Holm"] += bool((adjusted.holm <= _MOST).any())
                errors["BH (any call)"] += bool((adjusted.bh <= _MOST).any())
        row_name = f"{world.name}, k = {k}, rho = {rho:g}, all null"
        given = {"section": "family-wise error", "row": row_name}
        return [
            at_most(count / draws, _MOST, column=rule, **given) for rule, count in errors.items()
        ]

    return run


def _estimated(k: int, rho: float) -> Measure:
    """Max-T as the product takes it: under the correlation that the cells' own units show."""
    world = _WORLDS[0]

    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        errors, most = 0, normal_quantile(1 - 0.05 / k)
        for suites in _blocks(draws, k):
            found = world.drawn(rng, (suites, k), rho, np.zeros(k))
            assert found.values is not None
            criticals = np.array(
                [
                    min(largest_critical(np.corrcoef(v), level=0.95, rng=rng, draws=5_000), most)
                    for v in found.values
                ]
            )
            lo, hi = found.limits(criticals[:, None])
            errors += int(((lo > world.margin) | (hi < -world.margin)).any(axis=1).sum())
        row_name = f"{world.name}, k = {k}, rho = {rho:g}, correlation estimated"
        return [
            at_most(
                errors / draws, _MOST, section="family-wise error", row=row_name, column="max-T"
            )
        ]

    return run


def _blocks(draws: int, k: int) -> list[int]:
    size = max(1, _BLOCK // (k * 10))
    return [min(size, draws - start) for start in range(0, draws, size)]


def _graded(margin: float) -> Callable[..., Suites]:
    """Paired graded differences of 40 units shared by all cells, bell noise cut at ±0.5."""

    def drawn(
        rng: np.random.Generator, shape: tuple[int, int], rho: float, lift: FloatArray
    ) -> Suites:
        suites, k = shape
        common = rng.standard_normal((suites, 1, 40)) * math.sqrt(rho)
        noise = common + rng.standard_normal((suites, k, 40)) * math.sqrt(1 - rho)
        values = np.clip(0.2 * noise, -0.5, 0.5) + margin + lift[:, None]
        sample = powers_of(values)
        return replace(_paired(replace(sample, n=sample.n[:1, :1])), values=values)

    return drawn


def _flipped(margin: float) -> Callable[..., Suites]:
    """Paired 0/1 outcomes of 100 units: 5 % fall, 5 % + margin rise; cells correlate as counts."""

    def drawn(
        rng: np.random.Generator, shape: tuple[int, int], rho: float, lift: FloatArray
    ) -> Suites:
        n, fall = 100, 0.05
        down = _counts(rng, shape, rho, n, np.full(shape[1], fall))
        up = np.minimum(_counts(rng, shape, rho, n, fall + margin + lift), n - down)
        sums = (up - down, up + down, up - down, up + down)
        return _paired(powers_from_sums(np.full((1, 1), float(n)), sums))

    return drawn


def _apart(base_n: int, new_n: int, base: float, margin: float) -> Callable[..., Suites]:
    """Independent 0/1 arms of unequal size with rare losses: the base is often all zero."""

    def drawn(
        rng: np.random.Generator, shape: tuple[int, int], rho: float, lift: FloatArray
    ) -> Suites:
        old = _counts(rng, shape, rho, base_n, np.full(shape[1], base))
        new = _counts(rng, shape, rho, new_n, base + margin + lift)
        one = powers_from_sums(np.full((1, 1), float(base_n)), (old, old, old, old))
        two = powers_from_sums(np.full((1, 1), float(new_n)), (new, new, new, new))

        def limits(z: float | FloatArray) -> tuple[FloatArray, FloatArray]:
            found = independent_interval(two, one, z=z)
            return found.lo, found.hi

        variance = one.squares / (base_n - 1) / base_n + two.squares / (new_n - 1) / new_n
        return Suites(
            delta=two.mean - one.mean,
            error=np.sqrt(variance),
            tails=independent_tails(two, one),
            limits=limits,
        )

    return drawn


def _paired(sample: Powers) -> Suites:
    def limits(z: float | FloatArray) -> tuple[FloatArray, FloatArray]:
        found = paired_interval(sample, z=z)
        return found.lo, found.hi

    return Suites(
        delta=sample.mean,
        error=np.sqrt(sample.squares / (sample.n - 1) / sample.n),
        tails=paired_tails(sample),
        limits=limits,
    )


def _counts(
    rng: np.random.Generator, shape: tuple[int, int], rho: float, n: int, shares: FloatArray
) -> FloatArray:
    """Binomial counts whose cells correlate through a common normal factor within a suite."""
    common = rng.standard_normal((shape[0], 1)) * math.sqrt(rho)
    level = ndtr(common + rng.standard_normal(shape) * math.sqrt(1 - rho))
    counts = np.empty(shape)
    for share in np.unique(shares):
        steps = binom.cdf(np.arange(n + 1), n, share)
        chosen = shares == share
        counts[:, chosen] = np.searchsorted(steps, level[:, chosen], side="left")
    return np.minimum(counts, float(n))


_WORLDS = [
    World(name="graded pairs, n = 40, margin 0.05", margin=0.05, drawn=_graded(0.05)),
    World(name="0/1 pairs, n = 100, margin 0.05", margin=0.05, drawn=_flipped(0.05)),
    World(name="graded pairs, n = 40, margin 0", margin=0.0, drawn=_graded(0.0)),
    *(
        World(
            name=f"arms {n} / 2,000, base loss {base:.0%}, margin {margin:g}",
            margin=margin,
            drawn=_apart(n, 2000, base, margin),
        )
        for n, base, margin in (
            (16, 0.05, 0.05),
            (30, 0.05, 0.05),
            (58, 0.05, 0.05),
            (58, 0.02, 0.05),
            (16, 0.02, 0.0),
            (58, 0.02, 0.0),
        )
    ),
    World(
        name="arms 576 / 576, base loss 15%, margin 0.05",
        margin=0.05,
        drawn=_apart(576, 576, 0.15, 0.05),
    ),
]
