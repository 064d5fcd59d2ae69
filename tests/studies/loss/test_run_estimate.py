"""What a run will take is said before it is begun, and begun only where that is allowed."""

from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest

from equipoise.ports import Answer
from equipoise.records.brief import Request
from equipoise.records.trial import Ending, Usage
from equipoise.wiring import adapters
from studies.loss.desks import desk_study
from studies.loss.runs import equipoise, run, run_here, trials

N_CELLS = 14
"""Of each arm: two intents, with one anchor and two other units of each, executed three times."""


class Priced:
    """Answers with a cost and tokens; of odd repetitions it does not tell the cost."""

    is_simulated = True

    def __init__(self, *, tells_all: bool = True) -> None:
        self._tells_all = tells_all

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Has nothing to end."""

    async def execute(self, request: Request) -> Answer:
        usage = Usage(input_tokens=1000, output_tokens=50)
        cost = 0.5 if self._tells_all or request.repetition % 2 == 0 else None
        output = f"{request.brief.unit} {request.brief.content}".encode()
        return Answer(ending=Ending(), output=output, usage=usage, cost_usd=cost)

    async def canary(self, request: Request) -> Answer:
        return await self.execute(request)


def begun_study(tmp_path: Path, *, n_cells: int, tells_all: bool = True) -> Path:
    """A study of which some cells of the first arm have been executed, each for 0.50 USD."""
    study = desk_study(
        tmp_path / "study", n_each=3, anti_mock="{canary: {text: 'refund {nonce}', cents: 5}}"
    )
    priced = replace(adapters(), system=lambda *_: Priced(tells_all=tells_all))
    run_here(study, max_cells=n_cells, adapters=priced)
    assert len(trials(study, "release-1")) == n_cells
    return study


@pytest.mark.requirement("OUT-46")
def test_a_dry_run_says_cells_tokens_and_money_and_calls_nothing(tmp_path: Path) -> None:
    study = begun_study(tmp_path, n_cells=4)
    told = equipoise("run", study, "--dry-run").stdout
    assert "expected 10 cells: about 10,500 tokens (10,000 in, 500 out), about 5.00 USD" in told
    assert "known    from 4 cells of this arm" in told
    assert "expected 14 cells: tokens unknown, money unknown" in told
    assert "known    nothing: no cell of this arm was executed in this study" in told
    assert not list(study.glob("logs/*")), "the desk writes a line whenever it is called"
    assert len(list(study.glob("archive/*"))) == 1
    first, second = run(study, "--dry-run")
    assert first["expected"]["usd"] == pytest.approx(5.0)
    assert second["expected"] == {
        "n_cells": N_CELLS,
        "n_seen": 0,
        "tokens": None,
        "usd": None,
        "busy_s": None,
    }


@pytest.mark.requirement("OUT-46")
def test_a_run_that_would_exceed_its_limit_wants_to_be_told(tmp_path: Path) -> None:
    study = begun_study(tmp_path, n_cells=4)
    limited = ("--arm", "release-1", "--max-usd", "5")
    assert (
        "7.00 USD in all, and the limit is 5 USD"
        in equipoise("run", study, "--dry-run", *limited).stdout
    )
    refused = equipoise("run", study, *limited, code=3)
    assert "about 5.00 USD more, 7.00 USD in all, and the limit is 5 USD" in refused.stderr
    assert "--yes" in refused.stderr
    assert not list(study.glob("logs/*"))
    equipoise("run", study, "--arm", "release-1", "--max-usd", "7")
    assert len(trials(study, "release-1")) == N_CELLS


@pytest.mark.requirement("OUT-46")
def test_who_is_told_may_go_on_or_do_less(tmp_path: Path) -> None:
    study = begun_study(tmp_path, n_cells=4)
    limited = ("--arm", "release-1", "--max-usd", "5")
    equipoise("run", study, *limited, "--max-cells", "2")
    assert len(trials(study, "release-1")) == 6
    equipoise("run", study, *limited, "--yes")
    assert len(trials(study, "release-1")) == N_CELLS


def test_a_cost_that_some_attempts_do_not_tell_is_that_of_those_that_do(tmp_path: Path) -> None:
    study = begun_study(tmp_path, n_cells=10, tells_all=False)
    first, _ = run(study, "--dry-run")
    n_told = sum(trial.cost_usd is not None for trial in trials(study, "release-1"))
    assert 0 < n_told < 10
    assert first["expected"]["usd"] == pytest.approx(0.5 * 4)
    refused = equipoise("run", study, "--max-usd", f"{0.5 * n_told + 1}", code=3)
    assert "about 2.00 USD more" in refused.stderr
