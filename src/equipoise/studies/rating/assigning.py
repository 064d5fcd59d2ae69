"""Says which annotator gets which set, in which order of its texts, and when."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from equipoise.blind.packets import shown_arms
from equipoise.records.rating_plan import AnnotatorPlan, AxisPlan, RatingPlan, RatingSet, SetKind
from equipoise.stages.plan.rating_checks import languages_in
from equipoise.stages.plan.rating_outputs import Outputs
from equipoise.stages.plan.rating_sets import orders_of, rng_of

AGAIN = "-again"
"""What the id of a retest set has behind that of the set it repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One set for one annotator.

    Attributes:
        annotator: who.
        n: place in his list, from 1.
        set: the set's id.
        order: which of the set's orders he sees.
        places: for each place, which of the shown arms stands there, from 0.
    """

    annotator: str
    n: int
    set: str
    order: int
    places: tuple[int, ...]


def raters_of(plan: RatingPlan, outputs: Outputs) -> dict[str, tuple[str, ...]]:
    """Gives for each study set the annotators who rate it, drawn by the plan's seed.

    Sets of the overlap get `raters_per_set` people, the others one; whoever has fewest answers so
    far and reads all that is shown is taken next. Where fewer people can read a set, all of them
    rate it. Without annotators nobody rates anything.
    """
    rng = rng_of(plan.seed, "raters")
    load: Counter[str] = Counter()
    found: dict[str, tuple[str, ...]] = {}
    for axis in plan.axes:
        study = [one for one in plan.sets if one.axis == axis.name and one.kind is SetKind.STUDY]
        n_shared = round(plan.overlap * len(study))
        shared = {one.id for one in study[:n_shared]}  # units stand in an order drawn by chance
        for one in sorted(study, key=lambda each: each.id not in shared):
            people = [p.name for p in plan.annotators if can_rate(p, axis, one, outputs)]
            chance = rng.permutation(len(people))
            drawn = sorted(range(len(people)), key=lambda n: (load[people[n]], chance[n]))
            wanted = plan.raters_per_set if one.id in shared else 1
            raters = tuple(sorted(people[n] for n in drawn[:wanted]))
            load.update(raters)
            found[one.id] = raters
    return found


def can_rate(person: AnnotatorPlan, axis: AxisPlan, one: RatingSet, outputs: Outputs) -> bool:
    """Says whether a person rates on this axis and reads all that the set shows."""
    if person.axes and axis.name not in person.axes:
        return False
    return not person.languages or languages_in(outputs[one.unit], axis) <= set(person.languages)


def retest_sets(plan: RatingPlan, raters: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """Gives for each annotator the study sets that he gets once more, drawn by the plan's seed."""
    found: dict[str, set[str]] = {}
    for person in plan.annotators:
        for axis in plan.axes:
            own = [
                one.id
                for one in plan.sets
                if one.axis == axis.name and person.name in raters.get(one.id, ())
            ]
            n = round(plan.retest * len(own))
            rng = rng_of(plan.seed, "retest", person.name, axis.name)
            chosen = {own[place] for place in rng.permutation(len(own))[:n]}
            found.setdefault(person.name, set()).update(chosen)
    return found


def with_retests(plan: RatingPlan, outputs: Outputs) -> RatingPlan:
    """Gives the plan with the sets that somebody gets once more behind its study sets."""
    again = set().union(*retest_sets(plan, raters_of(plan, outputs)).values(), set())
    repeated = tuple(
        msgspec.structs.replace(one, id=one.id + AGAIN, kind=SetKind.RETEST, of=one.id)
        for one in plan.sets
        if one.id in again
    )
    study = tuple(one for one in plan.sets if one.kind is SetKind.STUDY)
    others = tuple(one for one in plan.sets if one.kind is not SetKind.STUDY)
    return msgspec.structs.replace(plan, sets=study + repeated + others)


