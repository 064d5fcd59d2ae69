"""What the cells that are left will take, by what earlier cells of the same arm took."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from equipoise.archive.store import Archive
from equipoise.records.codec import digest
from equipoise.records.trial import Trial, Usage
from equipoise.studies.loss.running_asked import ArmRun, Estimate
from equipoise.studies.loss.running_place import archived_runs
from equipoise.studies.loss.sealed import Sealed

_KINDS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def estimated(sealed: Sealed, runs: Sequence[ArmRun], max_cells: int | None) -> list[ArmRun]:
    """Gives the runs with what is left of them, in cells, tokens, money and time.

    An arm is known by the attempts of its runs in this study, whatever their plan; what none of
    them says is null. With `max_cells` only so many cells are counted, in the order of the arms.
    """
    found, n_allowed = [], max_cells
    for run in runs:
        n_cells = run.n_left if n_allowed is None else min(run.n_left, n_allowed)
        if n_allowed is not None:
            n_allowed -= n_cells
        found.append(replace(run, expected=_estimate(n_cells, _Seen.of(sealed, run.arm))))
    return found


def over_budget(sealed: Sealed, runs: Iterable[ArmRun], max_usd: float | None) -> str:
    """Says by how much runs with an estimate would exceed what may be spent; empty where not.

    What is unknown exceeds nothing: then only the limit itself ends the run.
    """
    allowed = [usd for usd in (sealed.plan.limits.max_usd, max_usd) if usd is not None]
    known = [run.expected.usd for run in runs if run.expected and run.expected.usd is not None]
    if not allowed or not any(known):
        return ""
    spent, limit = _spent(sealed), min(allowed)
    total = spent + sum(known)
    if total <= limit or spent >= limit:
        return ""
    return (
        f"about {sum(known):.2f} USD more, {total:.2f} USD in all, and the limit is {limit:g} USD"
    )


@dataclass(slots=True)
class _Seen:
    """What the attempts of an arm took."""

    cells: set[tuple[str, str, int]]
    trials: list[tuple[Usage | None, float | None, float | None]]

    @classmethod
    def of(cls, sealed: Sealed, arm: str) -> "_Seen":
        """Reads all runs of an arm in the study."""
        seen = cls(cells=set(), trials=[])
        for path, facts in archived_runs(sealed.root):
            if facts.arm == arm:
                for trial in Archive.open(path).read(Trial):
                    seen.cells.add((path.name, trial.unit, trial.repetition))
                    seen.trials.append((trial.usage, trial.cost_usd, trial.duration_ms))
        return seen


def _estimate(n_cells: int, seen: _Seen) -> Estimate:
    if not seen.cells:
        return Estimate(n_cells=n_cells)
    each = len(seen.trials) / len(seen.cells) * n_cells
    usages = [usage for usage, _, _ in seen.trials if usage is not None]
    costs = [usd for _, usd, _ in seen.trials if usd is not None]
    times = [ms for _, _, ms in seen.trials if ms is not None]
    tokens = {}
    for kind in _KINDS:
        counted = [n for usage in usages if (n := getattr(usage, kind)) is not None]
        if counted:
            tokens[kind] = round(sum(counted) / len(counted) * each)
    return Estimate(
        n_cells=n_cells,
        n_seen=len(seen.cells),
        tokens=tokens or None,
        usd=sum(costs) / len(costs) * each if costs else None,
        busy_s=sum(times) / len(times) / 1000 * each if times else None,
    )


def _spent(sealed: Sealed) -> float:
    """Gives what all runs of the plan cost so far."""
    plan_sha256 = digest(sealed.plan_bytes)
    return sum(
        trial.cost_usd or 0.0
        for path, facts in archived_runs(sealed.root)
        if facts.plan_sha256 == plan_sha256
        for trial in Archive.open(path).read(Trial)
    )
