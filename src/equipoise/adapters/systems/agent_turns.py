"""The turns of a session: what the user says once the agent has stopped, and what stands then.

After every turn but the last the cell is set down: workspace, home, calls. A run that is killed
between two turns goes on with the next one, and does no turn twice.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from equipoise.ports.agents import Ended, Frozen, HowEnded
from equipoise.records.brief import Request
from equipoise.records.call import ModelCall
from equipoise.records.codec import encode, identity_of
from equipoise.records.trial import Ending

FOLDER = "turns"
_STATE, _WORKSPACE, _HOME, _NEW = "state.json", "workspace", "home", "new"


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn that has ended; `is_restored`: a run that was killed had done it."""

    number: int
    how: str
    took_s: float
    said_sha256: str = ""
    is_restored: bool = False


class Turns(msgspec.Struct, kw_only=True):
    """What has happened in a session so far, whichever run did it.

    `documents` are what stood after each turn, by name: ``turns/1/diff.patch``.
    """

    asked: str
    done: list[Turn] = []
    ended: list[Ended] = []
    calls: list[ModelCall] = []
    exchanges: dict[str, bytes] = {}
    documents: dict[str, bytes] = {}

    def take(self, ended: Ended, said: str, calls: Sequence[ModelCall]) -> None:
        """Adds a turn that has ended, with its calls."""
        number, n_before = len(self.done) + 1, len(self.calls)
        self.ended.append(ended)
        self.calls += [msgspec.structs.replace(one, seq=one.seq + n_before) for one in calls]
        self.done.append(
            Turn(
                number=number,
                how=ended.how.value,
                took_s=round(ended.duration_ms / 1000, 3),
                said_sha256=said,
            )
        )

    def hear(self, exchanges: Mapping[str, bytes]) -> None:
        """Adds what went over the wire in the turn that is under way."""
        number = len(self.done) + 1
        where = "" if number == 1 else f"{FOLDER}/{number}/"
        self.exchanges |= {f"{where}{name}": content for name, content in exchanges.items()}

    @property
    def is_stopped(self) -> bool:
        """Says whether the agent has stopped by itself, so that the user can say more."""
        return bool(self.ended) and self.ended[-1].how is HowEnded.EXITED

    @property
    def took_s(self) -> float:
        """Gives the seconds that all turns have taken."""
        return sum(one.duration_ms for one in self.ended) / 1000

    def whole(self) -> Ended:
        """Gives all turns as one: how the last one ended, what all of them printed and took."""
        return replace(
            self.ended[-1],
            stdout=b"".join(one.stdout for one in self.ended),
            stderr=b"".join(one.stderr for one in self.ended),
            duration_ms=sum(one.duration_ms for one in self.ended),
            unbounded=tuple(dict.fromkeys(name for one in self.ended for name in one.unbounded)),
        )

    def told(self, n_planned: int) -> dict[str, Any]:
        """Gives what the document of the session says of them; nothing where one was planned."""
        return {"turns": self.done, "n_turns_planned": n_planned} if n_planned > 1 else {}


def stood(number: int, found: Frozen | Ending, said: bytes | None) -> dict[str, bytes]:
    """Gives what stands after a turn, as documents; nothing where it cannot be frozen."""
    where = f"{FOLDER}/{number}"
    documents = {} if said is None else {f"{where}/output": said}
    if isinstance(found, Frozen):
        documents[f"{where}/diff.patch"] = found.diff
        documents[f"{where}/tree.json"] = encode(dict(found.tree))
        for path, content in found.artifacts.items():
            documents[f"{where}/artifacts/{path}"] = content
    return documents


class Standing:
    """Where a cell is set down between its turns, beside the workspaces of its run.

    It stays until the run has ended: a trial that was told may be lost with a run that is killed.
    """

    def __init__(self, request: Request, asked: str) -> None:
        """Names the place by the cell, so that another attempt at it finds it."""
        key = identity_of("turns", request.brief.unit, request.arm, request.repetition)
        self._folder = Path(request.workspace).absolute().parent.parent / FOLDER / key
        self.asked = asked

    def set_down(self, turns: Turns, workspace: Path, home: Path) -> None:
        """Sets the cell down, whole or not at all; what cannot be copied is not set down."""
        before = self._stood()
        fresh = self._folder / _NEW
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            fresh.mkdir(parents=True)
            shutil.copytree(workspace, fresh / _WORKSPACE, symlinks=True)
            shutil.copytree(home, fresh / _HOME, symlinks=True)
            fresh.joinpath(_STATE).write_bytes(encode(turns))
            os.sync()
            fresh.rename(self._folder / str(len(turns.done)))
            for one in before:  # what stood is gone only once the next stands
                shutil.rmtree(one, ignore_errors=True)
        except (OSError, shutil.Error):
            shutil.rmtree(fresh, ignore_errors=True)

    def taken_up(self, workspace: Path, home: Path) -> Turns | None:
        """Puts the cell back as it was set down, and gives its turns; null = it never was."""
        found = self._stood()
        try:
            turns = msgspec.json.decode(found[-1].joinpath(_STATE).read_bytes(), type=Turns)
        except (IndexError, OSError, msgspec.MsgspecError):
            return None
        if turns.asked != self.asked:
            return None
        for name, place in ((_WORKSPACE, workspace), (_HOME, home)):
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(found[-1] / name, place, symlinks=True)
        turns.done = [msgspec.structs.replace(one, is_restored=True) for one in turns.done]
        return turns

    def _stood(self) -> list[Path]:
        """Gives what is set down, by the number of turns that were done."""
        found = list(self._folder.iterdir()) if self._folder.is_dir() else []
        return sorted((one for one in found if one.name.isdecimal()), key=lambda one: int(one.name))
