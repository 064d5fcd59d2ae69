"""What a pair of runs shows at the look they stand at, under the plan's rule for stopping early."""

import duckdb
import msgspec

from equipoise.archive.columns import Columns
from equipoise.records.plan import Stopping
from equipoise.records.suite import SuiteLook
from equipoise.records.trial import EndingKind, Trial
from equipoise.stages.estimate.loss.looking import At, look
from equipoise.stages.estimate.loss.scoring import MOST_ABORTED, Scored
from equipoise.studies.loss.looks import (
    GO_ON,
    NOT_LOOKED,
    STOP,
    Looks,
    Taken,
    last_look,
    looks_of,
)
from equipoise.studies.loss.pairing import Pair
from equipoise.studies.loss.scoring import LossRun, score_run

_CARRIED = frozenset({EndingKind.COMPLETED, EndingKind.BUDGET, EndingKind.REFUSED})


def look_at(
    con: duckdb.DuckDBPyConnection,
    pair: Pair,
    scored: tuple[Scored, Scored],
    fresh: tuple[Columns, Columns] | None = None,
    number: int | None = None,
) -> SuiteLook | None:
    """Gives what the rule says of a pair; null where the plan has none.

    Args:
        con: holds the tables of both runs.
        pair: the runs.
        scored: the new and the base run as they are compared.
        fresh: their columns, where no cache is trusted.
        number: of the look; null = the last that the new run went through, and where it tells of
            none, as far as its executions go.
    """
    looks = looks_of(pair.new.plan)
    if looks is None:
        return None
    wanted = number or last_look(pair.new.archive)
    if not wanted:
        return look(con, pair.new.plan, *scored, _as_recorded(pair.new))
    new, base = (
        _at(con, run, pair.version, (one, fresh[i] if fresh else None), wanted)
        for i, (run, one) in enumerate(zip(_both(pair), scored, strict=True))
    )
    return seen_at(con, looks, (new, base), wanted)


def taken_at(
    pair: Pair, looks: Looks, number: int, fresh: tuple[Columns, Columns] | None = None
) -> Taken:
    """Takes a look at a pair as it stood at the look: what the rule sees, and what it decides.

    Where too much did not complete, nothing is looked at, and the run goes on.

    Args:
        pair: the runs and the catalog.
        looks: what was planned.
        number: of the look.
        fresh: columns of the new and the base run, where no cache is trusted.
    """
    at = (number, number if _both(pair)[1] else None)
    with duckdb.connect() as con:
        new, base = (
            score_run(
                con, run, pair.version, name, columns=fresh[i] if fresh else None, number=at[i]
            )
            for i, (run, name) in enumerate(((pair.new, "new"), (pair.base, "base")))
        )
        seen = seen_at(con, looks, (new, base), number)
    suites = (new.suite, base.suite)
    broken = [one for one in suites if one.completion_rate < 1.0 - MOST_ABORTED]
    outcome = STOP if seen.word else GO_ON
    if broken:
        seen = msgspec.structs.replace(
            seen, statistic=None, boundary=None, word="", delta=None, lo=None, hi=None
        )
        outcome = NOT_LOOKED
    return Taken(
        new=pair.new.run_id,
        base=pair.base.run_id,
        catalog=pair.version,
        mde=looks.plan.mde,
        outcome=outcome,
        seen=seen,
        results_sha256=(new.suite.results_sha256, base.suite.results_sha256),
        why="; ".join(f"{one.arm}: {one.completion_rate:.1%} completed" for one in broken),
    )


def seen_at(
    con: duckdb.DuckDBPyConnection, looks: Looks, scored: tuple[Scored, Scored], number: int
) -> SuiteLook:
    """Gives what the rule says of a new and a base run that are scored as they were at a look."""
    at = At(
        number=number,
        n_executed=looks.n_executions(number),
        n_planned=looks.n_executions(looks.plan.looks),
        fractions=looks.fractions,
    )
    found = look(con, looks.plan, *scored, looks.order, at)
    assert found is not None
    return found


def _both(pair: Pair) -> tuple[LossRun, LossRun | None]:
    """Gives the runs, the base only where it follows the same plan: else it is taken whole."""
    is_same = pair.base.facts.plan_sha256 == pair.new.facts.plan_sha256
    return pair.new, pair.base if is_same else None


def _at(
    con: duckdb.DuckDBPyConnection,
    run: LossRun | None,
    version: str,
    held: tuple[Scored, Columns | None],
    number: int,
) -> Scored:
    """Gives a run as it stood at a look, scored anew where it has gone on since."""
    scored, columns = held
    if run is None or last_look(run.archive) == number:
        return scored
    name = f"{scored.table.name}_at_{number}"
    return score_run(con, run, version, name, columns=columns, number=number)


def _as_recorded(run: LossRun) -> list[str]:
    """Gives the units in the order in which the last of their trials were recorded."""
    if run.plan.stopping is not Stopping.E_PROCESS:
        return []
    last: dict[str, int] = {}
    for place, trial in enumerate(run.archive.read(Trial)):
        if trial.ending.kind in _CARRIED:
            last[trial.unit] = place
    return sorted(last, key=lambda unit: last[unit])
