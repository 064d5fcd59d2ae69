"""How often ``equivalent`` is said where the true difference lies at the margin."""

import numpy as np

from benchmarks.certificate.laws import SHAPES, Law, law
from benchmarks.certificate.points import Measure, Point, Task, at_most
from equipoise.stats.guarded import (
    Intervals,
    independent_interval,
    outward_step,
    paired_interval,
    powers_of,
)
from equipoise.stats.inputs import normal_quantile

Z90 = normal_quantile(0.90)
_UNITS = [10, 13, 16, 20, 30, 40, 58, 80, 100, 200, 300, 576]
_BANDS = [0.02, 0.05, 0.1, 0.2]
_BASES = [0.05, 0.15, 0.5, 0.75]
_MOST = 0.05


def tasks(draws: int) -> list[Task]:
    """The work of this part."""
    found = [
        Task(name=f"equivalence pairs {band}", run=_pairs(band), draws=draws) for band in _BANDS
    ]
    return (
        found
        + [
            Task(name=f"equivalence arms {band}", run=_arms(band), draws=draws)
            for band in _BANDS[1:]
        ]
        + [
            Task(name=f"equivalence tasks {runs}", run=_tasks(runs), draws=draws)
            for runs in (3, 10)
        ]
    )


def said_equivalent(limits: Intervals, band: float, n: int, runs: float = 1.0) -> float:
    """The share of limits that lie inside the band, a step further out, as verdicts ask."""
    out = float(outward_step(n, runs=runs))
    return float(np.mean((limits.lo - out > -band) & (limits.hi + out < band)))


def _pairs(band: float) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for one in _at(band):
            for n in _UNITS:
                limits = paired_interval(one.drawn(rng, n, draws), z=Z90)
                said = said_equivalent(limits, band, n)
                found.append(
                    at_most(
                        said,
                        _MOST,
                        section="equivalence",
                        row=f"pairs, {one.name}, true difference = margin {band:g}",
                        column=f"n = {n}",
                    )
                )
        return found

    return run


def _at(band: float) -> list[Law]:
    """Shapes of paired differences whose true mean is the band, on either side of 0."""
    found = [
        law(f"flips, {rest:.0%} both ways", [0, 1, -1], [1 - 2 * rest - band, rest + band, rest])
        for rest in (0.0, 0.02, 0.1, 0.2)
    ]
    found += [
        law(f"catastrophes {share:.0%}, rest {gain:+.3f}", [gain, -1], [1 - share, share])
        for share in (band + 0.01, band + 0.05, 2 * band)
        for gain in ((share - band) / (1 - share),)
    ]
    bell = SHAPES[-1]
    return [*found, _squeezed(bell, band, 1.0), _squeezed(bell, band, 0.4)]


def _squeezed(one: Law, band: float, share: float) -> Law:
    return Law(name=f"{one.name} × {share:g}", values=one.values * share + band, shares=one.shares)


def _arms(band: float) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for base in _BASES:
            one = law("base", [0, 1], [1 - base, base])
            two = law("new", [0, 1], [1 - base - band, base + band])
            for n in _UNITS:
                limits = independent_interval(
                    two.drawn(rng, n, draws), one.drawn(rng, n, draws), z=Z90
                )
                said = said_equivalent(limits, band, n)
                found.append(
                    at_most(
                        said,
                        _MOST,
                        section="equivalence",
                        row=f"0/1 arms, base {base:.0%}, true difference = margin {band:g}",
                        column=f"n = {n}",
                    )
                )
        return found

    return run


def _tasks(runs: int) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for band in _BANDS[2:]:
            for n in (10, 13, 20, 30, 100):
                base = rng.beta(0.7, 0.7, (draws, n)) * (1 - band)
                means = (rng.binomial(runs, base + band) - rng.binomial(runs, base)) / runs
                limits = paired_interval(powers_of(means), z=Z90, runs=float(runs))
                found.append(
                    at_most(
                        said_equivalent(limits, band, n, runs),
                        _MOST,
                        section="equivalence",
                        row=f"tasks × {runs} repetitions, true difference = margin {band:g}",
                        column=f"n = {n}",
                    )
                )
        return found

    return run
