"""Reads what an execution used: tokens under the source's counting, money and time."""

from typing import Any

from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.table.fields import Row, field, number
from equipoise.adapters.logs.table.mapping import Mapping
from equipoise.records.trial import Usage

_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


class ResourceReader:
    """Reads cost, duration and tokens out of a row; remembers whether a figure was ever above 0."""

    def __init__(self, mapping: Mapping, noticer: Noticer) -> None:
        """Notes which figures the table has."""
        self._noticer = noticer
        self._convention = mapping.convention
        self._zero_is_missing = frozenset(mapping.zero_means_missing)
        self._names: dict[str, str] = {
            key: name for key in ("cost_usd", *_TOKENS) if (name := getattr(mapping, key))
        }
        self._factor = 1.0
        if mapping.duration_ms or mapping.duration_s:
            self._names["duration_ms"] = str(mapping.duration_ms or mapping.duration_s)
            self._factor = 1.0 if mapping.duration_ms else 1000.0
        self._has_tokens = any(key in self._names for key in _TOKENS)
        self._n_zero = dict.fromkeys(self._names, 0)
        self._n_above = dict.fromkeys(self._names, 0)

    def cost_usd(self, row: Row, where: str) -> float | None:
        """Gives the money spent in USD; None where it is not recorded."""
        return self._read("cost_usd", row, where)

    def duration_ms(self, row: Row, where: str) -> float | None:
        """Gives the time taken in milliseconds; None where it is not recorded."""
        found = self._read("duration_ms", row, where)
        return None if found is None else found * self._factor

    def usage(self, row: Row, where: str) -> Usage | None:
        """Gives the tokens as the vendor bills them; None where none are recorded.

        Under the convention ``subset`` what was read from the cache is taken out of the input.
        """
        if not self._has_tokens:
            return None
        tokens: dict[str, Any] = {key: self._whole(key, row, where) for key in _TOKENS}
        if all(value is None for value in tokens.values()):
            return None
        inputs, read = tokens["input_tokens"], tokens["cache_read_tokens"]
        if self._convention == "subset" and inputs is not None and read is not None:
            tokens["input_tokens"] = self._without_cached(inputs, read, where)
        elif self._convention == "unknown" and read:
            self._noticer.warn(
                "usage_convention_unknown",
                "cached tokens are recorded, but not whether they are part of the input; "
                "mend: convention: subset (part of it) or extra (a bucket of their own)",
                where,
            )
        return Usage(convention=self._convention, **tokens)

    def tell_all_zero(self, name: str) -> None:
        """Warns of figures that are 0 in every row: more likely not recorded than free."""
        for key, n_zero in self._n_zero.items():
            if n_zero and not self._n_above[key] and key not in self._zero_is_missing:
                self._noticer.warn(
                    "all_zero",
                    f"{key} is 0 in all {n_zero} rows that have it: not recorded rather than free? "
                    f"mend: zero_means_missing: [{key}]",
                    name,
                )

    def _without_cached(self, inputs: int, read: int, where: str) -> int | None:
        if read <= inputs:
            return inputs - read
        self._noticer.refused(
            "usage_contradiction",
            "more tokens read from the cache than the input they should be part of",
            where,
        )
        return None

    def _whole(self, key: str, row: Row, where: str) -> int | None:
        found = self._read(key, row, where)
        return None if found is None or found >= 1 << 62 else int(found)

    def _read(self, key: str, row: Row, where: str) -> float | None:
        name = self._names.get(key)
        if name is None:
            return None
        try:
            found = number(field(row, name))
        except ValueError as error:
            self._noticer.refused("bad_number", f"{key}: {error}", where)
            return None
        if found == 0:
            self._n_zero[key] += 1
            return None if key in self._zero_is_missing else found
        if found is not None:
            self._n_above[key] += 1
        return found