def tasks_of(plan: RatingPlan, outputs: Outputs) -> tuple[Task, ...]:
    """Gives every annotator's list; the same plan and outputs give the same lists.

    One axis is finished before the next begins; who comes first differs. On an axis tutorials stand
    first, loud and silent checks are scattered, and a set comes once more only in the last third.
    Of each set everyone sees another order while there are orders left, and everyone's orders
    are chosen so that arms stand at each place equally often.
    """
    raters = raters_of(plan, outputs)
    again = retest_sets(plan, raters)
    orders = _Orders(plan)
    tasks: list[Task] = []
    for number, person in enumerate(plan.annotators):
        turn = number % len(plan.axes)
        listed: list[tuple[str, int, tuple[int, ...]]] = []
        for axis in (*plan.axes[turn:], *plan.axes[:turn]):
            own = [
                one
                for one in plan.sets
                if one.axis == axis.name and person.name in raters.get(one.id, ())
            ]
            if not own:
                continue
            first = {one.id: orders.choose(one, person.name, number) for one in own}
            repeats = [
                one
                for one in plan.sets
                if one.axis == axis.name
                and one.kind is SetKind.RETEST
                and one.of in again.get(person.name, ())
            ]
            chosen = first | {
                one.id: orders.choose(one, person.name, number, but=first[one.of][0])
                for one in repeats
            }
            checks = _checks(plan, person, axis, outputs)
            rng = rng_of(plan.seed, "list", person.name, axis.name)
            chosen |= {one.id: orders.at_random(one, rng) for one in checks}
            names = _listed([one.id for one in own], repeats, checks, rng)
            listed += [(name, *chosen[name]) for name in names]
        tasks += [
            Task(annotator=person.name, n=n, set=name, order=order, places=places)
            for n, (name, order, places) in enumerate(listed, start=1)
        ]
    return tuple(tasks)


class _Orders:
    """Chooses orders of sets, and remembers who saw what where."""

    def __init__(self, plan: RatingPlan) -> None:
        self._arms = plan.arms
        self._own: dict[tuple[str, str, str, int], int] = defaultdict(int)
        self._all: dict[tuple[str, str, int], int] = defaultdict(int)
        self._seen: dict[str, set[int]] = defaultdict(set)

    def choose(
        self, one: RatingSet, who: str, number: int, *, but: int | None = None
    ) -> tuple[int, tuple[int, ...]]:
        """Gives an order's number and places: new in the set, even for who sees it, even for all.

        `but` is the order in which a repeated set was seen before.
        """
        shown = shown_arms(one)
        orders = [
            tuple(arm for arm in order if arm in shown) for order in orders_of(one.arms, self._arms)
        ]
        axis = one.axis

        def cost(order: int) -> tuple[bool, bool, int, int, int]:
            at = list(enumerate(orders[order]))
            own = sum(self._own[who, axis, arm, place] for place, arm in at)
            everyone = sum(self._all[axis, arm, place] for place, arm in at)
            is_seen = order in self._seen[one.id]
            return (order == but, is_seen, own, (order - number) % len(orders), everyone)

        best = min(range(len(orders)), key=cost)
        if but is None:
            self._seen[one.id].add(best)
        for place, arm in enumerate(orders[best]):
            self._own[who, axis, arm, place] += 1
            self._all[axis, arm, place] += 1
        return best, tuple(shown.index(arm) for arm in orders[best])

    def at_random(self, one: RatingSet, rng: np.random.Generator) -> tuple[int, tuple[int, ...]]:
        """Gives an order drawn by chance, for sets that nothing is estimated from."""
        return 0, tuple(int(place) for place in rng.permutation(len(shown_arms(one))))


def _checks(
    plan: RatingPlan, person: AnnotatorPlan, axis: AxisPlan, outputs: Outputs
) -> list[RatingSet]:
    """Gives the checks that a person gets on an axis: of each kind as many as planned."""
    wanted: dict[tuple[SetKind, bool], int] = {
        (SetKind.TUTORIAL, True): plan.checks.n_tutorial,
        (SetKind.LOUD, True): plan.checks.n_loud,
        (SetKind.SILENT, True): plan.checks.n_silent,
        (SetKind.SILENT, False): plan.checks.n_equal,
    }
    found: list[RatingSet] = []
    for one in plan.sets:
        kind = (one.kind, one.worst is not None)
        if (
            one.axis != axis.name
            or not wanted.get(kind)
            or not can_rate(person, axis, one, outputs)
        ):
            continue
        wanted[kind] -= 1
        found.append(one)
    return found


def _listed(
    own: list[str],
    repeats: Iterable[RatingSet],
    checks: Iterable[RatingSet],
    rng: np.random.Generator,
) -> list[str]:
    """Gives the sets of one axis in the order in which one person sees them."""
    names = [own[place] for place in rng.permutation(len(own))]
    for one in sorted(repeats, key=lambda each: names.index(each.of)):
        seen = names.index(one.of)
        if seen > len(names) // 2:  # too late to come once more: it is seen early instead
            names.insert(0, names.pop(seen))
        names.insert(int(rng.integers(2 * len(names) // 3, len(names) + 1)), one.id)
    later = [one.id for one in checks if one.kind is not SetKind.TUTORIAL]
    for name in later:
        names.insert(int(rng.integers(1, len(names) + 1)), name)
    return [one.id for one in checks if one.kind is SetKind.TUTORIAL] + names
