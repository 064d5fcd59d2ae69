"""The rules that were written down before: what follows from the axes, each looked at alone.

Equal means that the interval lies within the margin, more means that it lies beyond it; what is
neither cannot be told. No two axes are ever added up.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from equipoise.records.term_memory import Margins, ModeDifference, Reading
from equipoise.records.verdict import Tag
from equipoise.studies.translation.memory_differences import CONSISTENCY, COST, FIDELITY
from equipoise.terms.modes import Mode

CANNOT_TELL = "cannot tell"
BANK = "bank justified"
FULLER = "fuller context needed"
BANK_BETTER = "bank better"
NOT_CHEAPER = "as good, and not cheaper"
HARM = "fear confirmed"
NO_HARM = "no drop beyond the margin"
SEEN = "seen in consistency"
UNSEEN = "not seen in consistency"

INDICATIVE = "indicative"


class Side(StrEnum):
    """Where an interval lies, seen from a margin."""

    MORE = "more"
    LESS = "less"
    EQUAL = "equal"
    UNKNOWN = "unknown"


def readings(found: Iterable[ModeDifference], margins: Margins) -> tuple[Reading, ...]:
    """What the rules say; of a comparison that is missing that it cannot be told."""
    by_name = {(one.axis, one.mode, one.against): one for one in found}
    return (
        _bank(by_name, margins),
        _harm(by_name, margins),
        _harm_in_consistency(by_name, margins),
    )


def side_of(one: ModeDifference | None, margin: float) -> Side:
    """Where the interval of a difference lies.

    On an end of the margin counts as within.
    """
    if one is None or one.lo is None or one.hi is None:
        return Side.UNKNOWN
    if one.lo > margin:
        return Side.MORE
    if one.hi < -margin:
        return Side.LESS
    return Side.EQUAL if -margin <= one.lo and one.hi <= margin else Side.UNKNOWN


_Named = Mapping[tuple[str, str, str], ModeDifference]


def _bank(by_name: _Named, margins: Margins) -> Reading:
    """M1 against M2."""
    pair = (Mode.SELECTED.value, Mode.WHOLE.value)
    consistency, fidelity = (by_name.get((axis, *pair)) for axis in (CONSISTENCY, FIDELITY))
    cost = by_name.get((COST, *pair))
    quality = {
        side_of(consistency, margins.consistency),
        side_of(fidelity, margins.fidelity),
    }
    said, why = CANNOT_TELL, "the axes of quality are not all told"
    if quality == {Side.EQUAL}:
        said, why = _by_cost(cost, margins.cost)
    elif Side.LESS in quality and quality <= {Side.LESS, Side.EQUAL}:
        said, why = FULLER, "M2 is better than M1 beyond the margin, and nowhere worse"
    elif Side.MORE in quality and quality <= {Side.MORE, Side.EQUAL}:
        said, why = BANK_BETTER, "M1 is better than M2 beyond the margin, and nowhere worse"
    elif {Side.LESS, Side.MORE} <= quality:
        why = "M1 is better on one axis and worse on the other; axes are not combined"
    used = (consistency, fidelity, cost)
    return _reading("bank or long context", said, why, used, pair)


def _by_cost(cost: ModeDifference | None, margin: float) -> tuple[str, str]:
    """What is said of two modes that are equal in quality."""
    if cost is None or cost.lo is None or cost.hi is None:
        return CANNOT_TELL, "equal in quality within the margins, and what tokens cost is not told"
    if cost.hi < 1.0 - margin:
        return BANK, "equal in quality within the margins, and M1 saves tokens beyond its margin"
    if cost.lo >= 1.0 - margin:
        return NOT_CHEAPER, "equal in quality within the margins, and no saving beyond its margin"
    return CANNOT_TELL, "equal in quality within the margins; the saving may be either side of its"


def _harm(by_name: _Named, margins: Margins) -> Reading:
    """M3 against M0 in fidelity: does a wrong glossary do harm without a word?"""
    said = {
        Side.LESS: (HARM, "a wrong glossary costs fidelity beyond the margin"),
        Side.EQUAL: (NO_HARM, "a wrong glossary changes fidelity by less than the margin"),
        Side.MORE: (NO_HARM, "fidelity is higher with a wrong glossary than without any"),
    }
    return _of_exchanged("silent harm", by_name, FIDELITY, margins.fidelity, said)


def _harm_in_consistency(by_name: _Named, margins: Margins) -> Reading:
    """M3 against M0 in consistency: would that axis alone have shown the harm?"""
    said = {
        Side.LESS: (SEEN, "consistency drops beyond the margin"),
        Side.EQUAL: (UNSEEN, "consistency stays within the margin, whatever fidelity does"),
        Side.MORE: (UNSEEN, "consistency rises beyond the margin, whatever fidelity does"),
    }
    return _of_exchanged("harm in consistency", by_name, CONSISTENCY, margins.consistency, said)


def _of_exchanged(
    rule: str, by_name: _Named, axis: str, margin: float, said: Mapping[Side, tuple[str, str]]
) -> Reading:
    """What M3 against M0 shows on one axis; on both sides of the margin nobody can tell."""
    pair = (Mode.EXCHANGED.value, Mode.NONE.value)
    found = by_name.get((axis, *pair))
    unknown = (CANNOT_TELL, "the interval lies on both sides of the margin")
    word, why = said.get(side_of(found, margin), unknown)
    return _reading(rule, word, why, (found,), pair)


def _reading(
    rule: str,
    said: str,
    why: str,
    used: Sequence[ModeDifference | None],
    pair: tuple[str, str],
) -> Reading:
    tags = dict.fromkeys(tag for one in used if one is not None for tag in one.tags)
    lacking = [one for one in used if one is None or one.lo is None]
    needed = ""
    if lacking and said == CANNOT_TELL:
        reasons = dict.fromkeys(f"{one.axis}: {one.why}" for one in lacking if one is not None)
        why = "; ".join(reasons) or f"takes of {pair[0]} and {pair[1]} are not both there"
        needed = "the axes that are missing"
    elif said == CANNOT_TELL:
        needed = "more chunks"
    would_say = said
    if Tag.SIMULATED.value in tags:
        said, needed = CANNOT_TELL, "takes and judgements that somebody gave"
        why = f"simulated answers support no reading; of real ones the rule would say: {would_say}"
    return Reading(
        rule=rule,
        says=said,
        why=why,
        needed=needed,
        would_say=would_say,
        tags=(INDICATIVE, *tags),
    )
