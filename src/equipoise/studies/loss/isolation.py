"""Tells where the agents of a run were not shut off from what they must not see."""

from collections.abc import Iterator

from equipoise.archive.store import Archive
from equipoise.ports.agents import Isolation
from equipoise.records.plan import ArmPlan
from equipoise.records.trial import Trial

_WEAK = {
    Isolation.NONE.value: "nothing kept them from files, processes and networks of the machine",
    Isolation.PATHS.value: "paths were denied to them, processes and part of the network were not",
}


def weak_isolation(arm: ArmPlan, archive: Archive) -> Iterator[str]:
    """Yields a note for each weak isolation that trials of an agent had; none for other systems."""
    if "agent" not in arm.system:
        return
    sandboxes: dict[str, set[str]] = {}
    for trial in archive.read(Trial):
        sandbox = trial.versions.get("sandbox", "")
        sandboxes.setdefault(trial.versions.get("isolation", ""), set()).add(sandbox)
    for isolation, told in _WEAK.items():
        if isolation in sandboxes:
            names = ", ".join(sorted(sandboxes[isolation]))
            yield (
                f"sessions of {arm.name} ran in a weak sandbox ({names}): {told}; what was hidden "
                "from them may have been seen, and a good result of theirs is weaker for it"
            )
