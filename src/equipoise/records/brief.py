"""What a system under test may see of a unit, and of the trial it is to execute."""

from typing import Any

import msgspec


class Brief(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One unit as the system meets it. What only grading may see is in `Holdout`.

    `content` is the unit's input as the study wrote it (JSON); `is_anchor`: deterministic, executed
    once; `cluster` names what units share; `origin` says where the unit was written
    (``units.jsonl:17``).
    """

    unit: str
    content: dict[str, Any]
    labels: dict[str, str]
    cluster: str | None = None
    is_anchor: bool = False
    is_adversarial: bool = False
    origin: str = ""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt at a cell, as it is handed to a system.

    `trial` is the id under which everything that happens is looked up afterwards (a trace id);
    `seed` is the cell's own, derived from the plan's; `workspace` the path of a folder for this
    trial alone, which who needs it makes; it is gone afterwards.
    """

    trial: str
    brief: Brief
    arm: str
    repetition: int
    attempt: int
    seed: int
    timeout_s: float
    workspace: str = ""
