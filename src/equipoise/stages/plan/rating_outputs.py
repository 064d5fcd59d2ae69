"""The outputs that are rated, from the lines of `outputs.jsonl`."""

import unicodedata
from collections.abc import Iterator, Mapping

import msgspec

from equipoise.errors import InputError
from equipoise.records.rating_plan import Output
from equipoise.records.unseen import why_unfit
from equipoise.records.wanted import plainly, shown
from equipoise.stages.plan.faults import refuse

_MOST_FAULTS = 20

Outputs = Mapping[str, Mapping[str, Output]]
"""Unit -> arm -> what the arm gave for it."""


class _Line(Output, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An output as it is written by hand: a key that is not known is a slip."""


def read_outputs(
    text: bytes, *, arms: tuple[str, ...], longest: int, name: str
) -> dict[str, dict[str, Output]]:
    """Gives the outputs by unit and arm, units and arms in an order of their own.

    Args:
        text: the bytes of the file, one JSON object a line.
        arms: the arms of the study; outputs of others are not taken.
        longest: most characters of one output.
        name: the file's name, for messages.

    Raises:
        InputError: lists every faulty line: no record, an arm that the study does not have, a
            second output of the same arm for a unit, a text that is empty or too long.
    """
    found: dict[str, dict[str, Output]] = {}
    faults: list[str] = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        try:
            output = msgspec.json.decode(line, type=_Line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            faults.append(
                f"{where}: {plainly(error)}; mend: one JSON object a line, see rating-files.md"
            )
            continue
        faults += [f"{where}: {fault}" for fault in _faults(output, arms, longest)]
        if output.arm in found.setdefault(output.unit, {}):
            faults.append(
                f"{where}: unit {shown(output.unit)} has two outputs of arm {output.arm!r}; "
                "mend: keep one; repetitions are units of their own here"
            )
        found[output.unit][output.arm] = msgspec.convert(msgspec.to_builtins(output), Output)
    if not found and not faults:
        raise InputError(f"{name} has no output", wanted="one JSON object a line", code="no_output")
    further = len(faults) - _MOST_FAULTS
    refuse([*faults[:_MOST_FAULTS], *([f"… and {further} more"] if further > 0 else [])])
    return {
        unit: {arm: found[unit][arm] for arm in arms if arm in found[unit]}
        for unit in sorted(found)
    }


def same_text(text: str) -> str:
    """Gives what two texts share that a reader cannot tell apart: NFC, runs of space as one."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def languages_of(output: Output, shows: tuple[str, ...]) -> frozenset[str]:
    """Gives the languages of all that is shown with an output; unknown ones are left out."""
    shown_docs = [doc.lang for doc in output.docs if doc.name in shows]
    return frozenset(lang for lang in (output.lang, *shown_docs) if lang)


def _faults(output: Output, arms: tuple[str, ...], longest: int) -> Iterator[str]:
    if why := why_unfit(output.unit):
        yield f"has a unit that {why}; mend: name units in a few letters and digits"
    if output.arm not in arms:
        yield f"has the arm {shown(output.arm)}; wanted: one of {', '.join(arms)}"
    told = f"the output of {output.arm!r} for unit {shown(output.unit)}"
    if not output.text.strip():
        yield f"{told} is empty; mend: leave the line out, and the unit counts as missing"
    if len(output.text) > longest:
        yield (
            f"{told} has {len(output.text):,} characters, more than {longest:,}; people compare a "
            "paragraph or a short chunk; mend: cut the units, or write a greater `longest`"
        )
