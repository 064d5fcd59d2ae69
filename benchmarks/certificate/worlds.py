"""A/A worlds of an ablation: 13 tasks of very different difficulty, 3 and 10 repetitions each."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import t as student

from benchmarks.certificate.points import Measure, Point, Task, at_least, at_most
from equipoise.stats.guarded import paired_interval, powers_of
from equipoise.stats.inputs import normal_quantile

FloatArray = NDArray[np.float64]

Z95 = normal_quantile(0.95)
_TASKS = 13
_NULL = {
    "beta(0.7, 0.7) difficulty, no difference": "sharp",
    "beta(0.7, 0.7) difficulty, task-by-arm interaction sd 0.2": "interaction",
    "logit sd 2 difficulty, no difference": "logit",
    "logit sd 2 difficulty, task-by-arm interaction sd 1 logit": "logit interaction",
}
_EFFECT = {
    "beta(0.7, 0.7) difficulty, +0.2 on every task up to 1": "+0.2",
    "beta(0.7, 0.7) difficulty, +0.2 with interaction sd 0.2": "+0.2 interaction",
    "logit sd 2 difficulty, +1.5 logits": "+1.5 logit",
}


def tasks(draws: int) -> list[Task]:
    """The work of this part."""
    return [
        Task(name=f"A/A {runs} {world}", run=_world(label, world, runs), draws=draws)
        for runs in (3, 10)
        for label, world in (_NULL | _EFFECT).items()
    ]


def _world(label: str, world: str, runs: int) -> Measure:
    def run(rng: np.random.Generator, draws: int) -> list[Point]:
        base, new = _shares(rng, world, draws)
        means = (rng.binomial(runs, new) - rng.binomial(runs, base)) / runs
        found = paired_interval(powers_of(means), z=Z95, runs=float(runs))
        called = float(np.mean((found.lo > 0) | (found.hi < 0)))
        plain = _called_by_t(means)
        column = f"{runs} repetitions"
        note = f"paired t: {plain:.4f}"
        if label in _NULL:
            return [at_most(called, 0.05, section="A/A", row=label, column=column, note=note)]
        return [
            at_least(
                called, round(plain, 4), section="A/A power", row=label, column=column, note=note
            )
        ]

    return run


def _shares(rng: np.random.Generator, world: str, draws: int) -> tuple[FloatArray, FloatArray]:
    """Each task's chance to succeed with the base and with the new arm."""
    shape = draws, _TASKS
    if world.startswith(("logit", "+1.5")):
        difficulty = rng.normal(0, 2, shape)
        if world == "logit interaction":
            tilt = rng.normal(0, 1, shape)
            return expit(difficulty - tilt / 2), expit(difficulty + tilt / 2)
        return expit(difficulty), expit(difficulty + (1.5 if world == "+1.5 logit" else 0.0))
    base = rng.beta(0.7, 0.7, shape)
    tilt = rng.normal(0, 0.2, shape) if "interaction" in world else np.zeros(shape)
    new = np.clip(base + tilt + (0.2 if world.startswith("+0.2") else 0.0), 0, 1)
    if world != "interaction":
        return base, new
    swap = rng.random((draws, 1)) < 0.5
    return np.where(swap, new, base), np.where(swap, base, new)


def _called_by_t(means: FloatArray) -> float:
    """How often a paired t test on task means calls a difference (the comparison, not ours)."""
    spread = means.std(axis=1, ddof=1)
    critical = student.ppf(0.975, _TASKS - 1) * spread / np.sqrt(_TASKS)
    return float(np.mean((np.abs(means.mean(axis=1)) > critical) & (spread > 0)))
