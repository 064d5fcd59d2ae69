"""Chance that is the same on every machine: a hash of names, read as a number in [0, 1)."""

import hashlib


def chance(seed: int, *names: object) -> float:
    """A number in [0, 1), uniform over names and seeds, equal for equal names and seed.

    Each draw is named by what it decides (``chance(7, "u0012/r1", "ticket")``), so that no draw
    moves another: two releases that ask the same question get the same answer.
    """
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) / 2.0**48


def pick(seed: int, options: tuple[str, ...], *names: object) -> str:
    """One of the options, each equally likely, drawn as by :func:`chance`."""
    return options[int(chance(seed, *names) * len(options))]
