"""Seals a plan of any kind of study: from then on its bytes stand."""

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from equipoise.archive.durable import replace_file, storage_errors
from equipoise.errors import Blocked, InputError, Tampered, as_word
from equipoise.pipeline.signing import check_signature, sign
from equipoise.pipeline.study_files import (
    PLAN,
    SEAL,
    SEALED,
    STUDY,
    first_difference,
    read_needed,
    seal_of,
)
from equipoise.pipeline.witnessing import check_token, imprinted, packed, unpacked
from equipoise.records.codec import digest, pretty
from equipoise.records.event import Seal, SealLabel


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a study file gives by now: the bytes of its plan, and the page that people read.

    Args:
        content: `plan.json`.
        page: the page; `page_name` its file in the study folder.
    """

    content: bytes
    page: bytes
    page_name: str

    @property
    def sha256(self) -> str:
        """The plan's name."""
        return digest(self.content)


def write_promise(study: Path, promise: Promise) -> None:
    """Writes `plan.json` and its page; refuses to replace a plan that is sealed.

    The page that was sealed with the plan stays, even if it would be worded otherwise by now.

    Raises:
        Blocked: the study is sealed and this is another plan.
    """
    sealed = seal_of(study)
    if sealed is not None and sealed.plan_sha256 != promise.sha256:
        raise Blocked(
            f"{study} is sealed, and {STUDY} with its files now gives another plan; mend: put "
            "them back, or `equipoise amend`, or begin a new study folder; before the first "
            f"run you may remove {SEAL}"
        )
    page = study / promise.page_name
    if sealed is not None and page.is_file() and digest(page.read_bytes()) == sealed.page_sha256:
        return
    replace_file(study / PLAN, promise.content)
    replace_file(page, promise.page)


def refuse_without_plan(study: Path) -> None:
    """Does nothing where there is a `plan.json`.

    Raises:
        Blocked: there is none.
    """
    if not study.joinpath(PLAN).is_file():
        raise Blocked(f"there is no {study / PLAN}; mend: equipoise plan {as_word(study)}")


def refuse_unplanned(study: Path, promise: Promise) -> None:
    """Does nothing where `plan.json` is there and just what the study file gives.

    Raises:
        Blocked: it is not.
    """
    refuse_without_plan(study)
    found = read_needed(study / PLAN, "the plan")
    if found != promise.content:
        raise Blocked(
            f"{PLAN} is not what {STUDY} gives: {first_difference(found, promise.content)}; "
            f"mend: `equipoise plan {as_word(study)}` again, read it, then seal"
        )


def seal_promise(study: Path, promise: Promise, *, now: datetime, proofs: Proofs | None) -> Seal:
    """Seals the plan of a study folder and gives the seal.

    Sealing the same plan again keeps its time and adds the proofs that are given.

    Args:
        study: folder with `study.yaml` and `plan.json`.
        promise: what the study file gives by now; what stands in the folder has to be just that.
        now: the time of sealing.
        proofs: what bears it out.

    Raises:
        Blocked: there is no plan, it or its page is not what the study file gives, or another one
            is sealed.
        InputError: a proof does not hold.
    """
    refuse_unplanned(study, promise)
    found = read_needed(study / promise.page_name, "the plan as people read it")
    if found != promise.page:
        raise Blocked(
            f"{promise.page_name} is not what {STUDY} gives: "
            f"{first_difference(found, promise.page)}; mend: "
            f"`equipoise plan {as_word(study)}` again, read "
            "it, then seal"
        )
    before = seal_of(study)
    if before is not None and before.plan_sha256 != promise.sha256:
        raise Blocked(
            f"{study} is sealed with another plan ({before.plan_sha256[:16]}…); mend: `equipoise "
            f"amend`, or a new study folder; before the first run you may remove {SEAL}"
        )
    seal = before or Seal(plan_sha256=promise.sha256, sealed_at=_stamp(now))
    seal = msgspec.structs.replace(seal, commit=seal.commit or _commit(study, promise.content))
    seal = _proved(promise.content, seal, proofs or Proofs())
    seal = msgspec.structs.replace(seal, label=_label(seal), page_sha256=digest(promise.page))
    _keep(study, promise.content)
    replace_file(study / SEAL, pretty(seal))
    return seal


def check_seal(content: bytes, seal: Seal, *, ca: Path | None = None) -> None:
    """Does nothing where the seal's proofs are over exactly this plan.

    Args:
        content: the bytes of `plan.json`.
        seal: its seal.
        ca: certificates to check the authority's signature by; null = only what the token is over.

    Raises:
        Tampered: hash, signature or token are over another plan.
        InputError: nobody that `ca` names signed the token.
        Blocked: the program that could tell is missing.
    """
    if digest(content) != seal.plan_sha256:
        raise Tampered(f"the seal is over {seal.plan_sha256}, {PLAN} is {digest(content)}")
    if seal.signature:
        check_signature(content, signature=seal.signature, signer=seal.signer)
    if not seal.token:
        return
    token = unpacked(seal.token)
    at = imprinted(content, token) if ca is None else check_token(content, token, ca)
    if at != seal.witnessed_at:
        raise Tampered(f"the token says {at}, {SEAL} says it was witnessed {seal.witnessed_at}")


def refuse_changed(study: Path, name: str, content: bytes, sha256: str) -> None:
    """Does nothing where a file of a sealed study has the bytes it was sealed with.

    Raises:
        Tampered: it has others; says in which line they differ first where a sealed copy is kept.
    """
    if digest(content) == sha256:
        return
    copy = study / SEALED / name
    kept = copy.read_bytes() if copy.is_file() else b""
    where = ""
    if digest(kept) == sha256:
        where = f": {first_difference(content, kept)} (as in {SEALED}/{name})"
    raise Tampered(
        f"{name} was changed after sealing{where}; its sha256 is {digest(content)}, sealed was "
        f"{sha256}; mend: put the sealed bytes back; a change of plan is an `equipoise amend`"
    )


def _proved(content: bytes, seal: Seal, proofs: Proofs) -> Seal:
    """Gives the seal with the proofs that are given.

    Raises:
        InputError: one does not hold, or nobody can check it.
    """
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
    return seal


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
