"""What was promised of a study and what was changed since: the plan with its amendments applied."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from equipoise.errors import InputError, nearest
from equipoise.records.event import Amendment
from equipoise.records.plan import Plan

AMENDMENTS = "amendments.jsonl"


def read_amendments(study: Path) -> tuple[Amendment, ...]:
    """Reads the amendments of a study in order; chained lines or bare ones, none where no file is.

    Raises:
        InputError: a line is no amendment.
    """
    path = study / AMENDMENTS
    if not path.is_file():
        return ()
    return tuple(
        _amendment(line, f"{path}:{number}")
        for number, line in enumerate(path.read_bytes().splitlines(), start=1)
        if line.strip()
    )


def _amendment(line: bytes, where: str) -> Amendment:
    try:
        read: Any = msgspec.json.decode(line)
        body = read["body"] if isinstance(read, dict) and "body" in read else read
        return msgspec.convert(body, Amendment)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(
            f"{error}", wanted="an amendment", where=where, code="bad_record"
        ) from error


def amended(plan: Plan, amendments: Iterable[Amendment]) -> Plan:
    """Gives the plan as it stands after its amendments.

    Raises:
        InputError: an amendment names no field of the plan, or gives it no value it can have.
    """
    for one in amendments:
        if one.field and one.now is not None:
            plan = _with(plan, one.field, one.now)
    return plan


def _with(plan: Plan, field: str, now: str) -> Plan:
    values = msgspec.to_builtins(plan)
    if field not in values:
        raise InputError(
            f"an amendment changes {field!r}",
            wanted="a field of the plan",
            mend=nearest(field, list(values)),
            code="unknown_field",
        )
    try:
        return msgspec.convert(values | {field: msgspec.json.decode(now)}, Plan)
    except msgspec.MsgspecError as error:
        raise InputError(
            f"an amendment gives {field!r} the value {now[:80]}: {error}",
            wanted="a value that the plan's field can have",
            code="bad_amendment",
        ) from error
