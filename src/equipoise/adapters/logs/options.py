"""Checks the options of the readers that need no mapping: few keys, each named when it is wrong."""

from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.records.grade import OUTCOME
from equipoise.records.terms import Direction

_EVERYWHERE = ("format", "labels", "direction")
"""Keys that every reader takes, and leaves alone where they mean nothing to it."""


class Options:
    """Options of one reader; every method gives a checked value or its default."""

    def __init__(self, options: dict[str, Any], keys: tuple[str, ...]) -> None:
        """Keeps the options.

        Raises:
            InputError: a key is not known; the nearest is named.
        """
        for key in options:
            if key not in keys + _EVERYWHERE:
                raise InputError(
                    f"option {key!r} is not known",
                    wanted=f"one of {', '.join(keys)}",
                    mend=nearest(str(key), list(keys)),
                    code="option",
                )
        self._options = options

    def text(self, key: str, default: str = "") -> str:
        """Gives a text."""
        value = self._options.get(key, default)
        if not isinstance(value, str):
            raise InputError(f"option {key} is {value!r}", wanted="a text", code="option")
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """Gives one of the words; the first one without the option."""
        value = self.text(key, choices[0])
        if value not in choices:
            raise InputError(
                f"option {key} is {value!r}", wanted=" or ".join(choices), code="option"
            )
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Gives true or false."""
        value = self._options.get(key, default)
        if isinstance(value, bool):
            return value
        if value in {"true", "false"}:
            return bool(value == "true")
        raise InputError(f"option {key} is {value!r}", wanted="true or false", code="option")

    def scale(self) -> tuple[float, float]:
        """Gives the lowest and highest value of numeric scores; 0 and 1 without the option."""
        value = self._options.get("scale", (0.0, 1.0))
        value = value.split(",") if isinstance(value, str) else value
        try:
            low, high = (float(v) for v in value)
        except (TypeError, ValueError):
            low = high = 0.0
        if not low < high:
            raise InputError(
                f"option scale is {value!r}", wanted="two numbers, the lower first", code="option"
            )
        return low, high

    def names(self, key: str) -> dict[str, str]:
        """Gives name -> key of the source; a list names both at once."""
        value = self._options.get(key, {})
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",")]
        if isinstance(value, list | tuple):
            value = {name: name for name in value}
        if not isinstance(value, dict) or not all(
            isinstance(k, str) and isinstance(v, str) for k, v in value.items()
        ):
            raise InputError(
                f"option {key} is {value!r}", wanted="a list of names, or name: key", code="option"
            )
        return value

    def directions(self, default: Direction = Direction.HIGHER) -> dict[str, Direction]:
        """Gives the direction of the outcome."""
        words = dict.fromkeys((default.value, *(d.value for d in Direction)))
        value = self.choice("direction", tuple(words))
        return {OUTCOME: Direction(value)}
