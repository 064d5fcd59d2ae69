"""Puts the outputs of each axis into sets that are balanced over pairs, places and neighbours."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.errors import InputError
from equipoise.records.codec import digest
from equipoise.records.rating_plan import AxisPlan, Output, RatingSet
from equipoise.stages.plan.rating_outputs import Outputs, languages_of, same_text
from equipoise.stats.bws_sets import SetDesign, design_sets, williams_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTerms:
    """What the sets of every axis have in common.

    Args:
        arms: all arms of the study.
        set_size: outputs a set; no more than there are arms.
        identical: ``credit-both`` shows a text of two arms once, ``drop`` leaves the set out.
        seed: all chance follows from it.
    """

    arms: tuple[str, ...]
    set_size: int
    identical: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisSets:
    """The study sets of one axis.

    Attributes:
        axis: the axis.
        sets: in an order that has nothing to do with units.
        design: how they were made.
        left_out: why units have no set -> how many.
        n_same: sets in which two arms have the same text.
        spare: eligible units without a study set, for checks.
        n_units: eligible units.
    """

    axis: AxisPlan
    sets: tuple[RatingSet, ...]
    design: SetDesign
    left_out: dict[str, int]
    n_same: int
    spare: tuple[str, ...]
    n_units: int


def axis_sets(
    axis: AxisPlan, terms: SetTerms, outputs: Outputs, *, n_sets: int | None = None
) -> AxisSets:
    """Gives the study sets of an axis.

    Where a set holds all arms, a unit has one set at most; else a unit may have several, with other
    arms in each.

    Raises:
        InputError: no unit can be asked about on this axis (``no_units``), more sets are asked for
            than units give (``too_few_units``), or what is shown beside the outputs of a unit
            differs from arm to arm (``shown_differs``).
    """
    rng = rng_of(terms.seed, "sets", axis.name)
    left_out: Counter[str] = Counter()
    units = _eligible(axis, terms, outputs, left_out)
    design = design_sets(len(terms.arms), terms.set_size, rng)
    wanted = _number(axis, terms, len(units), n_sets, len(design.sets))
    shuffled = [units[place] for place in rng.permutation(len(units))]
    sets = []
    for number, arms in enumerate(_blocks(design, len(shuffled), wanted, terms)):
        unit = shuffled[number % len(shuffled)]
        made = _set(axis, unit, arms, outputs[unit], number)
        if made.same and terms.identical == "drop":
            left_out["two arms have the same text"] += 1
        else:
            sets.append(made)
    if not sets:
        raise InputError(
            f"all sets of axis {axis.name!r} hold the same text twice and are dropped",
            wanted="outputs that differ",
            mend="write identical: credit-both",
            code="no_units",
        )
    used = {one.unit for one in sets}
    return AxisSets(
        axis=axis,
        sets=tuple(sets),
        design=design,
        left_out=dict(left_out),
        n_same=sum(bool(one.same) for one in sets),
        spare=tuple(unit for unit in shuffled if unit not in used),
        n_units=len(units),
    )


def orders_of(arms: Sequence[str], all_arms: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Gives the orders in which a set is shown, its own first: rows of the square, or rotations.

    >>> orders_of(("B", "A"), ("A", "B"))
    (('B', 'A'), ('A', 'B'))
    """
    own = tuple(arms)
    if len(own) == len(all_arms):
        rows = [tuple(all_arms[item] for item in row) for row in williams_rows(len(own))]
        if own in rows:
            start = rows.index(own)
            return tuple(rows[start:] + rows[:start])
    return tuple(own[turn:] + own[:turn] for turn in range(len(own)))


def rng_of(seed: int, *purpose: str) -> np.random.Generator:
    """Gives the chance for one purpose; what is drawn for another does not move it."""
    return np.random.default_rng([seed, int(digest("\n".join(purpose).encode())[:12], 16)])


