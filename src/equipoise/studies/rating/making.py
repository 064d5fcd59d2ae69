"""Makes the campaign of a sealed rating study: what people see, and apart what is hidden."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from equipoise.archive.durable import replace_file, storage_errors
from equipoise.blind.packets import make_packet
from equipoise.blind.private_files import kept_secret, read_private, study_secret, write_private
from equipoise.errors import Blocked, InputError, Tampered, as_word, nearest
from equipoise.pipeline.study_files import read_needed
from equipoise.records.codec import decode, digest, encode, pretty
from equipoise.records.packet import Packet, PacketKey
from equipoise.records.rating_plan import RatingPlan, RatingSet, SetKind
from equipoise.stages.plan.rating_outputs import Outputs, read_outputs
from equipoise.studies.rating.assigning import tasks_of
from equipoise.studies.rating.blinding import blinded_as_planned, study_families
from equipoise.studies.rating.made import CAMPAIGN, MADE, TOKENS_MAC, refuse_other_plan, tokens_mac
from equipoise.studies.rating.sealing import sealed_rating

PACKETS, ASSIGNMENTS = "packets.jsonl", "assignments.jsonl"
CHECKS, TOKENS, KEYS, SECRET = "checks.json", "tokens.json", "keys.jsonl", "secret"
DASHBOARD = ""
"""The name under which the dashboard's token stands."""

