"""A fallback where Docker or Podman is there: each job in a container of its own."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import anyio

from equipoise.adapters.sandboxes.ending import ended, unstarted
from equipoise.adapters.sandboxes.leases import Leases, new_mark
from equipoise.adapters.sandboxes.probing import tried
from equipoise.adapters.sandboxes.running import Program, Runner
from equipoise.errors import Blocked, InputError
from equipoise.ports.agents import Available, Ended, Isolation, Job

IMAGE = "debian:stable-slim"
ENGINES = ("podman", "docker")

_BOUND = ("memory_bytes", "n_processes")
"""Bounds that the engine sets itself."""

_OF_THE_CLIENT = ("PATH", "HOME", "LD_LIBRARY_PATH", "LD_PRELOAD")
_UNSTARTED = (125, 126, 127)
"""What the clients end with where no program of a job has run."""


class Container:
    """Runs jobs in containers of Podman or Docker, from an image that is there already.

    The image has to hold what the job runs; nothing is ever downloaded. A start takes about a
    second.
    """

    name = "container"
    isolation = Isolation.CONTAINER

    def __init__(self, engine: str = "", image: str = IMAGE, leases: Leases | None = None) -> None:
        """Uses `engine`, a name or path, or the first of `ENGINES` that is on the PATH."""
        names = (engine,) if engine else ENGINES
        self._engine = next(filter(None, map(shutil.which, names)), "")
        self._image = image
        self._runner = Runner(leases)

    async def probe(self) -> Available:
        """Tries it: the engine has to answer, the image to be there, a job to be kept apart."""
        if not self._engine:
            return Available(
                is_available=False,
                why_not=f"neither {' nor '.join(ENGINES)} is here",
                mend="apt-get install podman",
            )
        name = Path(self._engine).name
        field = "{{.Version.Version}}" if name == "podman" else "{{.ServerVersion}}"
        version = await _asked([self._engine, "info", "--format", field])
        if not version[0]:
            return Available(
                is_available=False,
                why_not=f"{name} is here, but no engine answers: {version[1]}",
                mend=f"start the service of {name}, or apt-get install podman",
            )
        image = await _asked([self._engine, "image", "inspect", "--format", "{{.Id}}", self._image])
        if not image[0]:
            return Available(
                is_available=False,
                version=version[0],
                why_not=f"the image {self._image} is not here",
                mend=f"{name} pull {self._image}",
            )
        return await tried(self, f"{name} {version[0]}", f"{name} run --rm {self._image} true")

    async def run(self, job: Job) -> Ended:
        """Runs a job to its end; see `ports.agents.Sandbox`."""
        if not self._engine:
            return unstarted(f"neither {' nor '.join(ENGINES)} is here")
        name = f"equipoise-{new_mark()}"
        program = Program(
            argv=arguments(self._engine, self._image, name, job), environment=_environment(job)
        )
        try:
            with self._runner.leases.taken(
                f"{job.lease} (container)", containers=[(self._engine, name)]
            ):
                try:
                    done, unbounded = await self._runner.run(job, lambda _: program)
                finally:
                    with anyio.CancelScope(shield=True):  # its end is not the end of the container
                        await _asked([self._engine, "rm", "--force", name])
        except (Blocked, InputError, OSError) as error:
            return unstarted(str(error))
        told = ended(done, [bound for bound in unbounded if bound not in _BOUND])
        if told.exit_code in _UNSTARTED and done.stderr.startswith((b"Error", b"docker:")):
            return unstarted(told.stderr.decode(errors="replace").strip())
        return told

    def close(self) -> None:
        """Ends the process from which jobs are started; it is started again when needed."""
        self._runner.close()


def arguments(engine: str, image: str, name: str, job: Job) -> list[str]:
    """Gives the call of an engine for a job.

    Values of the environment are not in it, so that no list of processes shows them.
    """
    bounds = job.bounds
    user = f"{os.geteuid()}:{os.getegid()}"
    keeps_id = Path(engine).name == "podman" and os.geteuid() != 0
    home = job.environment.get("HOME", "/home")
    mounts = [
        word
        for mount in job.mounts
        for word in (
            "--mount",
            f"type=bind,source={mount.source},target={mount.target}"
            + ("" if mount.is_writable else ",readonly"),
        )
    ]
    return [
        *(engine, "run", "--rm", "--interactive", "--init", "--pull", "never", "--name", name),
        *("--network", "none", "--ipc", "private", "--hostname", "cell", "--read-only"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", user),
        *(("--userns", "keep-id") if keeps_id else ()),
        *("--pids-limit", str(bounds.n_processes), "--memory", str(bounds.memory_bytes)),
        *("--memory-swap", str(bounds.memory_bytes), "--ulimit", "core=0"),
        *("--ulimit", f"fsize={bounds.file_bytes}", "--ulimit", "nofile=4096"),
        *(("--ulimit", f"cpu={max(1, round(bounds.cpu_s))}") if bounds.cpu_s else ()),
        *("--tmpfs", f"/tmp:rw,mode=1777,size={bounds.tmp_bytes}"),  # noqa: S108  the job's own
        *("--tmpfs", f"{home}:rw,mode=1777,size={bounds.tmp_bytes}"),
        *mounts,
        *("--workdir", job.folder, "--entrypoint", job.argv[0]),
        *(word for variable in _variables(job) for word in ("--env", variable)),
        *(image, *job.argv[1:]),
    ]


def _variables(job: Job) -> list[str]:
    """Gives names, whose values the client finds in its environment; its own ones with values."""
    return [
        f"{name}={value}" if _is_of_the_client(name) else name
        for name, value in job.environment.items()
    ]


def _environment(job: Job) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if _is_of_the_client(name)}
    return {**own, **{n: v for n, v in job.environment.items() if not _is_of_the_client(n)}}


def _is_of_the_client(name: str) -> bool:
    return name in _OF_THE_CLIENT or name.startswith(("DOCKER_", "CONTAINER", "XDG_"))


async def _asked(argv: Sequence[str]) -> tuple[str, str]:
    """Gives what a command says, empty where it fails, and the last line of its complaint."""
    try:
        done = await anyio.run_process(argv, check=False)
    except OSError as error:
        return "", str(error)
    said = done.stdout.decode(errors="replace").strip()
    complaint = done.stderr.decode(errors="replace").strip().splitlines() or [""]
    return (said if done.returncode == 0 else ""), complaint[-1]
