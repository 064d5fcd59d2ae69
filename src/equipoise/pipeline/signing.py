"""Signs a plan with an ssh key and checks such a signature, by the program `ssh-keygen`."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from equipoise.errors import InputError, Tampered
from equipoise.pipeline.programs import asked

NAMESPACE = "equipoise-plan"
"""What the signature is for: ssh lets none be used for another purpose."""

_SIGNER = "signer"
_SECONDS = 120


def sign(content: bytes, key: Path) -> tuple[str, str]:
    """Gives the armoured signature and the public key of the signer.

    Args:
        content: what is signed.
        key: a private key file, or a public one whose private half the agent holds.

    Raises:
        Blocked: `ssh-keygen` is not there.
        InputError: the key cannot be used.
    """
    if not key.is_file():
        raise InputError(
            f"no key {key}", wanted="an ssh key", mend="ssh-keygen -t ed25519 makes one"
        )
    done = _ssh_keygen(["-Y", "sign", "-f", str(key), "-n", NAMESPACE], content)
    if done.returncode:
        raise InputError(
            f"ssh-keygen cannot sign with {key}: {_said(done)}",
            wanted="a key that can sign",
            code="no_signature",
        )
    return done.stdout.decode(), _public(key)


def check_signature(content: bytes, *, signature: str, signer: str) -> None:
    """Does nothing where the signer signed exactly this content.

    Raises:
        Tampered: he did not.
        Blocked: `ssh-keygen` is not there, so nobody can say.
    """
    with tempfile.TemporaryDirectory() as folder:
        allowed, armoured = Path(folder, "allowed"), Path(folder, "plan.sig")
        allowed.write_text(f"{_SIGNER} {signer}\n", encoding="utf-8")
        armoured.write_text(signature, encoding="utf-8")
        done = _ssh_keygen(
            [
                *("-Y", "verify", "-f", str(allowed), "-I", _SIGNER),
                *("-n", NAMESPACE, "-s", str(armoured)),
            ],
            content,
        )
    if done.returncode:
        raise Tampered(
            f"the signature in seal.json is not one of {signer!r} over plan.json: {_said(done)}"
        )


def _public(key: Path) -> str:
    beside = key if key.suffix == ".pub" else key.with_name(f"{key.name}.pub")
    if beside.is_file():
        return beside.read_text(encoding="utf-8").strip()
    done = _ssh_keygen(["-y", "-f", str(key)], b"")
    if done.returncode:
        raise InputError(f"ssh-keygen cannot read {key}: {_said(done)}", wanted="an ssh key")
    return done.stdout.decode().strip()


def _ssh_keygen(arguments: Sequence[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
    return asked("ssh-keygen", arguments, given=given, seconds=_SECONDS, package="OpenSSH")


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"
