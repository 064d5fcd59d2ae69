"""What a comparison of ratings is made from: plan, seal, keys, archives, outputs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from equipoise.archive.manifest import MANIFEST, PLAN
from equipoise.archive.store import Archive
from equipoise.blind.keys import read_keys
from equipoise.errors import Blocked, InputError, Tampered, as_word
from equipoise.pipeline.amendments import read_amendments
from equipoise.records.answer import Answer
from equipoise.records.codec import decode, digest
from equipoise.records.event import Amendment, Seal
from equipoise.records.judgement import Judgement
from equipoise.records.packet import PacketKey
from equipoise.records.rating_plan import Output, RatingPlan
from equipoise.records.validation import LockedThreshold

KIND = "rating"
ARCHIVES = "archive"
CAMPAIGN = "campaign"
KEYS = "*keys.jsonl"
SEAL = "seal.json"
THRESHOLD = "threshold.json"
"""The thresholds that were chosen, by axis; once written they change by an amendment only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Everything that a ranking follows from; `heads` are those of the archives, by run id."""

    plan: RatingPlan
    plan_sha256: str
    seal: str
    keys: tuple[PacketKey, ...]
    keys_sha256: str
    answers: tuple[Answer, ...]
    judgements: tuple[Judgement, ...]
    outputs: tuple[Output, ...]
    heads: dict[str, str]
    amendments: tuple[Amendment, ...] = ()
    locked: dict[str, LockedThreshold] = field(default_factory=dict)


def gather(study: Path) -> Gathered:
    """Reads a rating study as it stands.

    Raises:
        Blocked: the plan, the keys or the outputs are missing.
        InputError: a file cannot be read, or no archive follows the plan.
        Tampered: an archive, the plan or the outputs are not what they were.
    """
    content = _needed(study / PLAN, "the plan", f"equipoise plan {as_word(study)}")
    plan = decode(content, RatingPlan, where=PLAN)
    plan_sha256 = digest(content)
    seal = _seal(study, plan_sha256)
    answers, judgements, heads = _said(study, plan_sha256)
    keys, keys_sha256 = _keys(study)
    return Gathered(
        plan=plan,
        plan_sha256=plan_sha256,
        seal=seal,
        keys=keys,
        keys_sha256=keys_sha256,
        answers=answers,
        judgements=judgements,
        outputs=_outputs(study, plan),
        heads=heads,
        amendments=read_amendments(study, plan_sha256),
        locked=_locked(study),
    )


def _needed(path: Path, what: str, mend: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise Blocked(f"{what} is missing: {path}; mend: {mend}") from error


def _seal(study: Path, plan_sha256: str) -> str:
    path = study / SEAL
    if not path.is_file():
        return ""
    seal = decode(path.read_bytes(), Seal, where=SEAL)
    if seal.plan_sha256 != plan_sha256:
        raise Tampered(
            f"{study / PLAN} is not the plan that was sealed; mend: take it from sealed/, or begin "
            "a new study"
        )
    return f"{seal.label.value} {seal.sealed_at}"


def _said(
    study: Path, plan_sha256: str
) -> tuple[tuple[Answer, ...], tuple[Judgement, ...], dict[str, str]]:
    answers: list[Answer] = []
    judgements: list[Judgement] = []
    heads = {}
    folder = study / ARCHIVES
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not path.joinpath(MANIFEST).is_file():
            continue
        archive = Archive.open(path)
        facts = archive.manifest
        if facts.kind != KIND:
            continue
        if (
            path.joinpath(PLAN).is_file()
            and digest(path.joinpath(PLAN).read_bytes()) != plan_sha256
        ):
            continue
        answers += archive.read(Answer)
        judgements += archive.read(Judgement)
        heads[facts.run_id] = archive.head
    if not heads:
        raise InputError(
            f"{folder} has no archive of this plan",
            wanted="answers that were collected, or judgements",
            mend=(
                f"equipoise annotate collect {as_word(study)}, or equipoise grade {as_word(study)}"
            ),
            code="nothing_to_compare",
        )
    return tuple(answers), tuple(judgements), heads


def _keys(study: Path) -> tuple[tuple[PacketKey, ...], str]:
    found: list[PacketKey] = []
    content = b""
    paths = sorted(study.joinpath(CAMPAIGN).glob(KEYS))
    for path in paths:
        found += read_keys(path)
        content += path.read_bytes()
    if not paths:
        raise Blocked(
            f"{study / CAMPAIGN} has no keys; mend: give the keys back; without them nobody knows "
            "which arm an answer is about"
        )
    return tuple(found), digest(content)


def _locked(study: Path) -> dict[str, LockedThreshold]:
    path = study / THRESHOLD
    if not path.is_file():
        return {}
    found = decode(path.read_bytes(), tuple[LockedThreshold, ...], where=THRESHOLD)
    return {one.axis: one for one in found}


def _outputs(study: Path, plan: RatingPlan) -> tuple[Output, ...]:
    path = study / plan.outputs_file
    content = _needed(path, "the outputs file", "put it back")
    if digest(content) != plan.outputs_sha256:
        raise Tampered(f"{path} is not the file that was planned with; mend: take it from a copy")
    lines: Sequence[bytes] = content.splitlines()
    return tuple(
        decode(line, Output, where=f"{path.name}:{n}")
        for n, line in enumerate(lines, 1)
        if line.strip()
    )
