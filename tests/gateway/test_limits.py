"""Nothing is spent beyond a cap, and who asks to be asked later is asked later."""

from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from equipoise.gateway.limits import Limits, OverCap, Purse, wait_of
from equipoise.gateway.prices import OwnPrices, PerMillion
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.spent import SpentFile
from equipoise.gateway.wire.facts import Api
from equipoise.records.call import ModelCall, Price
from gateway.asking import MODEL, ask, client, clock, scenario

_PRICES = OwnPrices(
    source="prices of the test, 2026-03-01",
    models={MODEL: PerMillion(input=1000.0, output=1000.0, cache_read=100.0, cache_write=1250.0)},
)
_NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
_TURN = {"say": "Hello", "usage": {"input": 100, "output": 20}}


def _called(
    n_calls: int, limits: Limits, *, is_priced: bool = True, **turn: object
) -> list[ModelCall]:
    async def run() -> list[ModelCall]:
        prices = _PRICES if is_priced else None
        scripted = Scripted(scenario({**_TURN, **turn}))
        async with (
            RecordingGateway(scripted, clock, limits=limits, prices=prices) as held,
            client() as http,
        ):
            calls: list[ModelCall] = []
            for k in range(n_calls):
                route = held.open(f"t{k}", MODEL)
                await ask(http, route, Api.MESSAGES)
                calls += held.close(f"t{k}")
            spent = limits.spent_usd + sum(c.cost.usd for c in calls if c.cost is not None)
            if not any(c.usage is not None and c.usage.is_estimated for c in calls):
                assert held.spent_usd == pytest.approx(spent if limits.has_cap else 0.0)
            return calls

    return anyio.run(run)


def test_a_call_has_its_price_with_its_source() -> None:
    (call,) = _called(1, Limits(max_usd=100))
    assert call.cost is not None
    assert call.cost.usd == pytest.approx(0.12)
    assert call.cost.source == "prices of the test, 2026-03-01"


@pytest.mark.requirement("OUT-46")
def test_the_call_that_might_exceed_the_cap_is_not_made() -> None:
    # one call may cost: (its bytes + 10 unseen) * 1.25e-3 + 100 * 1e-3, and costs 0.12
    limits = Limits(max_usd=1.2, unseen_tokens=10)
    calls = _called(12, limits)
    faults = [call.fault for call in calls]
    assert faults[0] == ""
    assert faults[-1] == "spending_cap"
    assert faults == sorted(faults)
    assert sum(c.cost.usd for c in calls if c.cost is not None) < 1.2
    refused = calls[-1]
    assert (refused.status, refused.usage, refused.model_answered) == (400, None, None)


def test_what_was_spent_earlier_counts() -> None:
    (call,) = _called(1, Limits(max_usd=100, spent_usd=99.99))
    assert call.fault == "spending_cap"


def test_a_cap_of_a_trial_holds_for_each() -> None:
    calls = _called(3, Limits(max_usd_per_trial=10))
    assert [call.fault for call in calls] == ["", "", ""]
    calls = _called(2, Limits(max_usd_per_trial=0.3))
    assert [call.fault for call in calls] == ["spending_cap", "spending_cap"]


def test_an_unknown_price_under_a_cap_is_refused_with_the_reason() -> None:
    (call,) = _called(1, Limits(max_usd=100), is_priced=False)
    assert call.fault == "spending_cap"
    assert call.cost == Price(usd=0.0, source="no answer, no charge")
    (call,) = _called(1, Limits(), is_priced=False)
    assert (call.fault, call.cost) == ("", None)


def test_an_answer_without_usage_costs_its_bound() -> None:
    limits = Limits(max_usd=1.2, unseen_tokens=10)
    calls = _called(4, limits, usage="none")
    assert calls[0].cost is None
    assert calls[0].fault == ""
    assert calls[-1].fault == "spending_cap"


