"""Which folders and files a run may put back, that is, overwrite and empty."""

import sys
from pathlib import Path

from equipoise.errors import InputError

_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "usr")


def checked(text: str, root: Path, *, kind: str) -> Path:
    """Gives the resolved path of a state; `root` is the folder of the study.

    Raises:
        InputError: putting this back could destroy what is no state of the study.
    """
    if not text.strip() or "\x00" in text:
        raise _refused(kind, text, "that is no path")
    path = root.joinpath(Path(text).expanduser()).resolve()
    why = _danger(path, root.resolve())
    if why:
        raise _refused(kind, str(path), why)
    return path


def check_apart(target: Path, keep: Path) -> None:
    """Checks that neither the snapshot lies in the state nor the state in the snapshot.

    Raises:
        InputError: one lies in the other.
    """
    where = keep.resolve()
    if where == target or target in where.parents or where in target.parents:
        raise InputError(
            f"the state {target} and the folder for its snapshot {where} lie one in the other",
            wanted="two folders apart",
            mend="move the state to a folder of its own, such as state/",
            code="snapshot_in_state",
        )


def _danger(path: Path, root: Path) -> str:
    if path == Path(path.anchor):
        return "that is the whole file system"
    home = Path.home().resolve()
    if path == home or path in home.parents:
        return "that is your home folder, or holds it"
    if path == root or path in root.parents:
        return "that is the folder of the study, or holds it"
    if path.parent == Path(path.anchor) or path.parts[1] in _SYSTEM:
        return "that belongs to the system"
    own = (Path(sys.prefix).resolve(), Path(__file__).resolve())
    if any(path == place or path in place.parents for place in own):
        return "that holds this program"
    return ""


def _refused(kind: str, text: str, why: str) -> InputError:
    return InputError(
        f"{kind} {text!r}: {why}",
        wanted="something that holds the state of the system and nothing else",
        mend="give the state a folder of its own, such as state/",
        where="study.yaml: field 'state'",
        code="dangerous_state",
    )
