"""Options of a probe as the study wrote them, checked one by one."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from equipoise.errors import InputError, nearest


class Options:
    """The options of one probe; whatever is not asked for is refused at the end."""

    def __init__(self, probe: str, kind: str, given: Mapping[str, Any]) -> None:
        """Takes the options of the probe `probe`."""
        self.where = f"study.yaml: probe {probe!r}"
        self._kind = kind
        self._given = dict(given)
        self._asked: list[str] = []

    def text(self, name: str, default: str | None = None) -> str:
        """Gives a text; without a default it must be there and not be empty."""
        found = self._take(name, default)
        if not isinstance(found, str) or (default is None and not found):
            raise self.wrong(f"{name} {found!r}", "a text", f"write {name}: ...")
        return found

    def number(self, name: str, default: float, *, most: float) -> float:
        """Gives a number from 0 to `most`."""
        found = self._take(name, default)
        try:
            number = float(found)
        except (TypeError, ValueError):
            number = -1.0
        if not 0 <= number <= most:
            raise self.wrong(f"{name} {found!r}", f"a number from 0 to {most:g}", "")
        return number

    def pattern(self, name: str) -> str:
        """Gives a glob pattern that stays below the study's folder."""
        found = self.text(name)
        path = PurePosixPath(found)
        if path.is_absolute() or ".." in path.parts or "\x00" in found or not path.parts:
            raise self.wrong(
                f"{name} {found!r}",
                "a pattern below the folder of the study, such as logs/*.jsonl",
                "let the system write its logs below the study, or link nothing outside of it",
            )
        return found

    def some(self, name: str) -> list[dict[str, Any]]:
        """Gives a list of mappings; none where nothing is said."""
        found = self._take(name, [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise self.wrong(f"{name} {found!r}", "a list of mappings", "")
        return found

    def has(self, name: str) -> bool:
        """Tells whether the option is given."""
        return name in self._given

    def one_of(self, *names: str) -> str:
        """Gives which of the options is given; it must be exactly one."""
        given = [name for name in names if name in self._given]
        self._asked += names
        if len(given) != 1:
            raise self.wrong(
                " and ".join(given) or f"neither {' nor '.join(names)}",
                f"one of {', '.join(names)}",
                "",
            )
        return given[0]

    def end(self) -> None:
        """Checks that nothing else was given."""
        for name in self._given:
            if name not in self._asked:
                raise self.wrong(
                    f"option {name!r}",
                    f"for {self._kind}: {', '.join(dict.fromkeys(self._asked))}",
                    nearest(name, self._asked),
                )

    def wrong(self, found: str, wanted: str, mend: str) -> InputError:
        """Makes the error of an option."""
        return InputError(found, wanted=wanted, mend=mend, where=self.where, code="probe_option")

    def _take(self, name: str, default: Any) -> Any:
        self._asked.append(name)
        return self._given.get(name, default)
