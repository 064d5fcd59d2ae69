"""Which judges may judge which sets, known before anything is spent."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from equipoise.blind.families import FamilyMap, count_families, families_of
from equipoise.errors import InputError
from equipoise.records.rating_plan import Output, Policy, RatingSet, SetKind
from equipoise.stats.family_guard import GuardResult, guard_families

MAX_FAMILIES = 3
"""Most families of one panel (PIL-34): nine judges are worth about two votes."""

WANTED = 2
"""Families that a panel should judge each set with."""

_WANTED_OF = {Policy.SINGLE: 1, Policy.DOUBLE: 1, Policy.PANEL: WANTED}
_ROOM = {Policy.SINGLE: 1, Policy.DOUBLE: 2, Policy.PANEL: MAX_FAMILIES}


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalComparison:
    """What is left of the panel for two arms on one axis in one language.

    Attributes:
        axis: the axis.
        language: language of the outputs ("" = not recorded).
        first: one arm, the one that a set has first.
        second: the other one.
        n_sets: study sets that hold both.
        n_two: those that judges of two or more families may judge.
        n_one: those that one family is left for.
        n_none: those that nobody may judge.
        n_unrecorded: of the latter, those with an output whose models are not recorded.
        unknown_models: models of these sets that the family map does not know.
        add: families that touched nothing in the sets that lack judges, and are not on the panel;
            if there is none, those that would help most of these sets.
        n_to_add: how many of them it takes for all families that are wanted, everywhere.
    """

    axis: str
    language: str
    first: str
    second: str
    n_sets: int
    n_two: int
    n_one: int
    n_none: int
    n_unrecorded: int
    unknown_models: tuple[str, ...]
    add: tuple[str, ...]
    n_to_add: int

    @property
    def is_evaluable(self) -> bool:
        """Whether the panel may judge any set of it."""
        return self.n_none < self.n_sets


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalJudges:
    """The panel, held against every set.

    Attributes:
        judges: judge -> its family (``deepseek+meta`` for a distillate).
        allowed: set -> the judges that may judge it.
        excluded: set -> judge -> why not: ``same_family:xai``, ``unknown_family_of_output:C2``.
        comparisons: what is left for every pair of arms, axis and language.
        warnings: what a reader of the plan has to know.
        most_families: families that the plan's policy has room for.
    """

    judges: Mapping[str, str]
    allowed: Mapping[str, tuple[str, ...]]
    excluded: Mapping[str, Mapping[str, str]]
    comparisons: tuple[LegalComparison, ...]
    warnings: tuple[str, ...]
    most_families: int = MAX_FAMILIES

    def exclusions(self) -> Iterator[tuple[str, str, int]]:
        """Gives judge, reason and the number of sets, in the order of the judges."""
        counts = Counter(
            (judge, why) for reasons in self.excluded.values() for judge, why in reasons.items()
        )
        order = {judge: number for number, judge in enumerate(self.judges)}
        for (judge, why), n_sets in sorted(
            counts.items(), key=lambda item: (order[item[0][0]], item[0][1])
        ):
            yield judge, why, n_sets


def legal_judges(
    judges: Mapping[str, str],
    sets: Iterable[RatingSet],
    outputs: Iterable[Output],
    families: FamilyMap,
    *,
    policy: Policy = Policy.PANEL,
) -> LegalJudges:
    """Gives the judges that may judge each set, and what is left for each comparison.

    Args:
        judges: judge -> its family, as `FamilyMap.judge_family` gives it.
        sets: all sets of the plan; only study sets count in `comparisons`.
        outputs: all outputs; `models` says which models had a hand in one at any stage. An output
            without models (``()``) is a person's, and any judge may judge it; one whose models are
            not recorded (null), or not known to the family map, nobody may judge. Of arms that
            share a text all are looked at.
        families: the family map of the study.
        policy: only a panel wants two families for each set; `single` has room for one judge.

    Raises:
        InputError: see `check_panel`.
    """
    warnings = check_panel(judges, policy)
    by_place = {(output.unit, output.arm): output for output in outputs}
    guard = _Guard(judges, families)
    allowed: dict[str, tuple[str, ...]] = {}
    excluded: dict[str, Mapping[str, str]] = {}
    tallies: dict[tuple[str, str, str, str], _Tally] = {}
    order: dict[str, int] = {}
    for one in sets:
        held = {arm: by_place.get((one.unit, arm)) for arm in one.arms}
        touched = {
            arm: None if output is None else output.models
            for arm, output in held.items()
            if output is not None or arm not in one.planted
        }
        result = guard.judges_of(touched)
        allowed[one.id], excluded[one.id] = result.allowed, result.excluded
        if one.kind is not SetKind.STUDY:
            continue
        language = next((output.lang for output in held.values() if output), "")
        for arm in one.arms:
            order.setdefault(arm, len(order))
        for first, second in combinations(sorted(one.arms, key=order.__getitem__), 2):
            tally = tallies.setdefault(
                (one.axis, language, first, second), _Tally(n_wanted=_WANTED_OF[policy])
            )
            tally.count(guard, touched, result)
    return LegalJudges(
        judges=dict(judges),
        allowed=allowed,
        excluded=excluded,
        comparisons=tuple(
            tally.comparison(place, judges, families) for place, tally in tallies.items()
        ),
        warnings=(*warnings, *_idle(judges, allowed, excluded)),
        most_families=_ROOM[policy],
    )


def check_panel(judges: Mapping[str, str], policy: Policy = Policy.PANEL) -> tuple[str, ...]:
    """Gives warnings about a panel as such.

    Args:
        judges: judge -> its family.
        policy: what may be mended within it.

    Raises:
        InputError: there is no judge (``no_judge``), one is of no known family
            (``unknown_family``), or they are of more than three families (``too_many_families``).
    """
    if not judges:
        raise InputError("a panel without judges", wanted="one to three families", code="no_judge")
    for judge, family in judges.items():
        if not families_of(family):
            raise InputError(
                f"judge {judge!r} has no family",
                wanted="the family that the family map gives its model",
                code="unknown_family",
            )
    n_families = count_families(judges.values())
    if n_families > MAX_FAMILIES:
        raise InputError(
            f"a panel of {n_families} families ({', '.join(sorted(set(judges.values())))})",
            wanted=f"two, or {MAX_FAMILIES} at most",
            mend="leave some out: more judges agree in the same errors, and cost as much again",
            code="too_many_families",
        )
    found: list[str] = []
    if n_families == 1:
        found.append(_of_one_family(judges, policy))
    if len(judges) > n_families:
        found.append(
            f"{len(judges)} judges are of {n_families} "
            f"{'family' if n_families == 1 else 'families'}: those of one family count once"
        )
    return tuple(found)


def _of_one_family(judges: Mapping[str, str], policy: Policy) -> str:
    family = next(iter(judges.values()))
    if len(judges) == 1:
        who, errors = f"one judge decides, of the family {family}", "what it gets wrong by itself"
    else:
        who, errors = f"all judges are of one family ({family})", "what its models get wrong alike"
    other = "policy panel has room for it" if policy is Policy.SINGLE else "add one"
    return f"{who}: {errors} only a judge of another family would show; {other}"


class _Guard:
    """Asks the guard once for each combination of models, of which there are few."""

    def __init__(self, judges: Mapping[str, str], families: FamilyMap) -> None:
        self._judges = {judge: families_of(family) for judge, family in judges.items()}
        self._map = families
        self._families: dict[str, tuple[str, ...]] = {}
        self._known: dict[tuple[object, ...], GuardResult] = {}
        self.judges = dict(judges)

    def of(self, model: str) -> tuple[str, ...]:
        """The families of a model."""
        if model not in self._families:
            self._families[model] = self._map.of(model)
        return self._families[model]

    def judges_of(self, touched: Mapping[str, tuple[str, ...] | None]) -> GuardResult:
        """The judges of a set, from the models of each of its arms."""
        place = tuple(sorted(touched.items(), key=lambda item: item[0]))
        if place not in self._known:
            outputs = {
                arm: self.families(models) for arm, models in touched.items() if models != ()
            }
            self._known[place] = guard_families(self._judges, outputs)
        return self._known[place]

    def families(self, models: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """The families of an output; None where one of its models is of none that is known."""
        if models is None or not all(self.of(model) for model in models):
            return None
        return tuple(dict.fromkeys(name for model in models for name in self.of(model)))


@dataclass(slots=True)
class _Tally:
    """Counts the sets of one comparison."""

    n_wanted: int = WANTED
    n_sets: int = 0
    n_two: int = 0
    n_one: int = 0
    n_none: int = 0
    n_unrecorded: int = 0
    n_to_add: int = 0
    unknown: dict[str, None] = field(default_factory=dict)
    lacking: Counter[frozenset[str]] = field(default_factory=Counter)

    def count(
        self, guard: _Guard, touched: Mapping[str, tuple[str, ...] | None], result: GuardResult
    ) -> None:
        n_families = count_families(guard.judges[judge] for judge in result.allowed)
        self.n_sets += 1
        self.n_two += n_families >= WANTED
        self.n_one += n_families == 1
        self.n_none += n_families == 0
        self.n_unrecorded += any(models is None for models in touched.values())
        models = [model for models in touched.values() for model in models or ()]
        self.unknown |= {model: None for model in models if not guard.of(model)}
        is_known = all(guard.families(own) is not None for own in touched.values())
        if n_families < self.n_wanted and is_known:
            self.n_to_add = max(self.n_to_add, self.n_wanted - n_families)
            self.lacking[frozenset(name for model in models for name in guard.of(model))] += 1

    def comparison(
        self, place: tuple[str, str, str, str], judges: Mapping[str, str], families: FamilyMap
    ) -> LegalComparison:
        seated = {name for family in judges.values() for name in families_of(family)}
        helps = {
            family.id: sum(n for touched, n in self.lacking.items() if family.id not in touched)
            for family in families.families
            if family.id not in seated
        }
        most = max(helps.values(), default=0)
        axis, language, first, second = place
        return LegalComparison(
            axis=axis,
            language=language,
            first=first,
            second=second,
            n_sets=self.n_sets,
            n_two=self.n_two,
            n_one=self.n_one,
            n_none=self.n_none,
            n_unrecorded=self.n_unrecorded,
            unknown_models=tuple(self.unknown),
            add=tuple(name for name, n in helps.items() if n == most > 0),
            n_to_add=self.n_to_add,
        )


def _idle(
    judges: Mapping[str, str],
    allowed: Mapping[str, tuple[str, ...]],
    excluded: Mapping[str, Mapping[str, str]],
) -> Iterator[str]:
    busy = {judge for names in allowed.values() for judge in names}
    for judge, family in judges.items():
        if allowed and judge not in busy:
            own = any(whys.get(judge, "").startswith("same_family") for whys in excluded.values())
            mend = (
                "another family in its place could"
                if own
                else "nobody may before the families of the models behind the outputs are known"
            )
            yield f"judge {judge!r} ({family}) may judge no set: {mend}"