def test_an_error_costs_nothing() -> None:
    limits = Limits(max_usd=1.2, unseen_tokens=10, n_retries=0)
    calls = _called(12, limits, fault={"status": 429})
    assert {call.status for call in calls} == {429}
    assert {call.cost for call in calls} == {Price(usd=0.0, source="no answer, no charge")}


def test_calls_at_once_are_counted_before_they_are_made() -> None:
    purse = Purse(Limits(max_usd=1.0))
    held = [purse.reserve("t", 0.4, "") for _ in range(2)]
    with pytest.raises(OverCap, match="set aside"):
        purse.reserve("t", 0.4, "")
    purse.settle(held[0], 0.1)
    purse.settle(held[0], 5.0)
    third = purse.reserve("t", 0.4, "")
    purse.settle(held[1], None)
    purse.settle(third, 0.0)
    assert purse.spent_usd == pytest.approx(0.5)


@pytest.mark.requirement("OUT-46")
def test_a_cap_holds_over_the_end_of_the_process(tmp_path: Path) -> None:
    path, limits = tmp_path / "spent.log", Limits(max_usd=1.0, spent_usd=0.2)
    purse = Purse(limits, SpentFile(path))
    paid, _ = purse.reserve("t", 0.4, ""), purse.reserve("t", 0.3, "")
    purse.settle(paid, 0.1)  # and the other is under way when the process is killed
    with path.open("a") as file:
        file.write("= 0123 not a numb")
    again = Purse(Limits(max_usd=1.0), SpentFile(path))
    assert again.spent_usd == pytest.approx(0.4)
    with pytest.raises(OverCap):
        again.reserve("t", 0.7, "")
    assert Purse(Limits(spent_usd=5.0), SpentFile(path)).spent_usd == 5.0
    unwritable = Purse(limits, SpentFile(tmp_path / "no-folder" / "spent.log"))
    with pytest.raises(OverCap, match="cannot be noted"):
        unwritable.reserve("t", 0.1, "")


@pytest.mark.parametrize("status", [429, 503, 529])
@pytest.mark.parametrize("api", Api)
def test_a_passing_overload_is_waited_out(api: Api, status: int) -> None:
    async def run() -> ModelCall:
        fault = {"status": status, "times": 2, "retry_after_s": 0.05}
        scripted = Scripted(scenario({**_TURN, "fault": fault}))
        async with RecordingGateway(scripted, clock) as held, client() as http:
            answer = await ask(http, held.open("t1", MODEL), api)
            assert answer.status_code == 200
            return held.close("t1")[0]

    call = anyio.run(run)
    assert (call.n_retries, call.fault, call.status) == (2, "", 200)
    assert call.latency_ms >= 100


@pytest.mark.parametrize(
    ("headers", "n_tried", "expected"),
    [
        ({"retry-after": "7"}, 0, 7.0),
        ({"retry-after": "0.5"}, 3, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0, 0.25),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:20 GMT"}, 0, 20.0),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:20 GMT"}, 0, 0.0),
        ({"retry-after": "61"}, 0, None),  # longer than we wait: the harness decides
        ({"retry-after": "7"}, 4, None),
        ({}, 0, 1.25),
        ({}, 2, 5.0),
        ({"retry-after": "soon"}, 1, 2.5),
        ({"retry-after": "-3"}, 0, 1.25),
    ],
)
def test_the_wait_is_what_the_provider_says(
    headers: dict[str, str], n_tried: int, expected: float | None
) -> None:
    assert wait_of(headers, Limits(), n_tried, 0.5, _NOW) == expected


def test_no_more_calls_run_at_once_than_allowed() -> None:
    async def run() -> float:
        scripted = Scripted(scenario({**_TURN, "delay_s": 0.1}))
        limits = Limits(concurrency=2)
        async with RecordingGateway(scripted, clock, limits=limits) as held, client() as http:
            route = held.open("t1", MODEL)
            began = anyio.current_time()
            async with anyio.create_task_group() as group:
                for _ in range(6):
                    group.start_soon(ask, http, route, Api.CHAT)
            return anyio.current_time() - began

    assert anyio.run(run) >= 0.3
