"""Batches of answers that a token limit made void, by the rule that the plan names.

Whoever drops only the answers that were cut keeps the short ones: what is left is no fair sample.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from equipoise.archive.store import Archive
from equipoise.records.plan import Batch, Plan
from equipoise.records.trial import EndingKind, Reason, Trial

_SAYS = {
    Batch.TRIAL: "they alone are void",
    Batch.UNIT: "every execution of such a unit in this arm is void with it",
    Batch.RUN: "the whole run is void with it",
}


def is_cut(trial: Trial) -> bool:
    """Says whether an answer of the trial met its token limit."""
    ending = trial.ending
    return ending.kind is EndingKind.TRUNCATED and ending.reason in (Reason.NONE, Reason.TRUNCATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    """The batches of a run that are void: unit -> the first trial of it that was cut."""

    batch: Batch
    units: dict[str, str] = field(default_factory=dict)

    def why(self, unit: str) -> str:
        """Says why a trial of the unit is void; empty where it is not."""
        if self.batch is Batch.RUN and self.units:
            first = next(iter(self.units.values()))
            return f"void batch: an answer of trial {first} of this run met its token limit"
        if self.batch is Batch.UNIT and unit in self.units:
            first = self.units[unit]
            return f"void batch: an answer of trial {first} of this unit met its token limit"
        return ""


def voided(plan: Plan, trials: Iterable[Trial]) -> Voided:
    """Gives what is void of the trials of one run."""
    units: dict[str, str] = {}
    for trial in trials:
        if is_cut(trial):
            units.setdefault(trial.unit, trial.id)
    return Voided(batch=plan.truncation, units=units)


def cut_short(plan: Plan, arm: str, archive: Archive) -> Iterator[str]:
    """Yields a note where answers of a run met their token limit; it says what is void for it."""
    trials = list(archive.read(Trial))
    found = voided(plan, trials)
    if not found.units:
        return
    n_cut = sum(map(is_cut, trials))
    n_void = sum(bool(found.why(trial.unit)) or is_cut(trial) for trial in trials)
    yield (
        f"{n_cut:,} of {len(trials):,} trials of {arm} met a token limit; truncation: "
        f"{plan.truncation.value}: {_SAYS[plan.truncation]}: {n_void:,} trials are in no estimate; "
        "mend: raise the limit (CS_EVAL_MAX_TOKENS, or the harness's own) and run anew"
    )
