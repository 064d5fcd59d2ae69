"""Coverage at laws that were not used to choose the constants: reported, with no bound set."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.certificate.coverage import Z95, covered
from benchmarks.certificate.laws import Law, law
from benchmarks.certificate.points import Measure, Point, Task
from equipoise.stats.guarded import independent_interval, paired_interval, powers_of

FloatArray = NDArray[np.float64]

_UNITS = [10, 13, 17, 23, 35, 50, 75, 120, 250]
_LAWS = 60


def tasks(draws: int) -> list[Task]:
    """The work of this part."""
    return [
        Task(name="outside random pairs", run=_random_pairs, draws=draws),
        Task(name="outside random arms", run=_random_arms, draws=draws),
        Task(name="outside catastrophes", run=_catastrophes, draws=draws),
        *(Task(name=f"outside broken {r}", run=_broken(r), draws=draws) for r in (3, 10)),
    ]


def _random_pairs(rng: np.random.Generator, draws: int) -> list[Point]:
    found = []
    for _ in range(_LAWS):
        one = _random_law(rng, -1.0)
        found += [
            covered(paired_interval(one.drawn(rng, n, draws), z=Z95), one.mean) for n in _UNITS
        ]
    return _summary(f"{_LAWS} random laws of differences", found)


def _random_arms(rng: np.random.Generator, draws: int) -> list[Point]:
    found = []
    for _ in range(_LAWS):
        one, two = _random_law(rng, 0.0), _random_law(rng, 0.0)
        for n in _UNITS:
            other = int(rng.choice(_UNITS))
            limits = independent_interval(
                two.drawn(rng, n, draws), one.drawn(rng, other, draws), z=Z95
            )
            found.append(covered(limits, two.mean - one.mean))
    return _summary(f"{_LAWS} random pairs of loss laws, independent arms", found)


def _random_law(rng: np.random.Generator, low: float) -> Law:
    """Two to six values, the ends among them half of the time, with very uneven weights."""
    size = int(rng.integers(2, 7))
    values = rng.uniform(low, 1.0, size)
    if rng.random() < 0.5:
        values[0], values[-1] = low, 1.0
    return law("random", list(values), list(rng.dirichlet(np.full(size, 0.4)) + 1e-4))


def _catastrophes(rng: np.random.Generator, draws: int) -> list[Point]:
    """Noisy gains, and a rare unit that falls by 1 or by a half."""
    grid = np.linspace(-0.5, 0.7, 25)
    found = []
    for middle, spread in ((0.02, 0.05), (0.1, 0.15), (0.2, 0.2), (0.05, 0.1)):
        weights = np.exp(-(((grid - middle) / spread) ** 2) / 2)
        for share in (0.005, 0.01, 0.02, 0.05, 0.1, 0.15):
            for depth in (-1.0, -0.5):
                one = law(
                    "rare fall",
                    [*grid, depth],
                    [*(weights / weights.sum() * (1 - share)), share],
                )
                found += [
                    covered(paired_interval(one.drawn(rng, n, draws // 2), z=Z95), one.mean)
                    for n in _UNITS
                ]
    return _summary("noisy gains with a rare fall", found)


def _broken(runs: int) -> Measure:
    """Tasks measured by several runs, of which one in ten or twenty breaks wholly."""

    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for share in (0.02, 0.05, 0.1):
            for gain in (0.05, 0.1, 0.2):
                for n in (10, 13, 20, 30, 58):
                    base = rng.beta(4, 2, (draws // 2, n)) * (1 - gain)
                    broken = rng.random(base.shape) < share
                    new = np.where(broken, 0.0, base + gain)
                    means = (rng.binomial(runs, new) - rng.binomial(runs, base)) / runs
                    truth = (1 - share) * gain - share * (1 - gain) * 4 / 6
                    limits = paired_interval(powers_of(means), z=Z95, runs=float(runs))
                    found.append(covered(limits, truth))
        return _summary(f"{runs} runs a task, 2-10 % of tasks break wholly", found)

    return run


def _summary(row: str, coverages: list[float]) -> list[Point]:
    values = np.array(coverages)
    figures = {
        "points": float(values.size),
        "mean": float(values.mean()),
        "5 % quantile": float(np.quantile(values, 0.05)),
        "least": float(values.min()),
        "share below 0.935": float(np.mean(values < 0.935)),
    }
    return [
        Point(section="outside the grid", row=row, column=column, measured=value)
        for column, value in figures.items()
    ]
