"""The budget of a phase that may only begin once somebody confirmed it apart, in figures."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from equipoise.archive.durable import replace_file
from equipoise.errors import Blocked, InputError, as_word
from equipoise.records.codec import decode, digest, pretty
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Plan
from equipoise.studies.loss.running_place import archived_runs
from equipoise.studies.loss.sealed import Sealed
from equipoise.studies.outcome.phases import PRESETS

CONFIRMED = "budget-confirmation.json"
"""File of the study: which budget of which plan was confirmed, and when."""


class Confirmed(msgspec.Struct, frozen=True, kw_only=True):
    """The file `budget-confirmation.json`."""

    plan_sha256: str
    max_usd: float
    confirmed_at: str


def needs_confirmation(sealed: Sealed) -> bool:
    """Says whether the study's phase may not begin without its budget confirmed."""
    outcome = sealed.plan.outcome
    return (
        isinstance(outcome, OutcomePlan)
        and outcome.phase is not None
        and PRESETS[outcome.phase].is_confirmed
    )


def confirm_budget(sealed: Sealed, usd: float | None, now: datetime) -> None:
    """Sees that the budget of a sealed study is confirmed where its phase asks for it.

    Args:
        sealed: the study.
        usd: the sum that was typed, which has to be the plan's; null = nothing was typed.
        now: when.

    Raises:
        Blocked: nobody confirmed it yet.
        InputError: another sum was typed, or the study has none to be confirmed.
    """
    if not needs_confirmation(sealed):
        if usd is not None:
            raise InputError(
                "--confirm-budget with a study whose phase needs no confirmation",
                wanted="a study of phase P3",
                mend="leave it out",
                code="option",
            )
        return
    limit = sealed.plan.limits.max_usd
    if usd is not None and usd != limit:
        raise InputError(
            f"--confirm-budget is {usd:g}, and the sealed plan may spend {limit or 0:g} USD",
            wanted="the sum of the plan, so that both know what was confirmed",
            mend=f"--confirm-budget {limit or 0:g}, or seal a study with another budget",
            code="option",
        )
    if usd is not None and limit is not None:
        made = Confirmed(
            plan_sha256=digest(sealed.plan_bytes),
            max_usd=limit,
            confirmed_at=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        replace_file(sealed.root / CONFIRMED, pretty(made))
        return
    kept = _confirmed(sealed.root, digest(sealed.plan_bytes))
    if kept is None or limit is None or kept.max_usd < limit:
        other = "nobody confirmed that" if kept is None else f"{kept.max_usd:g} were confirmed"
        raise Blocked(
            f"this is phase P3, which may spend {limit or 0:g} USD, and {other} apart; mend: "
            f"equipoise run --confirm-budget {limit or 0:g} {as_word(sealed.root)}"
        )


def unconfirmed(study: Path, plan: Plan, plan_sha256: str) -> str:
    """Says what a study that was run lacks of a confirmation; empty where it lacks nothing.

    Args:
        study: the folder.
        plan: the sealed plan.
        plan_sha256: its name.

    Raises:
        InputError: the file holds no confirmation.
    """
    phase = plan.outcome.phase if isinstance(plan.outcome, OutcomePlan) else None
    was_run = any(run.plan_sha256 == plan_sha256 for _, run in archived_runs(study))
    if phase is None or not PRESETS[phase].is_confirmed or not was_run:
        return ""
    kept = _confirmed(study, plan_sha256)
    if kept is None:
        return f"a run of phase {phase.value} began, and nobody confirmed its budget"
    limit = plan.limits.max_usd or 0.0
    if kept.max_usd < limit:
        return f"{kept.max_usd:g} USD were confirmed, and the plan may spend {limit:g}"
    return ""


def _confirmed(study: Path, plan_sha256: str) -> Confirmed | None:
    """Gives what was confirmed of this very plan."""
    path = study / CONFIRMED
    found = decode(path.read_bytes(), Confirmed, where=CONFIRMED) if path.is_file() else None
    return found if found is not None and found.plan_sha256 == plan_sha256 else None
