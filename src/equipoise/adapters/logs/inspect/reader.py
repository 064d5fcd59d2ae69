"""Reads Inspect AI logs: ``.eval`` archives and ``.json`` files, one or a folder of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.cell_names import CellNames
from equipoise.adapters.logs.inspect.header import Header, header_of
from equipoise.adapters.logs.inspect.samples import Choices, SampleReader
from equipoise.adapters.logs.json_stream import walk
from equipoise.adapters.logs.json_text import BadJson, decode
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.opened import chunks
from equipoise.adapters.logs.options import Options
from equipoise.adapters.logs.sources import files_of
from equipoise.adapters.logs.zip_members import BadMember, Member, content_of, members_of
from equipoise.errors import UnreadableSource
from equipoise.ports import Reading
from equipoise.records.notice import Headline
from equipoise.records.terms import Direction

_SAMPLES = ("samples",)
_HEAVY = frozenset({("messages",), ("events",), ("message_pool",)})
_WHOLE = 1 << 22
"""A sample up to so many bytes is decoded at once; of a larger one the long lists are left out."""


class InspectReader:
    """The reader of Inspect logs.

    Options: ``arm``, ``scorer`` (which one is the outcome), ``scale``, ``direction``, ``labels``
    and ``cluster`` (keys of the samples' metadata).
    """

    name = "inspect"

    def directions(self, options: dict[str, Any]) -> dict[str, Direction]:
        """Gives the direction of the outcome as the options say; higher is better without."""
        return Options(options, _KEYS).directions()

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of one log, or of all logs in a folder.

        Raises:
            InputError: an option is wrong.
            UnreadableSource: no log could be read.
        """
        choices = _choices(Options(options, _KEYS))
        noticer = Noticer()
        logs = list(self._logs(source, noticer))
        tasks = {log.header.task for log in logs}
        cells = CellNames(noticer)
        for log in logs:
            prefix = f"{log.header.task}/" if len(tasks) > 1 else ""
            yield from _declared(log, choices)
            reader = SampleReader(log.header, choices, prefix=prefix, noticer=noticer, cells=cells)
            for where, sample in _samples(log, noticer):
                yield from reader.readings(sample, where)
            _check(log, reader, noticer)
        yield from noticer.flush()

    def _logs(self, source: Path, noticer: Noticer) -> Iterator["Log"]:
        faults: list[UnreadableSource] = []
        n_logs = 0
        for path in files_of(source, (".eval", ".json"), noticer):
            try:
                yield open_log(path, noticer)
            except UnreadableSource as error:
                faults.append(error)
                noticer.lost("unreadable_log", str(error), path.name)
            else:
                n_logs += 1
        if not n_logs:
            raise faults[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One log: its head, and how its samples are reached."""

    path: Path
    header: Header
    members: dict[str, Member] | None


def open_log(path: Path, noticer: Noticer) -> Log:
    """Gives the head of a log and how its samples are reached.

    Raises:
        UnreadableSource: it is no Inspect log, or broken before its samples.
    """
    with path.open("rb") as file:
        is_zip = file.read(2) == b"PK"
    if not is_zip:
        return Log(path=path, header=_json_header(path, noticer), members=None)
    members = members_of(path, noticer)
    for name in ("header.json", "_journal/start.json"):
        if name not in members:
            continue
        found = _decoded(path, members[name], noticer)
        if isinstance(found, dict):
            if name != "header.json":
                noticer.warn("no_header", "the run did not finish: no header.json", path.name)
            return Log(path=path, header=header_of(found), members=members)
    raise UnreadableSource(
        f"{path.name} has no header that can be read", wanted="an Inspect log", code="no_inspect"
    )


def _json_header(path: Path, noticer: Noticer) -> Header:
    parts: dict[str, Any] = {}
    try:
        for place, value in walk(chunks(path, noticer), frozenset({_SAMPLES})):
            if len(place) == 1:
                parts[str(place[0])] = value
    except BadJson as error:
        if "eval" not in parts:
            raise UnreadableSource(
                f"{path.name} is broken: {error}", wanted="an Inspect log", code="bad_json"
            ) from error
        noticer.lost("bad_json", f"the log breaks off: {error}", path.name)
    if not isinstance(parts.get("eval"), dict):
        raise UnreadableSource(
            f"{path.name} is no Inspect log (it has no 'eval')",
            wanted="an .eval or .json log",
            code="no_inspect",
        )
    return header_of(parts)


def _samples(log: Log, noticer: Noticer) -> Iterator[tuple[str, Any]]:
    if log.members is None:
        yield from _json_samples(log.path, noticer)
        return
    for name, member in sorted(log.members.items()):
        if not (name.startswith("samples/") and name.endswith(".json")):
            continue
        sample = _decoded(log.path, member, noticer)
        if sample is not None:
            yield f"{log.path.name}:{name}", sample


def _json_samples(path: Path, noticer: Noticer) -> Iterator[tuple[str, Any]]:
    try:
        for place, value in walk(chunks(path, Noticer()), frozenset({_SAMPLES})):
            if place[:1] != _SAMPLES or len(place) != 2:
                continue
            where = f"{path.name}:samples[{place[1]}]"
            if isinstance(value, BadJson):
                noticer.lost("bad_sample", f"a sample: {value}", where)
            else:
                yield where, value
    except BadJson:
        noticer.lost("samples_lost", "samples after the break could not be read", path.name)


def _decoded(path: Path, member: Member, noticer: Noticer) -> Any:
    """The JSON of a member; of a very long sample the long lists are passed by."""
    where = f"{path.name}:{member.name}"
    try:
        held: list[bytes] = []
        pieces = content_of(path, member)
        for piece in pieces:
            held.append(piece)
            if sum(map(len, held)) > _WHOLE:
                return _without_lists(held, pieces)
        return decode(b"".join(held)).value
    except (BadMember, BadJson) as error:
        noticer.lost("bad_member", f"a part of the log cannot be read: {error}", where)
        return None


def _without_lists(held: list[bytes], pieces: Iterator[bytes]) -> dict[str, Any]:
    def all_pieces() -> Iterator[bytes]:
        yield from held
        held.clear()
        yield from pieces

    parts: dict[str, Any] = {}
    for place, value in walk(all_pieces(), _HEAVY):
        if len(place) == 1:
            if isinstance(value, BadJson):
                raise value
            parts[str(place[0])] = value
    return parts


def _declared(log: Log, choices: Choices) -> Iterator[Headline]:
    header = log.header
    arm = choices.arm or header.model or "inspect"
    is_single = len({m.scorer for m in header.metrics}) == 1
    for metric in header.metrics:
        name = metric.name if is_single else f"{metric.scorer}/{metric.name}"
        yield Headline(metric=name, value=metric.value, arm=arm, where=log.path.name)
    for model, total in header.total_tokens.items():
        yield Headline(
            metric=f"total_tokens/{model}", value=float(total), arm=arm, where=log.path.name
        )


def _check(log: Log, reader: SampleReader, noticer: Noticer) -> None:
    """Tells where what the log declares does not go with what it holds."""
    header, name = log.header, log.path.name
    noticer.info(
        "inspect_log",
        f"task {header.task!r}, model {header.model!r}, log version {header.version}, "
        f"status {header.status or 'none'!r}: {reader.n_samples} samples, "
        f"{reader.n_scored} scored",
        name,
    )
    if header.status != "success":
        noticer.warn("not_finished", f"the log's status is {header.status or 'none'!r}", name)
    if header.is_invalidated:
        noticer.warn("invalidated", "the log is marked as invalidated by its owner", name)
    if header.n_total is not None and header.n_total != reader.n_samples:
        noticer.warn(
            "samples_missing",
            f"the log declares {header.n_total} samples and holds {reader.n_samples}",
            name,
        )
    if any(metric.value is None for metric in header.metrics):
        noticer.warn("declared_nan", "a declared metric is NaN: undefined, not 0", name)


_KEYS = ("arm", "scorer", "scale", "cluster")


def _choices(options: Options) -> Choices:
    return Choices(
        arm=options.text("arm"),
        scorer=options.text("scorer"),
        scale=options.scale(),
        labels=options.names("labels"),
        cluster=options.text("cluster"),
    )
