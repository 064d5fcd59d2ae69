"""Keeps what a session asked its tools to do, as far as its files tell, within bounds."""

from collections import Counter
from typing import Any

import msgspec

from equipoise.records.acts import act_of
from equipoise.records.conduct import Act

MOST_ACTS = 5000


class Acts:
    """The calls of tools of one session, in their order."""

    def __init__(self) -> None:
        """Begins with none."""
        self.kept: list[Act] = []
        self.n_left_out = 0

    def add(self, tool: str, given: Any, call: str = "") -> None:
        """Adds a call with its input (an object, JSON of one, or a command) and its id."""
        if len(self.kept) >= MOST_ACTS:
            self.n_left_out += 1
            return
        self.kept.append(act_of(tool, given, call))


def kept(acts: "Acts | None") -> tuple[Act, ...]:
    """Gives what was kept, with a last line that says how many more there were."""
    if acts is None:
        return ()
    more = (Act(tool="", given=f"{acts.n_left_out} more"),) if acts.n_left_out else ()
    return (*acts.kept, *more)


def of_subagent(acts: tuple[Act, ...], name: str) -> tuple[Act, ...]:
    """Gives the same, as those of a sub-agent."""
    return tuple(msgspec.structs.replace(one, by=name) for one in acts)


def united(told: tuple[Act, ...], printed: tuple[Act, ...]) -> tuple[Act, ...]:
    """Gives the calls of a transcript and those that were printed, each as often as where most.

    What somebody took out of the transcript still stands in what was printed, and is marked. They
    may have other names for a tool: what it was given decides.
    """
    found = list(told)
    left = Counter(one.given for one in told)
    for one in printed:
        if left[one.given] > 0:
            left[one.given] -= 1
        elif one.given:
            found.append(msgspec.structs.replace(one, is_only_printed=True))
    return tuple(found)
