"""Canaries: one that a passing fault met is sent again, as often as a cell would be, no more."""

import anyio
import pytest

from equipoise.ports import Answer
from equipoise.records.brief import Request
from equipoise.records.trial import Ending
from equipoise.stages.run.anti_mock import Bench, anti_mock_faults, canary_of
from stages.run.systems import PASSING, Desk

CANARY = canary_of({"canary": {"text": "hello {nonce}"}, "echoes": True}, ())


def faults_of(desk: Desk, *, max_attempts: int) -> list[str]:
    """Gives what the preflight finds; nonces are n1, n2, ..."""
    nonces = iter(f"n{n}" for n in range(1, 100))
    bench = Bench(
        system=desk,
        probes=(),
        state=None,
        nonce=lambda: next(nonces),
        arm="new",
        timeout_s=5.0,
        workspace=lambda trial: trial,
        max_attempts=max_attempts,
    )
    return anyio.run(anti_mock_faults, CANARY, bench)


def falls_over_once(request: Request) -> Answer:
    """Fails the first attempt of each canary; the second is answered."""
    if request.attempt == 1:
        return Answer(ending=PASSING)
    return Answer(ending=Ending(), output=str(request.brief.content["text"]).encode())


def test_a_canary_that_a_passing_fault_met_is_sent_again_with_another_nonce() -> None:
    desk = Desk(falls_over_once)
    assert faults_of(desk, max_attempts=2) == []
    asked = [(one.attempt, one.brief.content["text"]) for one in desk.asked]
    assert asked == [(1, "hello n1"), (2, "hello n2"), (1, "hello n3"), (2, "hello n4")]


@pytest.mark.parametrize(("max_attempts", "told"), [(1, ""), (3, " in 3 attempts")])
def test_what_stays_down_is_told_after_as_many_attempts_as_a_cell_has(
    max_attempts: int, told: str
) -> None:
    desk = Desk(lambda _: Answer(ending=PASSING))
    (fault,) = faults_of(desk, max_attempts=max_attempts)
    assert fault.startswith(f"canary canary-1 got no answer{told}: infrastructure_error; mend: ")
    assert len(desk.asked) == max_attempts


def test_an_answer_of_the_system_itself_is_not_asked_for_again() -> None:
    desk = Desk(lambda _: Answer(ending=Ending(), output=b"always the same"))
    assert len(faults_of(desk, max_attempts=3)) == 2
    assert len(desk.asked) == 2
