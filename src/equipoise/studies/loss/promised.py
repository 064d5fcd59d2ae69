"""What is in force of what was promised: the plan with its amendments applied."""

from collections.abc import Iterable

import msgspec

from equipoise.errors import InputError, nearest
from equipoise.records.event import Amendment
from equipoise.records.plan import Plan


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
