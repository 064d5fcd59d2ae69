"""What must not be seen by those who rate: names of arms, models and skills, runs and counts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from equipoise.blind.families import Family, FamilyMap
from equipoise.blind.folding import fold


class Hides(StrEnum):
    """What a hidden name would give away."""

    ARM = "arm"
    MODEL = "model"
    SKILL = "skill"
    RUN = "run"
    COUNT = "count"  # a price, a number of tokens, a time: what a run took


class Sense(StrEnum):
    """How a name has to be read to be one.

    `SURE`: wherever it stands (``release-2``, ``gpt-4o``). `WORDS`: several ordinary words; sure
    where they are joined (``new_prompt``, ``NewPrompt``), with blanks only beside a
    word such as *variant*. `PLAIN`: one ordinary word or letter (``new``, ``A``), a name only
    beside such a word. `PROPER`: a word with a capital that is also somebody's name (``Claude``).
    """

    SURE = "sure"
    WORDS = "words"
    PLAIN = "plain"
    PROPER = "proper"


@dataclass(frozen=True, slots=True)
class HiddenName:
    """One name that is looked for.

    Attributes:
        name: as it is written in the study.
        hides: what it gives away.
        sense: how it has to be read.
        letters: its letters and digits as they look.
        seams: how many of `letters` stand before each place where words may be joined or parted.
    """

    name: str
    hides: Hides
    sense: Sense
    letters: str
    seams: frozenset[int]


def hidden_name(name: str, hides: Hides, sense: Sense | None = None) -> HiddenName:
    """Gives a name as it is looked for; without `sense` it is told from how it is written."""
    folded = fold(name)
    seams = {
        number + 1
        for number, (before, after) in enumerate(pairwise(folded.at))
        if _is_seam(name, before, after)
    }
    return HiddenName(name, hides, sense or _sense(name), folded.letters, frozenset(seams))


def hidden_names(
    *,
    arms: Iterable[str],
    models: Iterable[str],
    families: FamilyMap,
    skills: Iterable[str] = (),
    runs: Iterable[str] = (),
    counts: Iterable[str] = (),
) -> tuple[HiddenName, ...]:
    """Gives all names that outputs and documents are searched for.

    Args:
        arms: names of the arms.
        models: ids of the models that had a hand in any output; the names that their families and
            makers go by are looked for too.
        families: the family map.
        skills: names of skills; with and without a leading ``mcp-``.
        runs: ids of runs and trials, file names, keys of an order.
        counts: prices, numbers of tokens, times of runs, as they could be written.
    """
    ids = sorted({part for model in models for part in (model, model.rsplit("/", maxsplit=1)[-1])})
    involved = {name for model in ids for name in families.of(model)}
    found = [
        *(hidden_name(arm, Hides.ARM) for arm in arms),
        *(hidden_name(model, Hides.MODEL, _of_model(model)) for model in ids),
        *(hidden_name(skill, Hides.SKILL) for skill in skills),
        *(
            hidden_name(skill.removeprefix("mcp-"), Hides.SKILL)
            for skill in skills
            if skill.startswith("mcp-")
        ),
        *(hidden_name(run, Hides.RUN, Sense.SURE) for run in runs),
        *(hidden_name(_grouped(count), Hides.COUNT, Sense.PLAIN) for count in counts),
        *(
            name
            for family in families.families
            if family.id in involved
            for name in family_names(family)
        ),
    ]
    return tuple(
        {(one.letters, one.hides, one.sense): one for one in found if one.letters}.values()
    )


def family_names(family: Family) -> list[HiddenName]:
    """Gives what a text may call a family and its maker."""
    return [
        *(hidden_name(name, Hides.MODEL, Sense.SURE) for name in family.makers + family.names),
        *(hidden_name(name, Hides.MODEL, Sense.PROPER) for name in family.doubtful),
    ]


def _grouped(count: str) -> str:
    """A whole number with the places where thousands may be parted."""
    return f"{int(count):,}" if count.isascii() and count.isdigit() else count


def _sense(name: str) -> Sense:
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[^\W\d_])(?<![A-Z])(?=[A-Z])", " ", name))
    if re.fullmatch(r"[vV]?\d+", name):  # every text has a 2, and many a v2
        return Sense.PLAIN
    if any(sign.isdigit() for sign in name) and any(sign.isalpha() for sign in name):
        return Sense.SURE
    return Sense.WORDS if len(words) > 1 else Sense.PLAIN


def _of_model(model: str) -> Sense:
    """An id is a name for sure, but for one that is an ordinary word (``command``)."""
    return Sense.PLAIN if _sense(model) is Sense.PLAIN else Sense.SURE


def _is_seam(name: str, before: int, after: int) -> bool:
    """Whether words meet between two letters: at a sign, at a digit, at a capital."""
    left, right = name[before], name[after]
    return (
        after > before + 1
        or (left.isdigit() != right.isdigit())
        or (left.islower() and right.isupper())
    )
