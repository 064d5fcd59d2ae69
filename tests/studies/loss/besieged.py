"""Small studies that are killed again and again, and what has to hold of them afterwards."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.event import Event, EventKind
from equipoise.records.trial import EndingKind, Trial
from studies.loss.made_agents import agent_study

Pids = Callable[[Path], list[int]]
"""Gives the processes that may be killed, by the folder of the siege; none = not yet."""

_LOG = logging.getLogger(__name__)
_STAYS = {"equipoise-devices"}  # of root: made once, for all runs


class Siege:
    """One study in surroundings of its own, killed, started again, and looked at."""

    def __init__(self, folder: Path, arm: dict[str, Any], seed: int, **study: Any) -> None:
        """Makes the study; `folder` has a short path, `study` are further keys of its file."""
        self.folder = folder
        self.temporary = folder / "t"
        for place in (folder / "r", self.temporary):
            place.mkdir()
        files = study.pop("files", {})
        self.study = agent_study(
            folder / "s",
            n_units=study.pop("n_units", 4),
            files=files,
            study={
                "budget": {"cell_timeout_s": "60", "concurrency": "4", "max_attempts": "100"},
                **study,
            },
            only=arm,
        )
        self.rng = np.random.default_rng(seed)
        self.n_kills = self.n_rounds = 0
        self.pids: list[int] = []

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        """Starts equipoise; every process below it carries the mark of this siege."""
        child = subprocess.Popen(
            [sys.executable, "-m", "equipoise", *words],
            env=os.environ
            | {
                "XDG_RUNTIME_DIR": str(self.folder / "r"),
                "TMPDIR": str(self.temporary),
                "OF_THIS_SIEGE": str(self.folder),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.pids.append(child.pid)
        return child

    def kill_runs(self, n_kills: int, is_due: Callable[[], object], longest_s: float) -> None:
        """Kills so many runs, each at a random moment after it is due; then lets one end."""
        while self.n_kills < n_kills:
            self._new_round()
            for _ in range(8):
                if self.n_kills < n_kills and not self._killed_run(is_due, longest_s):
                    break
            self.ends()
            self.is_as_it_was()

    def kill_inside(self, n_kills: int, whom: Pids, between_s: float) -> None:
        """Kills processes of runs that go on, one after another at random moments."""
        while self.n_kills < n_kills:
            self._new_round()
            is_done = False
            for _ in range(8):
                is_done = self._went_on(n_kills, whom, between_s)
                if is_done or self.n_kills >= n_kills:
                    break
            if not is_done:
                self.ends()
            self.is_as_it_was()

    def ends(self) -> None:
        """Lets a run come to its end."""
        with self.start("run", str(self.study)) as child:
            _, said = child.communicate(timeout=300)
        assert child.returncode == 0, said.decode()

    def is_as_it_was(self) -> None:
        """Holds what was recorded against the plan, and the machine against what it was."""
        (path,) = self.study.glob("archive/only-*")
        assert not [fault for fault in verify_archive(path) if not fault.is_note]
        trials = list(Archive.open(path).read(Trial))
        plan = json.loads(self.study.joinpath("plan.json").read_bytes())
        planned = {(unit["id"], n) for unit in plan["units"] for n in (1, 2, 3)}
        done = [t for t in trials if t.ending.kind is EndingKind.COMPLETED]
        cells = Counter((t.unit, t.repetition) for t in done)
        others = {f"{t.ending.kind.value}: {t.ending.detail}" for t in trials if t not in done}
        assert cells == dict.fromkeys(planned, 1), others
        assert {t.exit_code for t in done} <= {0, None}, "a kill is no outcome of the system"
        tried = Counter((t.unit, t.repetition, t.attempt) for t in trials)
        assert set(tried.values()) == {1}
        kinds = (EventKind.SNAPSHOT, EventKind.TORN_DOWN)
        states = [event for event in Archive.open(path).read(Event) if event.kind in kinds]
        whole = [event for event in states if event.outcome != "failed"]
        assert len({event.facts["state_sha256"] for event in whole}) == 1, "the state as it was"
        assert (states[-1].kind, states[-1].outcome) == (EventKind.TORN_DOWN, "passed")
        assert self.left() == []
        _LOG.info("%d kills in %d rounds, %d cells whole", self.n_kills, self.n_rounds, len(cells))

    def left(self) -> list[str]:
        """What is there of killed runs: files, sockets, leases, groups, processes."""
        for _ in range(100):  # the last of them are on their way out
            found = list(self._left())
            if not found:
                return []
            time.sleep(0.05)
        return found

    def _left(self) -> Iterator[str]:
        yield from map(str, self.study.glob("work/*"))
        yield from map(str, self.study.glob("archive/.*"))
        yield from map(str, self.study.glob("archive/**/*.part"))
        yield from map(str, self.study.glob(".*.claim"))
        yield from map(str, self.folder.joinpath("r").rglob("*.json"))
        yield from (path.name for path in self.temporary.iterdir() if path.name not in _STAYS)
        for folder, names, _ in os.walk("/sys/fs/cgroup"):  # others come and go meanwhile
            groups = [name for name in names if name.startswith("equipoise-")]
            ours = {f"{pid}" for pid in self.pids}
            yield from (f"{folder}/{name}" for name in groups if name.split("-")[1] in ours)
        yield from (f"{pid} {_command(pid)}" for pid in self.marked())

    def marked(self) -> list[int]:
        """The processes that any run of this siege has started, and that live."""
        mark = f"OF_THIS_SIEGE={self.folder}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if mark in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def _went_on(self, n_kills: int, whom: Pids, between_s: float) -> bool:
        """Kills inside of one run; false where it stopped because of that."""
        with self.start("run", str(self.study)) as child:
            while child.poll() is None and self.n_kills < n_kills:
                time.sleep(float(self.rng.uniform(0.0, between_s)))
                self._kill_one(whom)
            _, said = child.communicate(timeout=300)
        assert child.returncode in {0, 3, 5}, said.decode()
        return child.returncode == 0

    def _new_round(self) -> None:
        self.n_rounds += 1
        shutil.rmtree(self.study / "archive", ignore_errors=True)

    def _killed_run(self, is_due: Callable[[], object], longest_s: float) -> bool:
        """Kills one run; false where it had ended by itself."""
        with self.start("run", str(self.study)) as child:
            while child.poll() is None and not is_due():
                time.sleep(0.005)
            with suppress(subprocess.TimeoutExpired):
                _, said = child.communicate(timeout=float(self.rng.uniform(0.0, longest_s)))
                assert child.returncode == 0, said.decode()
                return False
            child.kill()
            child.communicate()
        self.n_kills += 1
        return True

    def _kill_one(self, whom: Pids) -> None:
        found = whom(self.folder)
        if found:
            with suppress(ProcessLookupError):
                os.kill(found[int(self.rng.integers(len(found)))], signal.SIGKILL)
                self.n_kills += 1


def _command(pid: int) -> str:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
        return words.decode(errors="replace")[:120]
    return ""


def processes(of: Callable[[list[str]], bool]) -> list[int]:
    """The living processes whose command is what is wanted."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_bytes().decode(errors="replace").split("\0")
            if of(words):
                found.append(int(path.parent.name))
    return found
