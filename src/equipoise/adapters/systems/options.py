"""Checks the specification of a system: known keys, values of their kind, each named when wrong."""

from collections.abc import Mapping
from typing import Any

from equipoise.errors import InputError, nearest


class Options:
    """The keys of one specification; every method gives a checked value or its default.

    Numbers and truth may come as texts, as the study file writes them.
    """

    def __init__(self, spec: Any, keys: tuple[str, ...], name: str) -> None:
        """Keeps the specification; `name` is what messages call it.

        Raises:
            InputError: it is no mapping, or has a key that is not known.
        """
        self.name = name
        if not isinstance(spec, Mapping):
            raise self._wrong("", spec, f"a mapping with some of {', '.join(keys)}")
        for key in spec:
            if key not in keys:
                raise InputError(
                    f"{name} has a key {key!r}",
                    wanted=f"some of {', '.join(keys)}",
                    mend=nearest(str(key), list(keys)),
                    code="unknown_key",
                )
        self._spec = spec

    def text(self, key: str, default: str = "") -> str:
        """Gives a text."""
        value = self._spec.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "a text")
        return value

    def needed(self, key: str) -> str:
        """Gives a text that has to be there."""
        value = self.text(key)
        if not value:
            raise self._wrong(key, self._spec.get(key), "a text")
        return value

    def texts(self, key: str) -> list[str]:
        """Gives a list of texts, not empty."""
        value = self._spec.get(key)
        if not isinstance(value, list | tuple) or not value:
            raise self._wrong(key, value, "a list of texts: [program, argument]")
        if not all(isinstance(item, str) for item in value):
            raise self._wrong(key, value, "texts only")
        return list(value)

    def template(self, key: str) -> Any:
        """Gives any value, to be filled later; null without the key."""
        return self._spec.get(key)

    def mapping(self, key: str) -> dict[str, Any]:
        """Gives a mapping; empty without the key."""
        value = self._spec.get(key, {})
        if not isinstance(value, Mapping):
            raise self._wrong(key, value, "a mapping")
        return dict(value)

    def number(self, key: str) -> float | None:
        """Gives a number above 0; null without the key."""
        value = self._spec.get(key)
        if value is None:
            return None
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if isinstance(value, bool) or not 0 < number < float("inf"):
            raise self._wrong(key, value, "a number above 0")
        return number

    def whole_numbers(self, key: str) -> list[int]:
        """Gives a list of whole numbers; one alone counts as a list of one."""
        value = self._spec.get(key, [])
        items = value if isinstance(value, list | tuple) else [value]
        try:
            return [int(item) for item in items]
        except (TypeError, ValueError):
            raise self._wrong(key, value, "whole numbers") from None

    def flag(self, key: str, *, default: bool) -> bool:
        """Gives true or false."""
        value = self._spec.get(key, default)
        if isinstance(value, bool):
            return value
        if value in {"true", "false"}:
            return bool(value == "true")
        raise self._wrong(key, value, "true or false")

    def _wrong(self, key: str, value: Any, wanted: str) -> InputError:
        where = f"{self.name}.{key}" if key else self.name
        found = "is missing" if value is None else f"is {value!r}"
        return InputError(f"{where} {found}", wanted=wanted, code="bad_system")
