"""Coverage of the printed 95 % intervals: single means, independent arms, pairs and clusters."""

import numpy as np

from benchmarks.certificate.clusters import (
    ARM_RATES,
    CLUSTER_LAWS,
    SIZES,
    drawn_arm,
    drawn_clusters,
)
from benchmarks.certificate.laws import LOSSES, SHAPES, Law
from benchmarks.certificate.points import Measure, Point, Task, at_least, between
from equipoise.stats.guarded import (
    Intervals,
    independent_interval,
    mean_interval,
    paired_interval,
)
from equipoise.stats.guarded_clusters import clustered_interval, clusters_apart_interval
from equipoise.stats.inputs import normal_quantile
from equipoise.stats.intervals import Moments, quasi_wilson_limits

Z95 = normal_quantile(0.95)
LEAST = 0.935
UNITS = [10, 11, 12, 13, 14, 16, 18, 20, 25, 30, 40, 58, 80, 100, 150, 200, 300, 576]
ARMS = [
    (10, 10),
    (13, 13),
    (16, 16),
    (20, 20),
    (30, 30),
    (58, 58),
    (100, 100),
    (300, 300),
    (576, 576),
    (16, 32),
    (100, 300),
    (576, 30),
    (300, 16),
    (16, 300),
    (10, 350),
    (16, 560),
    (58, 2000),
]
CLUSTERS = [5, 8, 12, 25, 50]
CLUSTER_ARMS = [(5, 5), (8, 8), (12, 12), (20, 20), (50, 50), (5, 30)]
_MANY = [1000, 2000, 10_000]
_SLACK = 1e-9


def tasks(draws: int) -> list[Task]:
    """The work of this part."""
    found = [Task(name=f"single {law.name}", run=_single(law), draws=draws) for law in LOSSES] + [
        Task(name=f"paired {law.name}", run=_paired(law), draws=draws) for law in SHAPES
    ]
    found += [
        Task(name=f"independent {law.name}", run=_independent(law), draws=draws) for law in LOSSES
    ]
    for name in CLUSTER_LAWS:
        found += [
            Task(name=f"clusters {name} {kind}", run=_clusters(name, kind), draws=draws)
            for kind in SIZES
        ]
    found += [
        Task(name=f"clustered arms {base} {new} {kind}", run=_arms(base, new, kind), draws=draws)
        for base, new in ARM_RATES
        for kind in SIZES
    ]
    return found


def grid_means(points: list[Point]) -> list[Point]:
    """The mean coverage over the points with at least 100 units (in each arm)."""
    found = []
    for section in ("single mean", "paired", "independent arms"):
        large = [p.measured for p in points if p.section == section and _least(p.column) >= 100]
        if large:
            found.append(
                between(
                    float(np.mean(large)),
                    0.94,
                    0.97,
                    section="grid mean",
                    row=section,
                    column="n ≥ 100",
                )
            )
    return found


def covered(found: Intervals, truth: float) -> float:
    """The share of intervals that hold the truth."""
    return float(np.mean((found.lo <= truth + _SLACK) & (truth - _SLACK <= found.hi)))


def _least(column: str) -> int:
    return min(int(part) for part in column.removeprefix("n = ").split(" / "))


def _single(law: Law) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        return [
            at_least(
                covered(mean_interval(law.drawn(rng, n, draws), z=Z95), law.mean),
                LEAST,
                section="single mean",
                row=law.name,
                column=f"n = {n}",
            )
            for n in UNITS
        ] + [_many(rng, law, n, draws) for n in _MANY]

    return run


def _many(rng: np.random.Generator, law: Law, n: int, draws: int) -> Point:
    """The quasi-Wilson limits that criteria get in cells of a thousand units and more."""
    sample = law.drawn(rng, n, draws)
    lo, hi = quasi_wilson_limits(Moments(n=sample.n, mean=sample.mean, squares=sample.squares), Z95)
    held = (lo <= law.mean + _SLACK) & (law.mean - _SLACK <= hi)
    return at_least(
        float(np.mean(held)),
        LEAST,
        section="single mean",
        row=f"{law.name}, quasi-Wilson",
        column=f"n = {n}",
    )


def _paired(law: Law) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        return [
            at_least(
                covered(paired_interval(law.drawn(rng, n, draws), z=Z95), law.mean),
                LEAST,
                section="paired",
                row=law.name,
                column=f"n = {n}",
            )
            for n in UNITS
        ]

    return run


def _independent(base: Law) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for n_base, n_new in ARMS:
            of_base = base.drawn(rng, n_base, draws)
            for new in LOSSES:
                limits = independent_interval(new.drawn(rng, n_new, draws), of_base, z=Z95)
                found.append(
                    at_least(
                        covered(limits, new.mean - base.mean),
                        LEAST,
                        section="independent arms",
                        row=f"{base.name} → {new.name}",
                        column=f"{n_base} / {n_new}",
                    )
                )
        return found

    return run


def _clusters(name: str, kind: str) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for correlation in (0.0, 0.1, 0.3, 0.5):
            for groups in CLUSTERS:
                clusters, truth = drawn_clusters(rng, name, SIZES[kind](groups), correlation, draws)
                found.append(
                    at_least(
                        covered(clustered_interval(clusters, z=Z95), truth),
                        LEAST,
                        section="clusters",
                        row=f"{name}, {kind} sizes, ICC {correlation:g}",
                        column=f"G = {groups}",
                    )
                )
        return found

    return run


def _arms(base: float, new: float, kind: str) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        found = []
        for correlation in (0.0, 0.1, 0.3, 0.5):
            for groups in CLUSTER_ARMS:
                drawn = [
                    drawn_arm(rng, share, SIZES[kind](n), correlation, draws)
                    for share, n in zip((base, new), groups, strict=True)
                ]
                found.append(
                    at_least(
                        covered(clusters_apart_interval(drawn[1], drawn[0], z=Z95), new - base),
                        LEAST,
                        section="clustered arms",
                        row=f"{base:.0%} → {new:.0%} ones, {kind} sizes, ICC {correlation:g}",
                        column=f"G = {groups[0]} / {groups[1]}",
                    )
                )
        return found

    return run
