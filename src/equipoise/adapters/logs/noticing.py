"""Collects what a reader has to tell, so that a million equal faults become one notice."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from equipoise.records.notice import Notice, Severity

_PLACES = 3
_MESSAGES_PER_CODE = 20


@dataclass(slots=True)
class _Tally:
    count: int = 0
    places: list[str] = field(default_factory=list)


class Noticer:
    """Counts notices by code and message; memory does not grow with the number of faults."""

    def __init__(self) -> None:
        """Starts with nothing to tell."""
        self._tallies: dict[tuple[str, str, Severity], _Tally] = {}
        self._messages: dict[str, int] = {}
        self._first_of_kind: dict[tuple[str, str], str] = {}

    def add(
        self,
        code: str,
        message: str,
        severity: Severity,
        where: str = "",
        *,
        count: int = 1,
        kind: str = "",
    ) -> None:
        """Counts one fault, or several at one place; the first three places are kept.

        Faults of one `kind` are told once, in the words of the first. Of one code at most twenty
        different messages are kept apart; the rest is told as one.
        """
        if kind:
            message = self._first_of_kind.setdefault((code, kind), message)
        key = (code, message, severity)
        if key not in self._tallies:
            n_messages = self._messages.get(code, 0)
            if n_messages >= _MESSAGES_PER_CODE:
                key = (code, "more of the same kind, with other values", severity)
            else:
                self._messages[code] = n_messages + 1
        tally = self._tallies.setdefault(key, _Tally())
        tally.count += count
        if where and len(tally.places) < _PLACES:
            tally.places.append(where)

    def info(self, code: str, message: str, where: str = "") -> None:
        """Counts something worth knowing."""
        self.add(code, message, Severity.INFO, where)

    def warn(self, code: str, message: str, where: str = "") -> None:
        """Counts something that changes what may be concluded."""
        self.add(code, message, Severity.WARNING, where)

    def lost(self, code: str, message: str, where: str = "") -> None:
        """Counts something that could not be read."""
        self.add(code, message, Severity.LOST, where)

    def refused(self, code: str, message: str, where: str = "", *, kind: str = "") -> None:
        """Counts a record or value that was refused as invalid."""
        self.add(code, message, Severity.REFUSED, where, kind=kind)

    def flush(self) -> Iterator[Notice]:
        """Yields what was collected, in the order in which it was first met, and forgets it."""
        tallies, self._tallies, self._messages = self._tallies, {}, {}
        for (code, message, severity), tally in tallies.items():
            where = ", ".join(tally.places)
            yield Notice(
                code=code, message=message, severity=severity, where=where, count=tally.count
            )
