"""Times Bradley-Terry on one million votes with errors clustered by prompt; goal: 0.5 s."""

import time

import numpy as np

from equipoise.stats.choice import fit_votes
from equipoise.stats.choice_counts import Votes
from equipoise.stats.choice_differences import differences

N_VOTES, N_SYSTEMS = 1_000_000, 30


def votes(n_prompts: int) -> Votes:
    """Votes on 30 systems of known strength, a tenth of them ties."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, N_SYSTEMS, N_VOTES)
    second = (first + rng.integers(1, N_SYSTEMS, N_VOTES)) % N_SYSTEMS
    strength = rng.normal(0.0, 0.5, N_SYSTEMS)
    first_wins = rng.random(N_VOTES) < 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    outcome = np.where(rng.random(N_VOTES) < 0.1, 0, np.where(first_wins, 1, -1)).astype(np.int8)
    return Votes(
        systems=tuple(f"s{i}" for i in range(N_SYSTEMS)),
        first=first,
        second=second,
        outcome=outcome,
        prompt=rng.integers(0, n_prompts, N_VOTES),
    )


def main() -> None:
    for n_prompts in (500, 5_000, 100_000):
        sample = votes(n_prompts)
        for order, ties in ((False, "half"), (True, "half"), (True, "davidson")):
            start = time.perf_counter()
            fit = fit_votes(sample, ties="davidson" if ties == "davidson" else "half", order=order)
            fitted = time.perf_counter()
            differences(fit, rng=np.random.default_rng(1))
            done = time.perf_counter()
            print(
                f"{n_prompts:>7} prompts, ties {ties:<8}, order {order!s:<5}: "
                f"fit {fitted - start:.3f} s, all differences {done - fitted:.3f} s"
            )


if __name__ == "__main__":
    main()
