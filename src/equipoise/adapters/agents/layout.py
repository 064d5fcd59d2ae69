"""Says where a job sees the folders of its cell, and how it reaches its model."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.ports.agents import Isolation, Mount, Task

SOCKET = "/run/model.sock"
PORT = 8080
"""Port inside a cell at which a program that speaks no unix socket finds its model."""

GIVEN, OWN = "given", "own"
"""Folders in `Task.home`: what we wrote for the cell (read-only), and what is the harness's own."""

_INSIDE = Path(__file__).with_name("inside")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where things are for a job: at places of its own, equal for every cell, or where they are.

    Places of its own need a sandbox that mounts; equal places give equal prompts. A sandbox without
    any network leaves the socket as the only way; who needs TCP cannot work there (`has_tcp`).
    """

    has_own_places: bool = True
    has_tcp: bool = True

    def workspace(self, task: Task) -> str:
        """Gives the working folder."""
        return "/ws" if self.has_own_places else str(task.workspace)

    def own(self, task: Task) -> str:
        """Gives the folder for HOME, settings and state of the harness."""
        return "/state" if self.has_own_places else str(task.home / OWN)

    def given(self, task: Task) -> str:
        """Gives the folder with what we wrote for the cell."""
        return "/given" if self.has_own_places else str(task.home / GIVEN)

    def skill(self, skill: Path) -> str:
        """Gives the folder of a skill."""
        return f"/skills/{skill.name}" if self.has_own_places else str(skill)

    def program(self, path: Path) -> str:
        """Gives a program of ours, or a file or folder of a harness."""
        return f"/opt/{path.name}" if self.has_own_places else str(path)

    def mount(self, path: Path, target: str | None = None) -> Mount:
        """Mounts something read-only where the job sees it."""
        return Mount(source=path, target=target or self.program(path))

    def mounts(self, task: Task) -> list[Mount]:
        """Gives the mounts that every job has: its folders, its skills, the way to its model."""
        pairs = [
            Mount(source=task.workspace, target=self.workspace(task), is_writable=True),
            Mount(source=task.home / OWN, target=self.own(task), is_writable=True),
            Mount(source=task.home / GIVEN, target=self.given(task)),
        ]
        pairs += [Mount(source=skill, target=self.skill(skill)) for skill in task.skills]
        if self.has_socket(task):
            assert task.route.socket is not None
            pairs.append(Mount(source=task.route.socket, target=self.socket(task)))
        return pairs

    def stood(self, source: Path, target: str) -> list[Mount]:
        """Lets a file or folder stand at a place: mounted, or copied where nothing is mounted."""
        if self.has_own_places:
            return [Mount(source=source, target=target)]
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(source, target)
        return []

    def has_socket(self, task: Task) -> bool:
        """Says whether the model is reached through the socket; otherwise through our loopback."""
        is_only_way = self.has_own_places or not self.has_tcp
        return is_only_way and task.route.socket is not None

    def socket(self, task: Task) -> str:
        """Gives the place of the socket."""
        return SOCKET if self.has_own_places else str(task.route.socket)

    def url(self, task: Task) -> str:
        """Gives the base URL of the model for a program that speaks TCP (see `relayed`)."""
        return f"http://127.0.0.1:{PORT}" if self.has_socket(task) else task.route.url

    def relayed(self, task: Task, argv: Sequence[str]) -> list[str]:
        """Puts our relay before a program that cannot speak to a unix socket itself."""
        if not self.has_socket(task):
            return list(argv)
        relay = self.program(inside("relay"))
        return [*isolated_python(), relay, str(PORT), self.socket(task), "--", *argv]

    def relay_mounts(self, task: Task) -> list[Mount]:
        """Gives what `relayed` needs."""
        return [*python_mounts(), self.mount(inside("relay"))] if self.has_socket(task) else []

    def environment(self, task: Task) -> dict[str, str]:
        """Gives the environment that every job has; nothing of the operator's is in it."""
        own = self.own(task)
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": own,
            "XDG_CONFIG_HOME": f"{own}/.config",
            "TMPDIR": "/tmp" if self.has_own_places else f"{own}/tmp",  # noqa: S108  the job's own
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TZ": "UTC",
        }


def layout_for(isolation: Isolation) -> Layout:
    """Gives the layout for a sandbox: only one that mounts can give places of their own."""
    has_mounts = isolation in {Isolation.NAMESPACES, Isolation.CONTAINER}
    return Layout(has_own_places=has_mounts, has_tcp=isolation is not Isolation.PATHS)


def inside(name: str) -> Path:
    """Gives the file of a program of ours that runs inside a cell."""
    return _INSIDE / f"{name}.py"


def isolated_python() -> list[str]:
    """Gives the interpreter that runs this, without site packages, settings or a start-up file."""
    return [str(Path(sys.executable).resolve()), "-I", "-S"]


def python_mounts() -> list[Mount]:
    """Gives the mounts of the interpreter, where it is no program of the system."""
    base = Path(sys.base_prefix).resolve()
    return [] if base.is_relative_to("/usr") else [Mount(source=base, target=str(base))]
