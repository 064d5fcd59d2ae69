"""A probe that collects the lines which a trial left in log files."""

import re
import threading
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

import msgspec
from anyio import current_time, sleep, to_thread

from equipoise.adapters.probes.fields import at_path
from equipoise.adapters.probes.options import Options
from equipoise.adapters.probes.spool import Spool
from equipoise.adapters.probes.tail import Line, Tail
from equipoise.ports import Collected
from equipoise.records.brief import Request
from equipoise.records.plan import ProbeSpec

_LOOK_S = 0.02
_LONGEST = 16 << 20
_TOLD = 20
_BATCH = 500


class FilesProbe:
    """Lines of files below the study's folder, told apart by the trial's id.

    JSON Lines carry it in the field `trace`; other lines match `regex`, whose group ``trace`` holds
    it. Only lines that came after the probe was entered count. The document is
    ``<name>.jsonl`` (``<name>.log`` for `regex`) with the lines as they stand, empty where the
    trial logged nothing.
    """

    def __init__(self, name: str, given: Mapping[str, Any], root: Path) -> None:
        """Reads the options: `glob`, `trace` or `regex`, `wait_ms` (500), `min_lines` (1).

        Raises:
            InputError: an option is wrong, or the pattern leads out of the study's folder.
        """
        options = Options(name, "files", given)
        self.name = name
        self._glob = options.pattern("glob")
        self._regex = None
        self._trace = ""
        if options.one_of("trace", "regex") == "trace":
            self._trace = options.text("trace")
        else:
            self._regex = _compiled(options)
        self._wait_s = options.number("wait_ms", 500, most=600_000) / 1000
        self._least = int(options.number("min_lines", 1, most=1_000_000))
        options.end()
        self._root = root
        self._tail = Tail(root, self._glob, longest=_LONGEST)
        self._spool: Spool | None = None
        self._lock = threading.Lock()
        self._n_odd = 0
        self._odd: list[str] = []

    async def __aenter__(self) -> Self:
        """Passes over what the files hold already."""
        self._spool = Spool()
        await to_thread.run_sync(self._tail.skip)
        return self

    async def __aexit__(self, *error: object) -> None:
        """Drops what was read."""
        if self._spool:
            with self._lock:
                self._spool.close()
            self._spool = None

    async def collect(self, request: Request) -> Collected:
        """Collects the lines of a trial; waits for late ones until there are `min_lines`."""
        end = current_time() + self._wait_s
        while True:
            is_last = current_time() >= end
            found = await to_thread.run_sync(partial(self._look, request.trial, is_last=is_last))
            if found is not None:
                return found
            await sleep(min(_LOOK_S, max(0.0, end - current_time())))

    def notices(self) -> tuple[str, ...]:
        """Tells what could not be read, the first few by place."""
        said = list(self._odd)
        if self._n_odd > len(said):
            said.append(f"{self._n_odd - len(said)} further lines that could not be read")
        if self._tail.n_too_long:
            said.append(f"{self._tail.n_too_long} lines longer than {_LONGEST} bytes passed over")
        return tuple(said)

    def _look(self, trace: str, *, is_last: bool) -> Collected | None:
        with self._lock:
            spool = self._spool
            if spool is None:
                return Collected(unavailable=f"probe {self.name} is not open")
            self._take_in(spool, self._tail.lines())
            if spool.count(trace) < self._least:
                if not is_last:
                    return None
                self._take_in(spool, self._open_ends(trace))
            lines = spool.of(trace)
        if not lines and not self._tail.files():
            return Collected(unavailable=f"no file matches {self._glob}")
        end = "log" if self._regex else "jsonl"
        return Collected(documents={f"{self.name}.{end}": b"".join(x + b"\n" for x in lines)})

    def _take_in(self, spool: Spool, lines: Iterator[Line]) -> None:
        batch: list[tuple[str, bytes]] = []
        for line in lines:
            trace = self._trace_of(line)
            if trace is not None:
                batch.append((trace, line.text))
            if len(batch) >= _BATCH:
                spool.put(batch)
                batch = []
        spool.put(batch)

    def _open_ends(self, trace: str) -> Iterator[Line]:
        """Yields last lines without an end that are whole all the same, and passes over them."""
        for place, line in list(self._tail.open_ends()):
            if self._found(line.text) == trace:
                place.rest = b""
                yield line

    def _trace_of(self, line: Line) -> str | None:
        """Gives the trace of a line; one that cannot be read is told."""
        if not line.text.strip():
            return None
        found = self._found(line.text)
        if found is None and self._regex is None and not _is_json(line.text):
            self._n_odd += 1
            if len(self._odd) < _TOLD:
                self._odd.append(f"{line.file}: line {line.number} is no JSON")
        return found

    def _found(self, text: bytes) -> str | None:
        if self._regex is not None:
            match = self._regex.search(text)
            return match["trace"].decode("utf-8", "replace") if match and match["trace"] else None
        try:
            value = at_path(msgspec.json.decode(text), self._trace)
        except (msgspec.DecodeError, KeyError, RecursionError):
            return None
        return value if isinstance(value, str) else None


def made(spec: ProbeSpec, root: Path, variables: Mapping[str, str]) -> FilesProbe:
    """Makes the probe; it needs no variables."""
    del variables
    return FilesProbe(spec.name, spec.options, root)


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _compiled(options: Options) -> re.Pattern[bytes]:
    text = options.text("regex")
    try:
        found = re.compile(text.encode())
    except re.error as error:
        raise options.wrong(f"regex {text!r}", "a regular expression", str(error)) from error
    if "trace" not in found.groupindex:
        raise options.wrong(
            f"regex {text!r}", "a group named trace", "write (?P<trace>...) around the trial's id"
        )
    return found
