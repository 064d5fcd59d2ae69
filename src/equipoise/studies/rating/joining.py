"""Joins answers and judgements with their keys after judging, and counts what no key fits."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from equipoise.blind.keys import join, standing_answers
from equipoise.blind.packets import shown_arms
from equipoise.errors import InputError
from equipoise.records.answer import Answer, AnswerKind
from equipoise.records.judgement import Judgement
from equipoise.records.packet import PacketKey
from equipoise.records.rating_plan import RatingPlan, RatingSet, SetKind
from equipoise.stages.estimate.rating.choices import Choice
from equipoise.stages.estimate.rating.people import Answered

Said = TypeVar("Said", Answer, Judgement)


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedVerdicts:
    """Everything raters said, by what they saw.

    `people` has for each axis what each annotator did; `judgements` each judgement with the set it
    was about and the arms at its places; `unjoined` what no key fits, by reason.
    """

    people: Mapping[str, tuple[Answered, ...]]
    judgements: tuple[tuple[Judgement, PacketKey], ...]
    unjoined: Mapping[str, int]


def joined(
    plan: RatingPlan,
    keys: Sequence[PacketKey],
    answers: Sequence[Answer],
    judgements: Sequence[Judgement],
) -> JoinedVerdicts:
    """Joins one to one; a record that fits no key is left out and counted, never guessed at."""
    lost = Counter[str]()
    sets = {one.id: one for one in plan.sets}
    by_packet = {key.packet: key for key in keys}
    guesses = {a.annotator: a.guess or "" for a in answers if a.kind is AnswerKind.GUESSED}
    chosen = [a for a in answers if a.kind is not AnswerKind.GUESSED]
    said = _fitting(chosen, by_packet, sets, lost)
    told = _fitting(judgements, by_packet, sets, lost)
    pairs: list[tuple[Judgement, PacketKey]] = []
    for packet in sorted(told):
        last = _last_attempt(told[packet], lost)
        try:
            pairs += join([last], [by_packet[packet]]).pairs
        except InputError as error:
            lost[error.code or "unfit"] += 1
    return JoinedVerdicts(
        people=_people(plan, said, by_packet, guesses),
        judgements=tuple(pairs),
        unjoined=dict(sorted(lost.items())),
    )


def choice_of(key: PacketKey, one: RatingSet, record: Answer | Judgement) -> Choice:
    """Gives a verdict with the arms at its places; identical texts stand for all their arms."""
    groups = {group[0]: group for group in one.same}
    is_judge = isinstance(record, Judgement)
    return Choice(
        who=key.who,
        set=one.id,
        unit=one.unit,
        cluster=one.cluster or one.unit,
        shown=tuple(groups.get(arm, (arm,)) for arm in key.arms),
        best=record.best,
        worst=record.worst,
        is_tie=record.is_tie if isinstance(record, Judgement) else False,
        repeat=key.repeat,
        order=key.order,
        template=record.template if isinstance(record, Judgement) else "",
        seconds=None if is_judge else getattr(record, "seconds", None),
        is_fast=not is_judge and bool(getattr(record, "is_fast", False)),
    )


def _last_attempt(told: Sequence[Judgement], lost: Counter[str]) -> Judgement:
    """Gives the last attempt at a question; a second record of one attempt is no new repeat."""
    by_attempt: dict[int, Judgement] = {}
    for one in told:
        if one.attempts in by_attempt:
            lost["judged_twice"] += 1
        by_attempt.setdefault(one.attempts, one)
    return by_attempt[max(by_attempt)]


def _fitting(
    records: Iterable[Said],
    keys: Mapping[str, PacketKey],
    sets: Mapping[str, RatingSet],
    lost: Counter[str],
) -> dict[str, list[Said]]:
    found: dict[str, list[Said]] = defaultdict(list)
    for record in records:
        key = keys.get(record.packet)
        who = record.annotator if isinstance(record, Answer) else record.judge
        if key is None:
            lost["unknown_packet"] += 1
        elif key.who != who:
            lost["other_rater"] += 1
        elif key.set not in sets:
            lost["unknown_set"] += 1
        elif sorted(key.arms) != sorted(shown_arms(sets[key.set])):
            lost["other_arms"] += 1
        else:
            found[record.packet].append(record)
    return found


def _people(
    plan: RatingPlan,
    said: Mapping[str, Sequence[Answer]],
    keys: Mapping[str, PacketKey],
    guesses: Mapping[str, str],
) -> dict[str, tuple[Answered, ...]]:
    sets = {one.id: one for one in plan.sets}
    seen: dict[tuple[str, str], dict[str, list[Choice]]] = defaultdict(lambda: defaultdict(list))
    acts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for packet in sorted(said):
        key = keys[packet]
        one = sets[key.set]
        place = (one.axis, key.who)
        acts[place]["undone"] += sum(a.kind is AnswerKind.UNDONE for a in said[packet])
        acts[place]["simulated"] += any(a.is_simulated for a in said[packet])
        for last in standing_answers(said[packet]):
            if last.kind is AnswerKind.SKIPPED:
                acts[place]["skipped"] += 1
                continue
            seen[place][_group(one)].append(choice_of(key, one, last))
        given = [a for a in said[packet] if a.kind is AnswerKind.GIVEN]
        if one.kind is SetKind.LOUD and given:
            first = min(given, key=lambda a: a.seq)
            seen[place]["first"].append(choice_of(key, one, first))
    found: dict[str, list[Answered]] = {axis.name: [] for axis in plan.axes}
    for axis, who in sorted(acts):
        kinds, did = seen[axis, who], acts[axis, who]
        found[axis].append(
            Answered(
                annotator=who,
                study=tuple(kinds["study"]),
                retest=tuple(kinds["retest"]),
                checks=tuple(kinds["check"]),
                first_tries=tuple(kinds["first"]),
                n_skipped=did["skipped"],
                n_undone=did["undone"],
                is_simulated=did["simulated"] > 0,
                guess=guesses.get(who, ""),
            )
        )
    return {axis: tuple(rows) for axis, rows in found.items()}


def _group(one: RatingSet) -> str:
    if one.kind in (SetKind.STUDY, SetKind.RETEST):
        return one.kind.value
    return "check"
