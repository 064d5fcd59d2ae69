"""A dated token of somebody else over a plan (RFC 3161), checked offline by `openssl ts`."""

import base64
import re
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from equipoise.errors import InputError, Tampered
from equipoise.pipeline.programs import asked
from equipoise.records.codec import digest

_SECONDS = 60
_TIME = re.compile(r"^Time stamp: (.+) GMT$", re.MULTILINE)
_DUMP = re.compile(r"^\s+[0-9a-f]{4} - ((?:[0-9a-f]{2}[ -])+)", re.MULTILINE)
_HASH = re.compile(r"^Hash Algorithm: (\S+)", re.MULTILINE)


def query(content: bytes, out: Path) -> None:
    """Writes the question that a time-stamping authority answers; it holds a hash, not the plan.

    Raises:
        Blocked: `openssl` is not there.
        InputError: the file cannot be written.
    """
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "plan.json")
        data.write_bytes(content)
        done = _openssl(["-query", "-data", str(data), "-sha256", "-cert", "-out", str(out)])
    if done.returncode:
        raise InputError(f"openssl cannot write {out}: {_said(done)}", wanted="a place to write to")


def check_token(content: bytes, token: bytes, ca: Path) -> str:
    """Gives the time in a token over this content, after the authority's signature was checked.

    Args:
        content: what the token is over.
        token: the authority's answer (DER), or the bare token in it.
        ca: certificates (PEM) that are trusted.

    Raises:
        InputError: the token is none, is over other content, or nobody trusted signed it.
        Blocked: `openssl` is not there.
    """
    if not ca.is_file():
        raise InputError(f"no certificates {ca}", wanted="a PEM file with the authority's root")
    time = imprinted(content, token)
    seconds = str(int(datetime.fromisoformat(time).timestamp()))
    with tempfile.TemporaryDirectory() as folder:
        data, answer = Path(folder, "plan.json"), Path(folder, "token")
        data.write_bytes(content)
        answer.write_bytes(token)
        done = _openssl(
            [
                *("-verify", "-data", str(data), "-in", str(answer), "-CAfile", str(ca)),
                *("-attime", seconds, *_form(answer)),
            ]
        )
    if done.returncode:
        raise InputError(
            f"the token does not hold: {_said(done)}",
            wanted=f"a token over plan.json, signed under a certificate in {ca.name}",
            mend="write a query with --tsa-query, send it to the authority, give its answer",
            code="bad_token",
        )
    return time


def imprinted(content: bytes, token: bytes) -> str:
    """Gives the time in a token that is over this content; who signed it is not looked at.

    Raises:
        InputError: it is no token.
        Tampered: it is over other content.
        Blocked: `openssl` is not there.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "token")
        answer.write_bytes(token)
        done = _openssl(["-reply", "-in", str(answer), "-text", *_form(answer)])
    text = done.stdout.decode("utf-8", "replace")
    time, algorithm = _TIME.search(text), _HASH.search(text)
    if done.returncode or time is None or algorithm is None:
        raise InputError(
            f"no time-stamp token: {_said(done)}", wanted="the answer of an authority (RFC 3161)"
        )
    after = text[algorithm.end() : time.start()]
    imprint = "".join(re.sub(r"[ -]", "", line) for line in _DUMP.findall(after))
    if not imprint.startswith(digest(content)):
        raise Tampered(
            f"the token is over {imprint[:64] or 'nothing'} ({algorithm[1]}), not over plan.json, "
            f"whose sha256 is {digest(content)}"
        )
    moment = datetime.strptime(time[1].split(".")[0], "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def packed(token: bytes) -> str:
    """Gives the token as text for `seal.json`."""
    return base64.b64encode(token).decode()


def unpacked(text: str) -> bytes:
    """Gives the token that stands in `seal.json`.

    Raises:
        Tampered: the text is no base64.
    """
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Tampered(f"the token in seal.json is no base64: {error}") from error


def _form(answer: Path) -> list[str]:
    """Gives the switch for a bare token; none for an authority's whole answer."""
    whole = _openssl(["-reply", "-in", str(answer), "-text"])
    return [] if whole.returncode == 0 else ["-token_in"]


def _openssl(arguments: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    return asked("openssl", ["ts", *arguments], seconds=_SECONDS, package="OpenSSL")


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = [
        line
        for line in (done.stderr + done.stdout).decode("utf-8", "replace").splitlines()
        if line.strip() and "Using configuration" not in line
    ]
    return lines[-1].strip()[:200] if lines else f"exit code {done.returncode}"
