"""Sets whose right answer is known: with a spoiled copy, or with one text twice."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from equipoise.errors import InputError
from equipoise.records.rating_plan import AxisPlan, Output, RatingSet, SetKind
from equipoise.stages.plan.rating_outputs import Outputs, languages_of, same_text
from equipoise.stages.plan.rating_sets import AxisSets, SetTerms, rng_of

_FEWEST_PIECES = 6
_PIECE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTerms:
    """How many checks of each kind an axis has, and what is told after a wrong answer."""

    n_silent: int
    n_loud: int
    n_tutorial: int
    n_equal: int
    warning: str


def check_sets(
    made: AxisSets, checks: CheckTerms, terms: SetTerms, outputs: Outputs
) -> Iterator[RatingSet]:
    """Yields the checks of an axis, as many for each group of languages that its sets are in.

    Units without a study set are taken first; where there are too few, units of study sets follow.
    The text of one arm is replaced: by a copy of it with its words (or, where a text has no spaces,
    pieces of two characters) in disorder, which is the worst; or by the text of another arm.

    Raises:
        InputError: checks are asked for, and all texts are too short (``no_checks``).
    """
    rng = rng_of(terms.seed, "checks", made.axis.name)
    kinds = [
        *[(SetKind.TUTORIAL, True)] * checks.n_tutorial,
        *[(SetKind.LOUD, True)] * checks.n_loud,
        *[(SetKind.SILENT, True)] * checks.n_silent,
        *[(SetKind.SILENT, False)] * checks.n_equal,
    ]
    number = 0
    for units in _by_language(made, outputs).values():
        fit = [unit for unit in units if any(_can_spoil(one) for one in outputs[unit].values())]
        if kinds and not fit:
            raise InputError(
                f"no output of axis {made.axis.name!r} is long enough to be spoiled for a check",
                wanted=f"texts of {_FEWEST_PIECES} words, or {_FEWEST_PIECES * _PIECE} characters",
                mend="leave checks out, and say so",
                code="no_checks",
            )
        for place, (kind, is_spoiled) in enumerate(kinds):
            number += 1
            unit = fit[place % len(fit)]
            arms = _arms(outputs[unit], terms, rng)
            yield _check(
                RatingSet(
                    id=f"{made.axis.name}-check-{number:02d}",
                    axis=made.axis.name,
                    unit=unit,
                    arms=arms,
                    kind=kind,
                    warning=checks.warning if kind is not SetKind.SILENT else "",
                ),
                outputs[unit],
                rng,
                is_spoiled=is_spoiled,
            )


def spoiled(text: str, rng: np.random.Generator) -> str:
    """Gives the text with its words in disorder, or pieces of two characters where it has no words.

    Nothing is added or left out, so that its length tells nothing. What cannot be put in another
    order is given back as it is.
    """
    words = text.split()
    joint = " " if len(words) >= _FEWEST_PIECES else ""
    whole = "".join(words)
    pieces = words if joint else [whole[i : i + _PIECE] for i in range(0, len(whole), _PIECE)]
    for _ in range(20):
        mixed = joint.join(pieces[place] for place in rng.permutation(len(pieces)))
        if same_text(mixed) != same_text(text):
            return mixed
    return text


def _check(
    bare: RatingSet, by_arm: Mapping[str, Output], rng: np.random.Generator, *, is_spoiled: bool
) -> RatingSet:
    can = [arm for arm in bare.arms if _can_spoil(by_arm[arm])]
    victim = str(rng.choice(can or list(bare.arms)))
    if is_spoiled:
        planted = {victim: spoiled(by_arm[victim].text, rng)}
        return msgspec.structs.replace(bare, planted=planted, worst=victim)
    other = str(rng.choice([arm for arm in bare.arms if arm != victim]))
    return msgspec.structs.replace(bare, planted={other: by_arm[victim].text})


def _arms(
    by_arm: Mapping[str, Output], terms: SetTerms, rng: np.random.Generator
) -> tuple[str, ...]:
    """Gives arms with different texts, in places drawn at random."""
    seen: dict[str, str] = {}
    for place in rng.permutation(len(terms.arms)):
        arm = terms.arms[place]
        seen.setdefault(same_text(by_arm[arm].text), arm)
    return tuple(seen.values())[: terms.set_size]


def _can_spoil(output: Output) -> bool:
    words = output.text.split()
    return len(words) >= _FEWEST_PIECES or len("".join(words)) >= _FEWEST_PIECES * _PIECE


def _by_language(made: AxisSets, outputs: Outputs) -> dict[frozenset[str], list[str]]:
    """Gives the units by the languages they are in, those without a study set first."""
    found: dict[frozenset[str], list[str]] = {}
    for unit in dict.fromkeys([*made.spare, *reversed([one.unit for one in made.sets])]):
        found.setdefault(languages_in(outputs[unit], made.axis), []).append(unit)
    return dict(sorted(found.items(), key=lambda item: sorted(item[0])))


def languages_in(by_arm: Mapping[str, Output], axis: AxisPlan) -> frozenset[str]:
    """Gives the languages that a rater of a unit has to read on an axis."""
    return frozenset().union(*(languages_of(one, axis.shows) for one in by_arm.values()))