_TOKEN_BYTES = 32
_NO_LIMIT = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A campaign that was made: how many packets, and each one's token, told this once.

    Attributes:
        n_packets: packets of all annotators.
        lists: annotator -> packets in his list.
        tokens: name -> token; the dashboard's under the empty name. They are kept nowhere.
    """

    n_packets: int
    lists: dict[str, int]
    tokens: dict[str, str]


def make_campaign(study: Path) -> Made:
    """Makes the campaign of a sealed study, and gives the tokens, of which only hashes are kept.

    Packets follow from the plan and the study's secret: made again they are the same, so that
    answers to them stay good. The files with keys, checks, hashes and the secret have mode 0600.

    Raises:
        Blocked: the study is not sealed, nobody is planned to rate, or the campaign is made
            already, of this plan or of another.
        Tampered: plan, study file or outputs were changed since sealing.
        InputError: the outputs cannot be read any more.
    """
    plan, content, _ = sealed_rating(study)
    refuse_other_plan(study, content)
    folder = study / CAMPAIGN
    if not plan.annotators:
        raise Blocked(
            f"{study} has no annotators; mend: name them in study.yaml before sealing, or let "
            "model judges rate: equipoise grade"
        )
    if folder.joinpath(TOKENS).exists():
        raise Blocked(
            f"{folder} is made already, and its links were told then; mend: a new link for one "
            f"person: equipoise annotate make {as_word(study)} --renew NAME"
        )
    with storage_errors(f"making {folder}"):
        folder.mkdir(mode=0o700, exist_ok=True)
    outputs = outputs_of(study, plan)
    secret = study_secret(folder / SECRET)
    files = campaign_files(plan, outputs, secret)
    for name in (KEYS, CHECKS):
        write_private(folder / name, files[name])
    for name in (PACKETS, ASSIGNMENTS):
        replace_file(folder / name, files[name])
    tokens = {name: _token() for name in [DASHBOARD, *(one.name for one in plan.annotators)]}
    hashes = pretty({name: _hash(token) for name, token in tokens.items()})
    made = {"plan_sha256": digest(content), TOKENS_MAC: tokens_mac(secret, hashes)}
    replace_file(folder / MADE, pretty(made))
    write_private(folder / TOKENS, hashes)
    counted = {one.name: 0 for one in plan.annotators}
    for task in tasks_of(plan, outputs):
        counted[task.annotator] += 1
    return Made(n_packets=sum(counted.values()), lists=counted, tokens=tokens)


def campaign_files(plan: RatingPlan, outputs: Outputs, secret: bytes) -> dict[str, bytes]:
    """Gives packets, lists, checks and keys as files; the same secret gives the same bytes.

    Args:
        plan: the plan.
        outputs: its outputs, as raters may see them (see `outputs_of`).
        secret: the secret of the study.
    """
    packets, keys, checks, lists = _packets(plan, outputs, secret)
    return {
        PACKETS: _lines(packets),
        ASSIGNMENTS: _lines(lists),
        CHECKS: pretty(checks),
        KEYS: _lines(keys),
    }


def renew_token(study: Path, name: str) -> str:
    """Gives a new token for one annotator, or for the dashboard under the empty name.

    The old one is good no more. Answers stay.

    Raises:
        Blocked: there is no campaign.
        InputError: nobody has that name.
    """
    path = study / CAMPAIGN / TOKENS
    if not path.exists():
        raise Blocked(f"there is no {path}; mend: equipoise annotate make {as_word(study)}")
    tokens = decode(read_private(path), dict[str, str], where=str(path))
    if name not in tokens:
        known = [one for one in tokens if one]
        raise InputError(
            f"no annotator {name!r}{'; ' + close if (close := nearest(name, known)) else ''}",
            wanted=f"one of {', '.join(known)}",
            code="unknown_annotator",
        )
    token = _token()
    hashes = pretty(tokens | {name: _hash(token)})
    made = study / CAMPAIGN / MADE
    if made.is_file():
        said = decode(made.read_bytes(), dict[str, str], where=str(made))
        mac = tokens_mac(kept_secret(study / CAMPAIGN / SECRET), hashes)
        replace_file(made, pretty(said | {TOKENS_MAC: mac}))
    write_private(path, hashes)
    return token


def outputs_of(study: Path, plan: RatingPlan) -> Outputs:
    """Gives the outputs that a plan is about, masked as they were when its sets were made.

    Raises:
        InputError: they cannot be read.
        Blocked: the file is missing.
        Tampered: what raters would see is not what was planned.
    """
    content = read_needed(study / plan.outputs_file, "the outputs")
    if plan.outputs_sha256 and digest(content) != plan.outputs_sha256:
        raise Tampered(
            f"{plan.outputs_file} was changed after planning (sha256 {digest(content)[:16]}…, "
            f"planned {plan.outputs_sha256[:16]}…); mend: put it back as it was, or begin a new "
            "study"
        )
    outputs = read_outputs(
        content,
        arms=plan.arms,
        longest=plan.longest or _NO_LIMIT,
        name=plan.outputs_file,
    )
    return blinded_as_planned(outputs, plan, study_families(study, plan.families_file))


def _packets(
    plan: RatingPlan, outputs: Outputs, secret: bytes
) -> tuple[list[Packet], list[PacketKey], dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """Gives packets, keys, checks and lists; packets stand in the order of their ids."""
    sets = {one.id: one for one in plan.sets}
    axes = {axis.name: axis for axis in plan.axes}
    packets: list[Packet] = []
    keys: list[PacketKey] = []
    checks: dict[str, dict[str, Any]] = {}
    lists: list[dict[str, Any]] = []
    for task in tasks_of(plan, outputs):
        one = sets[task.set]
        packet, key = make_packet(
            one,
            outputs[one.unit],
            axes[one.axis],
            task.places,
            who=task.annotator,
            repeat=2 if one.kind is SetKind.RETEST else 1,
            order=task.order,
            secret=secret,
        )
        packets.append(packet)
        keys.append(key)
        lists.append({"annotator": task.annotator, "n": task.n, "packet": packet.id})
        if one.kind in _CHECKS:
            checks[packet.id] = _check(one, key)
    packets.sort(key=lambda packet: packet.id)
    keys.sort(key=lambda key: key.packet)
    return packets, keys, dict(sorted(checks.items())), lists


_CHECKS = {SetKind.TUTORIAL, SetKind.LOUD, SetKind.SILENT}


def _check(one: RatingSet, key: PacketKey) -> dict[str, Any]:
    """Gives what is right in a packet that is a check: places, null = any."""
    places: Mapping[str, int] = {arm: place for place, arm in enumerate(key.arms)}
    return {
        "kind": one.kind.value,
        "best": None if one.best is None else places[one.best],
        "worst": None if one.worst is None else places[one.worst],
        "warning": one.warning,
    }


def _lines(records: Iterable[object]) -> bytes:
    return b"".join(encode(record) + b"\n" for record in records)


def _token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
