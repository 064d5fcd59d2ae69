"""Seals a plan: from then on its bytes stand, and runs may begin."""

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from equipoise.archive.durable import replace_file, storage_errors
from equipoise.errors import Blocked, InputError
from equipoise.records.codec import digest, pretty
from equipoise.records.event import Seal, SealLabel
from equipoise.studies.loss.files import (
    PLAN,
    PLAN_PAGE,
    SEAL,
    SEALED,
    STUDY,
    first_difference,
    read_needed,
    seal_of,
)
from equipoise.studies.loss.planning import Planned, plan_study
from equipoise.studies.loss.signing import sign
from equipoise.studies.loss.witnessing import check_token, packed, unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class Proofs:
    """What bears a seal out beside one's own word.

    Args:
        key: an ssh key to sign with.
        token: the answer of a time-stamping authority, and the certificates it is trusted by.
    """

    key: Path | None = None
    token: Path | None = None
    ca: Path | None = None


def seal_study(study: Path, *, now: datetime, proofs: Proofs | None = None) -> Seal:
    """Seals the plan of a study folder and gives the seal.

    Sealing the same plan again keeps its time and adds the proofs that are given.

    Args:
        study: folder with `study.yaml` and `plan.json`.
        now: the time of sealing.
        proofs: what bears it out.

    Raises:
        Blocked: there is no plan, it or its page is not what the study file gives, or another one
            is sealed.
        InputError: the study file has faults, or a proof does not hold.
    """
    proofs = proofs or Proofs()
    planned = _planned(study, now)
    content, page = planned.content, planned.page.encode()
    found = read_needed(study / PLAN_PAGE, "the plan as people read it")
    if found != page:
        raise Blocked(
            f"{PLAN_PAGE} is not what {STUDY} gives: {first_difference(found, page)}; mend: "
            f"`equipoise plan {study}` again, read it, then seal"
        )
    before = seal_of(study)
    if before is not None and before.plan_sha256 != digest(content):
        raise Blocked(
            f"{study} is sealed with another plan ({before.plan_sha256[:16]}…); mend: `equipoise "
            f"amend`, or a new study folder; before the first run you may remove {SEAL}"
        )
    seal = before or Seal(plan_sha256=digest(content), sealed_at=_stamp(now))
    seal = msgspec.structs.replace(seal, commit=seal.commit or _commit(study, content))
    if proofs.key is not None:
        signature, signer = sign(content, proofs.key)
        seal = msgspec.structs.replace(seal, signature=signature, signer=signer)
    if proofs.token is not None:
        if proofs.ca is None:
            raise InputError(
                "--token without --ca",
                wanted="the certificates the authority is trusted by",
                mend="give --ca root.pem; a token that nobody checked proves nothing",
            )
        token = read_needed(proofs.token, "the token")
        at = check_token(content, token, proofs.ca)
        seal = msgspec.structs.replace(seal, token=packed(token), witnessed_at=at)
    elif proofs.ca is not None:
        _check_standing(content, seal, proofs.ca)
    seal = msgspec.structs.replace(seal, label=_label(seal), page_sha256=digest(page))
    _keep(study, content)
    replace_file(study / SEAL, pretty(seal))
    return seal


def planned_content(study: Path, *, now: datetime) -> bytes:
    """Gives the bytes of `plan.json` after seeing that the study file gives just these.

    Raises:
        Blocked: there is no plan, or the study file gives another one.
        InputError: the study file has faults.
    """
    return _planned(study, now).content


def _planned(study: Path, now: datetime) -> Planned:
    path = study / PLAN
    if not path.is_file():
        raise Blocked(f"there is no {path}; mend: equipoise plan {study}")
    content = read_needed(path, "the plan")
    planned = plan_study(study, today=now.date())
    if planned.content != content:
        raise Blocked(
            f"{PLAN} is not what {STUDY} gives: {first_difference(content, planned.content)}; "
            f"mend: `equipoise plan {study}` again, read it, then seal"
        )
    return planned


def _check_standing(content: bytes, seal: Seal, ca: Path) -> None:
    """Holds the token that a seal has already against the given certificates.

    Raises:
        InputError: it has none, or nobody trusted signed it.
    """
    if not seal.token:
        raise InputError(
            "--ca without --token",
            wanted="the authority's answer, or a seal that has one already",
            mend="give --token answer.tsr as well",
        )
    check_token(content, unpacked(seal.token), ca)


def _label(seal: Seal) -> SealLabel:
    if seal.token:
        return SealLabel.WITNESSED
    return SealLabel.SIGNED if seal.signature else SealLabel.SELF_DECLARED


def _keep(study: Path, content: bytes) -> None:
    folder = study / SEALED
    with storage_errors(f"making {folder}"):
        folder.mkdir(exist_ok=True)
    replace_file(folder / PLAN, content)
    replace_file(folder / STUDY, read_needed(study / STUDY, "the study file"))


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _commit(study: Path, content: bytes) -> str:
    """Gives the commit that holds this very plan; empty where git knows of none."""
    shown = _git(study, "show", f"HEAD:./{PLAN}")
    return _git(study, "rev-parse", "HEAD").decode().strip() if shown == content else ""


def _git(study: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603  no shell; the arguments are ours
            ["git", "-C", str(study), *arguments],  # noqa: S607  the one on the user's PATH
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return done.stdout if done.returncode == 0 else b""
