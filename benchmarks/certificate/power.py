"""Whether printed power is the power one gets, and whether "so many more units" would tell."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.certificate.equivalence import said_equivalent
from benchmarks.certificate.laws import LOSSES, Law, law
from benchmarks.certificate.points import Measure, Point, Task, at_least, between
from equipoise.stats.critical import critical_value
from equipoise.stats.guarded import (
    Powers,
    independent_interval,
    independent_tails,
    outward_step,
    paired_interval,
    paired_tails,
)
from equipoise.stats.guarded_planning import (
    multiple_to_equate,
    multiple_to_show,
    reportable_change,
)
from equipoise.stats.inputs import normal_quantile

FloatArray = NDArray[np.float64]

_MARGIN = 0.05
_HUGE = 0.35
_PILOT = 100
_UNITS = [100, 200, 300, 576]
_RULES = {"z = 1.96, margin 0": (normal_quantile(0.95), 0.0)} | {
    f"seed rule k = {k}, margin 0.05": (critical_value(k).z, _MARGIN) for k in (1, 10, 200)
}
_BASES = [LOSSES[0], LOSSES[1], LOSSES[4], LOSSES[5], LOSSES[7], LOSSES[8], LOSSES[9]]
_BELL = law(
    "bell, sd 0.3",
    list(np.linspace(-0.9, 0.9, 37)),
    list(np.exp(-(np.linspace(-3, 3, 37) ** 2) / 2)),
)
_NOISES = [
    _BELL,
    law("flips 10 % / 10 %", [0, 1, -1], [0.8, 0.1, 0.1]),
    law("flips 5 % / 5 %", [0, 1, -1], [0.9, 0.05, 0.05]),
    law("graded, 30 % change", [0, -0.5, -0.25, 0.25, 0.5], [0.7, 0.075, 0.075, 0.075, 0.075]),
]


def tasks(draws: int) -> list[Task]:
    """The work of this part."""
    return [
        *(Task(name=f"power arms {one.name}", run=_arms(one), draws=draws) for one in _BASES),
        *(Task(name=f"power pairs {one.name}", run=_pairs(one), draws=draws) for one in _NOISES),
        *(Task(name=f"units pairs {one.name}", run=_units(one), draws=draws) for one in _NOISES),
        *(
            Task(name=f"units arms {one.name}", run=_units_arms(one), draws=draws)
            for one in _BASES[:5]
        ),
    ]


def _arms(base: Law) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for rule, (z, margin) in _RULES.items():
            for n in _UNITS:
                new, change = _hypothesised(base, n, z, margin)
                if change > 0.9 * (1 - base.mean):
                    continue
                one, two = base.drawn(rng, n, draws), new.drawn(rng, n, draws)
                limits = independent_interval(two, one, z=z)
                called = limits.lo > margin
                if margin > 0:
                    error = np.sqrt((one.squares + two.squares) / (n - 1) / n)
                    called &= two.mean - one.mean - z * error > margin
                found.append(
                    _power_point(
                        float(np.mean(called)), f"independent, {base.name}, {rule}", n, change
                    )
                )
        return found

    return run


def _hypothesised(base: Law, n: int, z: float, margin: float) -> tuple[Law, float]:
    """The law of the new arm at the change that is printed for it (a fixed point)."""
    change = margin
    for _ in range(60):
        new = base.raised(change / (1 - base.mean))
        tails = independent_tails(new.expected(n), base.expected(n))
        change = min(
            float(
                reportable_change(
                    tails, margin=margin, z=z, is_literal_too=margin > 0, direction="up"
                )[0]
            ),
            0.99 * (1 - base.mean),
        )
    return base.raised(change / (1 - base.mean)), change


def _pairs(noise: Law) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for rule, (z, margin) in _RULES.items():
            for n in _UNITS:
                change = margin
                for _ in range(60):
                    tails = paired_tails(_changed(noise, change).expected(n))
                    change = min(
                        float(
                            reportable_change(
                                tails, margin=margin, z=z, is_literal_too=margin > 0, direction="up"
                            )[0]
                        ),
                        0.95,
                    )
                sample = _changed(noise, change).drawn(rng, n, draws)
                called = paired_interval(sample, z=z).lo > margin
                if margin > 0:
                    error = np.sqrt(sample.squares / (n - 1) / n)
                    called &= sample.mean - z * error > margin
                found.append(
                    _power_point(float(np.mean(called)), f"pairs, {noise.name}, {rule}", n, change)
                )
        return found

    return run


def _changed(noise: Law, change: float) -> Law:
    """The noise with a mean difference: a share of units rises by one step, or all shift."""
    if noise is _BELL:
        return noise.moved(change)
    return noise.raised(change)


def _power_point(power: float, row: str, n: int, change: float) -> Point:
    """Within 3 points of 80 %; changes above 0.35 must only not promise too much."""
    given = {
        "section": "power",
        "row": row,
        "column": f"n = {n}",
        "note": f"change {change:.3f}",
    }
    if change > _HUGE:
        return at_least(power, 0.77, **given)
    return between(power, 0.77, 0.83, **given)


def _units(noise: Law) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        z, z90 = normal_quantile(0.95), normal_quantile(0.90)
        for change in (0.02, 0.05, 0.1):
            true = _changed(noise, change)
            printed = _PILOT * float(
                multiple_to_show(paired_tails(true.expected(_PILOT)), true.mean, margin=0.0, z=z)[0]
            )

            def shows(n: int, true: Law = true) -> float:
                return float(np.mean(paired_interval(true.drawn(rng, n, draws), z=z).lo > 0))

            found.append(
                _units_point(printed, shows, f"pairs, {noise.name}, to show {true.mean:.3f}")
            )
        for band in (0.03, 0.05, 0.1):
            tails = paired_tails(noise.expected(_PILOT))
            printed = _PILOT * float(
                multiple_to_equate(tails, band=band, z=z90, outward_step=outward_step(_PILOT))[0]
            )

            def equates(n: int, band: float = band) -> float:
                limits = paired_interval(noise.drawn(rng, n, draws), z=z90)
                return said_equivalent(limits, band, n)

            found.append(
                _units_point(printed, equates, f"pairs, {noise.name}, to equate within {band:g}")
            )
        return found

    return run


def _units_arms(base: Law) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        z, z90 = normal_quantile(0.95), normal_quantile(0.90)
        for change in (0.05, 0.1):
            new = base.raised(change / (1 - base.mean))
            tails = independent_tails(new.expected(_PILOT), base.expected(_PILOT))
            printed = _PILOT * float(multiple_to_show(tails, change, margin=0.0, z=z)[0])

            def shows(n: int, new: Law = new) -> float:
                arms = _two(rng, new, base, n, draws)
                return float(np.mean(independent_interval(*arms, z=z).lo > 0))

            found.append(
                _units_point(printed, shows, f"independent, {base.name}, to show {change:g}")
            )
        for band in (0.05, 0.1):
            tails = independent_tails(base.expected(_PILOT), base.expected(_PILOT))
            printed = _PILOT * float(
                multiple_to_equate(tails, band=band, z=z90, outward_step=outward_step(_PILOT))[0]
            )

            def equates(n: int, band: float = band) -> float:
                limits = independent_interval(*_two(rng, base, base, n, draws), z=z90)
                return said_equivalent(limits, band, n)

            found.append(
                _units_point(
                    printed, equates, f"independent, {base.name}, to equate within {band:g}"
                )
            )
        return found

    return run


def _two(
    rng: np.random.Generator, new: Law, base: Law, n: int, draws: int
) -> tuple[Powers, Powers]:
    return new.drawn(rng, n, draws), base.drawn(rng, n, draws)


def _units_point(printed: float, reached: Callable[[int], float], row: str) -> Point:
    """The printed number over the number that reaches 80 % by simulation."""
    low, high = max(4, int(printed * 0.6)), int(printed * 1.7) + 1
    while high - low > max(1, 0.01 * printed):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= 0.8 else (middle, high)
    return between(
        printed / high,
        0.85,
        1.15,
        section="units needed",
        row=row,
        column="printed / simulated",
        note=f"printed {printed:.0f}, simulated {high}",
    )