def _eligible(
    axis: AxisPlan, terms: SetTerms, outputs: Outputs, left_out: Counter[str]
) -> list[str]:
    """Gives the units that can be asked about, and counts why others cannot.

    Raises:
        InputError: there is none.
    """
    units = []
    for unit, by_arm in outputs.items():
        why = _why_not(by_arm, axis, terms)
        if why:
            left_out[why] += 1
        else:
            units.append(unit)
    if not units:
        whys = "; ".join(f"{why} ({n:,})" for why, n in left_out.items())
        raise InputError(
            f"no unit can be asked about on axis {axis.name!r}: {whys}",
            wanted="units with outputs of all arms, in the axis' languages, with what it shows",
            code="no_units",
        )
    return units


def _number(
    axis: AxisPlan, terms: SetTerms, n_units: int, n_sets: int | None, n_blocks: int
) -> int:
    """Gives the number of sets.

    Raises:
        InputError: more are asked for than the units give.
    """
    most = n_units * (1 if terms.set_size == len(terms.arms) else n_blocks)
    wanted = n_units if n_sets is None else n_sets
    if wanted > most:
        raise InputError(
            f"axis {axis.name!r} asks for {wanted:,} sets, and its {n_units:,} units give at most "
            f"{most:,}",
            wanted="new units for more sets: two sets of one unit tell less than two units",
            mend=f"write sets: {most}, or add units",
            code="too_few_units",
        )
    return wanted


def _blocks(
    design: SetDesign, n_units: int, n_sets: int, terms: SetTerms
) -> Iterator[tuple[str, ...]]:
    """Yields the arms of each set; the sets of a smaller design are turned from cycle to cycle."""
    n = len(design.sets)
    is_full = terms.set_size == len(terms.arms)
    for number in range(n_sets):
        again, unit = divmod(number, n_units)
        block = design.sets[(unit + again) % n]
        turn = 0 if is_full else (number // n) % terms.set_size
        yield tuple(terms.arms[item] for item in (*block[turn:], *block[:turn]))


def _set(
    axis: AxisPlan, unit: str, arms: tuple[str, ...], by_arm: Mapping[str, Output], number: int
) -> RatingSet:
    alike: dict[str, list[str]] = defaultdict(list)
    for arm in arms:
        alike[same_text(by_arm[arm].text)].append(arm)
    return RatingSet(
        id=f"{axis.name}-{number + 1:04d}",
        axis=axis.name,
        unit=unit,
        arms=arms,
        cluster=next((one.cluster for one in by_arm.values() if one.cluster), ""),
        same=tuple(tuple(group) for group in alike.values() if len(group) > 1),
    )


def _why_not(by_arm: Mapping[str, Output], axis: AxisPlan, terms: SetTerms) -> str:
    """Says why a unit has no set on the axis; empty where it has.

    Raises:
        InputError: what is shown beside its outputs differs from arm to arm.
    """
    missing = [arm for arm in terms.arms if arm not in by_arm]
    if missing:
        return f"no output of {', '.join(missing)}"
    outputs = list(by_arm.values())
    if axis.shows and any(not _docs(one, axis) for one in outputs):
        return f"nothing to show of {', '.join(axis.shows)}"
    languages = frozenset().union(*(languages_of(one, axis.shows) for one in outputs))
    if axis.languages and (foreign := sorted(languages - set(axis.languages))):
        return f"in {', '.join(foreign)}"
    first = outputs[0]
    for one in outputs[1:]:
        is_same_prompt = not axis.shows_prompt or one.prompt == first.prompt
        if _docs(one, axis) != _docs(first, axis) or not is_same_prompt:
            raise InputError(
                f"on axis {axis.name!r} unit {one.unit!r} shows one thing beside the output of "
                f"{first.arm!r} and another beside that of {one.arm!r}",
                wanted="the same prompt and documents for every arm: else they tell who it is",
                code="shown_differs",
            )
    if len({same_text(one.text) for one in outputs}) == 1:
        return "all arms have the same text"
    return ""


def _docs(output: Output, axis: AxisPlan) -> list[tuple[str, str]]:
    return [(doc.name, doc.text) for doc in output.docs if doc.name in axis.shows]
