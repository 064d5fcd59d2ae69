"""Checks the options of a harness as a study gives them, and fills placeholders in texts."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import InputError, nearest

_PLACE = re.compile(r"\{([a-z_]+)\}")


class Options:
    """Options of one harness; every method gives a checked value or its default."""

    def __init__(self, found: Any, keys: tuple[str, ...], harness: str, root: Path) -> None:
        """Keeps the options; paths count from `root`, the folder of the study.

        Raises:
            InputError: it is no mapping, or a key is not known; the nearest is named.
        """
        self._harness, self.root = harness, root
        self._found: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
        if found not in (None, "") and not isinstance(found, Mapping):
            raise self.wrong("", found, "a mapping of options")
        for key in self._found:
            if key not in keys:
                raise InputError(
                    f"{harness} has no option {key!r}",
                    wanted=f"one of {', '.join(keys)}",
                    mend=nearest(str(key), list(keys)),
                    code="option",
                )

    def wrong(self, key: str, value: Any, wanted: str) -> InputError:
        """Gives the error for a value that is not what is wanted."""
        where = f"{self._harness}.{key}".rstrip(".")
        return InputError(f"{where} is {value!r}", wanted=wanted, code="option")

    def has(self, key: str) -> bool:
        """Says whether the option is given."""
        return key in self._found

    def text(self, key: str, default: str = "") -> str:
        """Gives a text."""
        value = self._found.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, value, "a text")
        return value

    def path(self, key: str) -> Path | None:
        """Gives a path, from the folder of the study; None without the option."""
        text = self.text(key)
        return self.root / text if text else None

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Gives true or false."""
        value = self._found.get(key, default)
        if isinstance(value, bool):
            return value
        if value in {"true", "false"}:
            return bool(value == "true")
        raise self.wrong(key, value, "true or false")

    def number(self, key: str, default: float) -> float:
        """Gives a number above 0."""
        value = self._found.get(key, default)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.0
        if isinstance(value, bool) or not 0 < number < float("inf"):
            raise self.wrong(key, value, "a number above 0")
        return number

    def some_number(self, key: str) -> float | None:
        """Gives a number from 0 on; None without the option."""
        if not self.has(key):
            return None
        value = self._found[key]
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if isinstance(value, bool) or not 0 <= number < float("inf"):
            raise self.wrong(key, value, "a number from 0 on")
        return number

    def texts(self, key: str) -> tuple[str, ...]:
        """Gives a list of texts; none without the option."""
        value = self._found.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.wrong(key, value, "a list of texts")
        return tuple(value)

    def words(self, key: str) -> dict[str, str]:
        """Gives a mapping of texts; an empty one without the option."""
        value = self._found.get(key, {})
        if not isinstance(value, Mapping) or not all(
            isinstance(k, str) and isinstance(v, str) for k, v in value.items()
        ):
            raise self.wrong(key, value, "a mapping of texts")
        return dict(value)

    def raw(self, key: str) -> Any:
        """Gives the value as it is."""
        return self._found.get(key)

    def check_places(self, template: str, known: tuple[str, ...]) -> str:
        """Gives the template back.

        Raises:
            InputError: it has a placeholder that is not known.
        """
        for name in _PLACE.findall(template):
            if name not in known:
                raise InputError(
                    f"{self._harness} has no placeholder {{{name}}}",
                    wanted=f"one of {', '.join(known)}",
                    mend=nearest(name, list(known)),
                    code="option",
                )
        return template


def filled(template: str, values: Mapping[str, str]) -> str:
    """Fills the placeholders of a text that are known; others stay as they are."""
    return _PLACE.sub(lambda found: values.get(found[1], found[0]), template)
