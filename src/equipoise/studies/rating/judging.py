"""Has model judges rate the sets of a rating study: own packets, keys apart, answers kept."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from equipoise import __version__
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.archive.manifest import MANIFEST, PLAN, Manifest
from equipoise.archive.store import Archive
from equipoise.blind.families import FamilyMap
from equipoise.blind.keys import write_keys
from equipoise.blind.legal_judges import LegalJudges, legal_judges
from equipoise.blind.packets import make_packet, shown_arms
from equipoise.blind.private_files import kept_secret, study_secret
from equipoise.errors import Blocked, InputError, Tampered, as_word
from equipoise.pipeline.judging import appending, ask_judges
from equipoise.pipeline.judging_terms import Means, Told
from equipoise.pipeline.staging import publish, staged
from equipoise.records.codec import digest, pretty
from equipoise.records.event import Event, EventKind, Seal
from equipoise.records.judgement import Judgement, standing
from equipoise.records.packet import Packet, PacketKey
from equipoise.records.rating_plan import PanelPlan, Policy, RatingPlan, RatingSet, SetKind
from equipoise.stages.grade.judges.asking import Question
from equipoise.stages.grade.judges.policies import Turn, doubling_order, faults, n_doubled, turns
from equipoise.stages.grade.judges.usable import Readability, readability
from equipoise.stages.grade.judges.verdicts import SetVerdict, set_verdict
from equipoise.stages.plan.rating_outputs import Outputs
from equipoise.studies.rating.blinding import study_families
from equipoise.studies.rating.made import CAMPAIGN
from equipoise.studies.rating.making import SECRET, outputs_of
from equipoise.studies.rating.sealing import sealed_rating

JUDGE_KEYS = "judge_keys.jsonl"
ARCHIVES = "archive"
EXCLUDED = "excluded.json"
"""The document that says of each set which judges may not judge it, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of asking the judges of a rating study.

    Args:
        told: what was asked, answered and spent.
        readable: what became of each judge's answers.
        verdicts: judge -> set -> what it says over all its repeats.
        n_sets: sets that are to be judged: those that show two texts or more.
        unjudged: sets that no judge may judge; they are not evaluable.
        excluded: judge and reason -> sets that it was not asked about.
        archive: where the judgements stand.
        is_simulated: a judge was a stand-in.
        plan_sha256: of the plan that they were asked under.
    """

    told: Told
    readable: tuple[Readability, ...]
    verdicts: Mapping[str, Mapping[str, SetVerdict]]
    n_sets: int
    unjudged: tuple[str, ...]
    excluded: tuple[tuple[str, str, int], ...]
    archive: Path
    is_simulated: bool
    plan_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Study:
    """A sealed rating study as judging needs it."""

    root: Path
    plan: RatingPlan
    panel: PanelPlan
    content: bytes
    seal: Seal
    outputs: Outputs
    families: FamilyMap
    legal: LegalJudges


def judge_study(study: Path, means: Means | None) -> Judged:
    """Asks what is not answered yet, and tells what the judges have said so far.

    Which judge is asked about a set is decided by the families of all models that had a hand in its
    outputs. What a judge sees, in which order and how often, follows from the plan alone.

    Args:
        study: the folder of a sealed rating study.
        means: what asking works with; null = nobody is asked.

    Raises:
        Blocked: it is not sealed, names no judges, or one of them cannot be asked.
        InputError: the plan of the judges breaks its policy.
        Tampered: plan, study file, outputs or family map were changed since sealing.
    """
    held = _read(study)
    judged = judged_sets(held.plan)
    unjudged = tuple(one.id for one in judged if not held.legal.allowed.get(one.id))
    campaign = study / CAMPAIGN
    with storage_errors(f"making {campaign}"):
        campaign.mkdir(mode=0o700, exist_ok=True)
    secret = study_secret(campaign / SECRET)
    asked = list(questions_of(held.plan, held.outputs, held.legal.allowed, secret))
    write_keys(campaign / JUDGE_KEYS, sorted((key for _, key in asked), key=lambda k: k.packet))
    place = study / ARCHIVES / f"judges-{digest(held.content)[:8]}"
    _begin(held, place, means)
    told = Told()
    if means is not None:
        with appending(place) as archive:
            told = ask_judges(archive, held.panel, [question for question, _ in asked], means)
    return _judged(held, place, told, (judged, unjudged, asked))


def packets_of(study: Path) -> dict[str, tuple[Packet, PacketKey]]:
    """Gives every packet that the plan has judges asked about, made again, with its key.

    Raises:
        Blocked: the study is not sealed, or names no judges.
        InputError: the study's secret is not there.
        Tampered: something sealed was changed.
    """
    held = _read(study)
    secret = kept_secret(study / CAMPAIGN / SECRET)
    asked = questions_of(held.plan, held.outputs, held.legal.allowed, secret)
    return {question.packet.id: (question.packet, key) for question, key in asked}


def _read(study: Path) -> _Study:
    plan, content, seal = sealed_rating(study)
    panel = plan.panel
    if panel is None or not panel.judges:
        raise Blocked(
            f"the plan of {study} names no model judges; mend: have people rate it (equipoise "
            "annotate), or name judges in study.yaml before sealing"
        )
    if wrong := list(faults(panel, plan.set_size)):
        raise InputError("; ".join(wrong), where="study.yaml: field 'judges'", code="judges")
    families = study_families(study, plan.families_file)
    if panel.families_sha256 and families.sha256 != panel.families_sha256:
        raise Tampered(
            f"the family map is not the one that was sealed (sha256 {families.sha256[:16]}…, "
            f"sealed {panel.families_sha256[:16]}…); mend: put families.yaml back, or begin a new "
            "study"
        )
    outputs = outputs_of(study, plan)
    return _Study(
        root=study,
        plan=plan,
        panel=panel,
        content=content,
        seal=seal,
        outputs=outputs,
        families=families,
        legal=legal_of(plan, panel, outputs, families),
    )


def legal_of(
    plan: RatingPlan, panel: PanelPlan, outputs: Outputs, families: FamilyMap
) -> LegalJudges:
    """Gives which judges may judge which sets."""
    return legal_judges(
        {judge.name: judge.family for judge in panel.judges},
        plan.sets,
        [output for by_arm in outputs.values() for output in by_arm.values()],
        families,
        policy=panel.policy,
    )


def judged_sets(plan: RatingPlan) -> list[RatingSet]:
    """Gives the sets that judges are asked about: study sets that show two texts or more."""
    return [one for one in plan.sets if one.kind is SetKind.STUDY and len(shown_arms(one)) > 1]


def questions_of(
    plan: RatingPlan,
    outputs: Outputs,
    allowed: Mapping[str, Sequence[str]],
    secret: bytes,
) -> Iterator[tuple[Question, PacketKey]]:
    """Yields what each judge is asked, repeat by repeat over all sets.

    So that where asking is stopped, every set has had the same repeats.

    Args:
        plan: the plan, with a panel.
        outputs: the outputs as raters may see them.
        allowed: set -> the judges that may judge it.
        secret: the study's; it names packets.
    """
    assert plan.panel is not None
    axes = {axis.name: axis for axis in plan.axes}
    for judge, one, turn in _asked(plan, plan.panel, allowed):
        packet, key = make_packet(
            one,
            outputs[one.unit],
            axes[one.axis],
            turn.places,
            who=judge,
            repeat=turn.repeat,
            order=turn.order,
            secret=secret,
        )
        question = Question(
            packet=packet,
            judge=judge,
            repeat=turn.repeat,
            order=turn.order,
            template=turn.template,
        )
        yield question, key


def _asked(
    plan: RatingPlan, panel: PanelPlan, allowed: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, RatingSet, Turn]]:
    sets = judged_sets(plan)
    n_twice = 0
    if panel.policy is Policy.DOUBLE:
        n_twice = n_doubled(len(sets), panel.double_rating_share)
    doubled = set(doubling_order((one.id for one in sets), plan.seed)[:n_twice])
    for place, judge in enumerate(panel.judges):
        listed: list[tuple[RatingSet, Turn]] = []
        for one in sets:
            if judge.name not in allowed.get(one.id, ()):
                continue
            is_second = panel.policy is not Policy.PANEL and place > 0
            if is_second and one.id not in doubled:
                continue
            own = list(turns(len(shown_arms(one)), panel))
            if len(panel.judges) == 1 and one.id in doubled:
                own += [replace(turn, repeat=turn.repeat + len(own)) for turn in own]
            listed += [(one, turn) for turn in own]
        for one, turn in sorted(listed, key=lambda row: row[1].repeat):
            yield judge.name, one, turn


def _begin(held: _Study, place: Path, means: Means | None) -> None:
    """Makes the archive with the plan and its first line; it stands whole or not at all."""
    if place.joinpath(MANIFEST).is_file():
        return
    if means is None:
        raise Blocked(f"no judge was asked yet; mend: equipoise grade {as_word(held.root)}")
    manifest = Manifest(
        run_id=place.name,
        kind="rating",
        tool_version=__version__,
        is_simulated=held.plan.is_simulated,
    )
    facts = {
        "plan_sha256": digest(held.content),
        "seal": held.seal.label.value,
        "sealed_at": held.seal.sealed_at,
        "families_sha256": held.families.sha256,
    }
    at = means.clock().isoformat(timespec="milliseconds")
    with staged(place) as folder:
        made = folder / "archive"
        with Archive.create(made, manifest, is_durable=False) as archive:
            replace_file(made / PLAN, held.content)
            archive.append(Event(kind=EventKind.STARTED, at=at, facts=facts))
            archive.attach(EXCLUDED, [pretty(held.legal.excluded)])
        if not publish(made, place):
            raise Blocked(f"{place} was made by another process; mend: wait for it")


def _judged(
    held: _Study,
    place: Path,
    told: Told,
    asked: tuple[Sequence[RatingSet], tuple[str, ...], Sequence[tuple[Question, PacketKey]]],
) -> Judged:
    sets, unjudged, questions = asked
    keys = {key.packet: key for _, key in questions}
    held_by = [one for one in standing(Archive.open(place).read(Judgement)) if one.packet in keys]
    planned: dict[tuple[str, str], int] = {}
    for question, key in questions:
        planned[question.judge, key.set] = planned.get((question.judge, key.set), 0) + 1
    verdicts: dict[str, dict[str, SetVerdict]] = {}
    said: dict[tuple[str, str], list[tuple[Sequence[str], Judgement]]] = {}
    for one in held_by:
        key = keys[one.packet]
        said.setdefault((one.judge, key.set), []).append((key.arms, one))
    for (judge, name), rows in said.items():
        verdicts.setdefault(judge, {})[name] = set_verdict(
            rows, n_repeats=planned[judge, name], quorum=held.panel.quorum
        )
    readable = tuple(
        readability(
            judge.name,
            ((keys[one.packet].arms, one) for one in held_by if one.judge == judge.name),
            held.panel.max_unreadable,
        )
        for judge in held.panel.judges
    )
    return Judged(
        told=told,
        readable=readable,
        verdicts=verdicts,
        n_sets=len(sets),
        unjudged=unjudged,
        excluded=tuple(held.legal.exclusions()),
        archive=place,
        is_simulated=any(one.is_simulated for one in held_by),
        plan_sha256=digest(held.content),
    )
