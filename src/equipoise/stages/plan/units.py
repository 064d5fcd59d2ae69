"""The units of a study, from the lines of `units.jsonl`: what a system may see, and what not."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import msgspec

from equipoise.errors import InputError
from equipoise.records.brief import Brief
from equipoise.records.codec import digest, encode
from equipoise.records.holdout import Holdout
from equipoise.records.plan import Provenance
from equipoise.records.unseen import why_unfit
from equipoise.records.wanted import shown
from equipoise.stages.plan.faults import refuse

_MOST_FAULTS = 20
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "nothing",
}
_WORD = re.compile(f"`({'|'.join(_WORDS)})`")
_THE = {"id": "an id", "cluster": "a cluster"}


class _Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    labels: dict[str, str]
    brief: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    kind: Literal["stochastic", "deterministic"] = "stochastic"
    cluster: str | None = None
    adversarial: bool = False
    retention_until: str | None = None
    may_quote: bool | None = None
    pseudonyms: dict[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One unit: its two halves, and the hash of everything its line says."""

    brief: Brief
    holdout: Holdout
    sha256: str

    def is_expired(self, today: date) -> bool:
        """Says whether the unit may no longer be used; on its last day it still may."""
        until = self.holdout.retention_until
        return until is not None and date.fromisoformat(until) < today


def read_units(
    text: bytes, *, axes: Mapping[str, Iterable[str]], provenance: Provenance, name: str
) -> tuple[Unit, ...]:
    """Gives the units, sorted by id whatever their order in the file.

    Args:
        text: the bytes of the file, one JSON object a line.
        axes: the declared label keys and their values.
        provenance: units from life need a retention date and say whether they may be quoted.
        name: the file's name, for messages.

    Raises:
        InputError: lists every faulty line with the unit's id; or there is no unit.
    """
    allowed = {key: frozenset(values) for key, values in axes.items()}
    units: dict[str, Unit] = {}
    faults: list[str] = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        try:
            raw = msgspec.json.decode(line)
            read = msgspec.convert(raw, _Line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            told = _WORD.sub(lambda found: _WORDS[found[1]], str(error))
            faults.append(f"{where}: {told}; mend: one JSON object a line, see study.md")
            continue
        found = [*_faults(read, allowed)]
        if provenance is Provenance.CORPUS:
            found += _unprotected(read)
        faults += [f"{where}: unit {shown(read.id)} {fault}" for fault in found]
        if read.id in units:
            first = units[read.id].brief.origin
            told = f"{where}: unit {shown(read.id)} stands in {first} already; mend: own ids"
            faults.append(told)
            continue
        units[read.id] = _unit(read, raw, where)
    _refuse(faults)
    if not units:
        raise InputError(f"{name} has no unit", wanted="one JSON object a line", code="no_units")
    return tuple(units[identity] for identity in sorted(units))


def digest_of(units: Iterable[Unit]) -> str:
    """Gives the hash of all units, whatever their order."""
    return digest(encode(sorted([unit.brief.unit, unit.sha256] for unit in units)))


def _unit(read: _Line, raw: Any, where: str) -> Unit:
    return Unit(
        brief=Brief(
            unit=read.id,
            content=read.brief,
            labels=dict(sorted(read.labels.items())),
            cluster=read.cluster,
            is_anchor=read.kind == "deterministic",
            is_adversarial=read.adversarial,
            origin=where,
        ),
        holdout=Holdout(
            unit=read.id,
            expected=read.expected,
            may_quote=read.may_quote is not False,
            retention_until=read.retention_until,
            pseudonyms=read.pseudonyms,
        ),
        sha256=digest(encode(raw)),
    )


def _faults(read: _Line, allowed: Mapping[str, frozenset[str]]) -> Iterator[str]:
    names = {"id": read.id, "cluster": read.cluster}
    for key, name in names.items():
        if name is not None and (why := why_unfit(name)):
            yield f"has {_THE[key]} that {why}; mend: write {key} in a few letters and digits"
    for key in allowed.keys() - read.labels.keys():
        yield f"has no label {key!r}; wanted: each axis of the study; mend: add it to labels"
    for key in sorted(read.labels):
        if key not in allowed:
            yield f"has the label {key!r}, which is no axis; mend: declare it under axes"
        elif read.labels[key] not in allowed[key]:
            valid = ", ".join(sorted(allowed[key]))
            yield (
                f"has {key}={read.labels[key]}, which axis {key!r} does not declare; wanted: one "
                f"of {valid}; mend: declare it, or change the label"
            )
    if read.retention_until is not None and not _is_date(read.retention_until):
        yield f"has retention_until {read.retention_until!r}; wanted: a date such as 2027-12-31"


def _unprotected(read: _Line) -> Iterator[str]:
    if read.retention_until is None:
        yield (
            "comes from life (provenance korpus) and has no retention_until; mend: say until when "
            "it may be used, such as 2027-12-31"
        )
    if read.may_quote is None:
        yield (
            "comes from life (provenance korpus) and does not say whether it may be quoted; mend: "
            "write may_quote: true or false"
        )


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _refuse(faults: list[str]) -> None:
    further = len(faults) - _MOST_FAULTS
    shown = faults[:_MOST_FAULTS]
    refuse([*shown, f"… and {further} further faults"] if further > 0 else shown)
