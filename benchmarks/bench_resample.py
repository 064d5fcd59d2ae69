"""2,000 bootstrap resamples of the mean of 1M units: at most 0.1 s where losses take few values.

Run: ``python -m benchmarks.bench_resample``. Prints the time of each part and ends with 1 when the
goal is missed; times of both routes are taken in one run, so that their ratio does not depend on
the machine.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from equipoise.stats.resample import bootstrap_mean, resampled_means

_UNITS = 1_000_000
_DRAWS = 2_000
_GOAL_S = 0.1


def main() -> int:
    """Times both routes and returns the exit code."""
    rng = np.random.default_rng(20)
    catalogue = rng.choice(np.arange(19) / 18, _UNITS)
    continuous = rng.random(_UNITS)
    few = _best(lambda: bootstrap_mean(catalogue, rng=rng, draws=_DRAWS), times=5)
    part = _best(lambda: resampled_means(continuous, rng=rng, draws=20), times=1) * _DRAWS / 20
    print(f"{_DRAWS} resamples of {_UNITS:,} units")
    print(f"  19 distinct values: {few:.3f} s (goal {_GOAL_S} s)")
    print(
        f"  all values distinct: {part:.1f} s (from 20 resamples), {part / few:.0f} times as long"
    )
    return 0 if few <= _GOAL_S else 1


def _best(action: Callable[[], object], *, times: int) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return min(taken)


if __name__ == "__main__":
    sys.exit(main())
