"""What each cell of an arm needs while it is under way, as its system and the state say."""

from collections.abc import Mapping
from typing import Any

from equipoise.records.plan import ArmPlan, StateSpec

MODEL, SANDBOX, DATABASE = "model", "sandbox", "database"
_DATABASES = frozenset({"sqlite", "postgres"})


def needs_of(arm: ArmPlan, state: StateSpec | None) -> frozenset[str]:
    """Gives the resources of which each cell of the arm holds one.

    An agent needs a sandbox, and a model unless it is a stand-in or a command that calls none; a
    model alone needs a model. Where the state is in a database, every cell needs that.
    """
    needs = {DATABASE} if state is not None and state.kind in _DATABASES else set[str]()
    if "model" in arm.system:
        needs.add(MODEL)
    if "agent" in arm.system:
        needs.add(SANDBOX)
        if _calls_model(arm.system["agent"]):
            needs.add(MODEL)
    return frozenset(needs)


def is_served(state: StateSpec | None) -> bool:
    """Says whether the state is held by a server, which may end before the run does."""
    return state is not None and state.kind == "postgres"


def _calls_model(spec: Any) -> bool:
    harness = spec.get("harness") if isinstance(spec, Mapping) else None
    if not isinstance(harness, Mapping):
        return harness != "scripted"
    options = harness.get("command")
    is_mute = isinstance(options, Mapping) and str(options.get("calls_model")).lower() == "false"
    return "scripted" not in harness and not is_mute
