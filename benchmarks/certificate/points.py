"""What one measurement of the certificate is, and how its chance is seeded."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One measured number with the bound it must hold; ``bound`` is empty where none is set."""

    section: str
    row: str
    column: str
    measured: float
    bound: str = ""
    is_kept: bool = True
    note: str = ""


Measure = Callable[[np.random.Generator, int], list[Point]]
"""Draws so many samples a point from the generator and gives the points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A piece of work of some seconds: it draws from its own generator and gives points."""

    name: str
    run: Measure
    draws: int

    def points(self, seed: int) -> list[Point]:
        """Runs the task; the same seed and name give the same numbers."""
        chance = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        return self.run(chance, self.draws)


def at_least(value: float, bound: float, /, **given: str) -> Point:
    """A point that must not fall below ``bound``."""
    return _point(value, f"≥ {bound:g}", value >= bound, given)


def at_most(value: float, bound: float, /, **given: str) -> Point:
    """A point that must not rise above ``bound``."""
    return _point(value, f"≤ {bound:g}", value <= bound, given)


def between(value: float, low: float, high: float, /, **given: str) -> Point:
    """A point that must lie in ``[low, high]``."""
    return _point(value, f"{low:g} to {high:g}", low <= value <= high, given)


def _point(value: float, bound: str, is_kept: bool, given: dict[str, str]) -> Point:
    return Point(
        section=given["section"],
        row=given["row"],
        column=given["column"],
        measured=float(value),
        bound=bound,
        is_kept=bool(is_kept),
        note=given.get("note", ""),
    )
