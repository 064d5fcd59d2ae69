"""The laws that the certificate draws from: losses on [0, 1] and shapes of paired differences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from equipoise.stats.guarded import Powers, powers_from_sums

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A distribution on few values."""

    name: str
    values: FloatArray
    shares: FloatArray

    @property
    def mean(self) -> float:
        """The true mean."""
        return float(self.values @ self.shares)

    def drawn(self, rng: np.random.Generator, n: int, draws: int) -> Powers:
        """The powers of ``draws`` samples of ``n`` units; ``n`` has shape (1,)."""
        counts = rng.multinomial(n, self.shares, size=draws).astype(np.float64)
        first, second, third, fourth = (counts @ self.values**k for k in (1, 2, 3, 4))
        return powers_from_sums(np.full(1, float(n)), (first, second, third, fourth))

    def expected(self, n: int) -> Powers:
        """The powers that a sample of ``n`` units has on average (spread with n − 1)."""
        centred = self.values - self.mean
        moments = [float(centred**k @ self.shares) for k in (2, 3, 4)]
        return Powers(
            n=np.full(1, float(n)),
            mean=np.full(1, self.mean),
            squares=np.full(1, moments[0] * (n - 1)),
            cubes=np.full(1, moments[1] * n),
            fourths=np.full(1, moments[2] * n),
        )

    def raised(self, share: float) -> "Law":
        """The law after a random ``share`` of units went to 1."""
        values = np.append(self.values, 1.0)
        return Law(
            name=self.name, values=values, shares=np.append(self.shares * (1 - share), share)
        )

    def moved(self, delta: float) -> "Law":
        """The law with every value shifted by ``delta``."""
        return Law(name=self.name, values=self.values + delta, shares=self.shares)


def law(name: str, values: list[float], shares: list[float]) -> Law:
    """A law from its values and weights."""
    weights = np.array(shares, dtype=np.float64)
    return Law(name=name, values=np.array(values, dtype=np.float64), shares=weights / weights.sum())


def _bernoulli(share: float) -> Law:
    return law(f"0/1, {share:.0%} ones", [0, 1], [1 - share, share])


def _inflated(zeros: float) -> Law:
    return law(
        f"{zeros:.0%} zeros, rest spread",
        [0, 0.2, 0.4, 0.6, 0.8, 1],
        [zeros, *[(1 - zeros) / 5] * 5],
    )


def _beta(a: float, b: float) -> Law:
    edges = np.linspace(0, 1, 51)
    return law(
        f"Beta({a:g}, {b:g}) in 50 steps",
        list((edges[1:] + edges[:-1]) / 2),
        list(np.diff(beta.cdf(edges, a, b))),
    )


LOSSES = [
    _bernoulli(0.5),
    _bernoulli(0.15),
    _bernoulli(0.05),
    _bernoulli(0.02),
    _inflated(0.7),
    _inflated(0.9),
    _inflated(0.97),
    law("five-category catalogue", [0, 0.1, 0.25, 0.5, 1], [0.6, 0.2, 0.1, 0.07, 0.03]),
    _beta(2, 5),
    _beta(0.5, 0.5),
    _beta(0.3, 3),
    law("mostly one", [1, 0, 0.5], [0.95, 0.03, 0.02]),
]


def _catastrophe(share: float) -> Law:
    gain = share
    return law(
        f"catastrophe {share:.0%}, gains {gain:g}",
        [gain * 0.5, gain, gain * 1.5, gain - 1],
        [(1 - share) / 3, (1 - share) / 3, (1 - share) / 3, share],
    )


def _flips(up: float, down: float) -> Law:
    return law(f"flips {up:.1%} / {down:.1%}", [0, 1, -1], [1 - up - down, up, down])


_BELL = np.exp(-(np.linspace(-4, 4, 41) ** 2) / 2)

SHAPES = [
    law("identical arms", [0, 1], [1, 0]),
    _flips(0.027, 0.02),
    _flips(0.015, 0.015),
    _flips(0.05, 0.05),
    _flips(0.125, 0.125),
    _flips(0.15, 0.10),
    _flips(0.20, 0.05),
    _flips(0.3, 0.2),
    _flips(0.02, 0.0),
    _flips(0.05, 0.0),
    _flips(0.15, 0.0),
    _catastrophe(0.01),
    _catastrophe(0.02),
    _catastrophe(0.05),
    _catastrophe(0.10),
    law("graded, 15 % change", [0, -0.4, -0.2, -0.1, 0.1, 0.2, 0.3, 0.5], [0.85, *[0.15 / 7] * 7]),
    law("graded, 15 % rise", [0, 0.1, 0.2, 0.3, 0.5], [0.85, *[0.15 / 4] * 4]),
    law("uniform", list(np.linspace(-1, 1, 41)), [1.0] * 41),
    law("bell, sd 0.2", list(np.linspace(-0.8, 0.8, 41)), list(_BELL)),
]
