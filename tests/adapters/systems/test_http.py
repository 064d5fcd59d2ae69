"""Systems over HTTP: what is sent, which endings follow, and that nothing is retried unseen."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from adapters.systems.asked import ask, request, setting
from adapters.systems.servers import Server, serving
from equipoise.adapters.systems.http import HttpSystem
from equipoise.errors import InputError
from equipoise.ports import Answer
from equipoise.records.trial import EndingKind, Fault


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def told(server: Server, folder: Path, path: str, **options: object) -> Answer:
    timeout_s = options.pop("timeout_s", 20.0)
    assert isinstance(timeout_s, float)
    system = HttpSystem({"url": server.url + path, **options}, setting(folder))
    (answer,) = ask(system, request(folder, timeout_s=timeout_s, text="hällo", cents=700))
    return answer


def test_the_body_is_filled_and_numbers_stay_numbers(server: Server, tmp_path: Path) -> None:
    body = {
        "say": "{brief.text}!",
        "cents": "{brief.cents}",
        "trace": "{trial}",
        "deep": ["{seed}"],
    }
    answer = told(server, tmp_path, "/echo", body=body)
    assert json.loads(answer.output or b"") == {
        "say": "hällo!",
        "cents": 700,
        "trace": "0123456789abcdef",
        "deep": [17],
    }
    sent = server.asked[-1]["headers"]
    assert sent["content-type"] == "application/json"
    assert answer.ending.kind is EndingKind.COMPLETED


def test_url_query_and_headers_are_filled(server: Server, tmp_path: Path) -> None:
    told(server, tmp_path, "/{unit}", query={"q": "{brief.text}"}, headers={"X-Trace": "{trial}"})
    asked = server.asked[-1]
    assert asked["path"] == "/u1?q=h%C3%A4llo"
    assert asked["headers"]["X-Trace"] == "0123456789abcdef"


def test_status_and_headers_are_kept_and_no_cookie(server: Server, tmp_path: Path) -> None:
    answer = told(server, tmp_path, "/status/404")
    seen = json.loads(answer.documents["response"])
    assert seen["status"] == 404
    assert "date" in seen["headers"]
    assert b"a-canary-cookie" not in answer.documents["response"]


@pytest.mark.parametrize(
    ("status", "kind", "fault", "is_retriable"),
    [
        (200, EndingKind.COMPLETED, Fault.NONE, False),
        (404, EndingKind.COMPLETED, Fault.SYSTEM, False),
        (422, EndingKind.COMPLETED, Fault.SYSTEM, False),
        (429, EndingKind.INFRASTRUCTURE_ERROR, Fault.INFRASTRUCTURE, True),
        (500, EndingKind.INFRASTRUCTURE_ERROR, Fault.INFRASTRUCTURE, True),
        (503, EndingKind.INFRASTRUCTURE_ERROR, Fault.INFRASTRUCTURE, True),
        (599, EndingKind.INFRASTRUCTURE_ERROR, Fault.INFRASTRUCTURE, True),
    ],
)
def test_whose_fault_a_status_is(
    server: Server, tmp_path: Path, status: int, kind: EndingKind, fault: Fault, is_retriable: bool
) -> None:
    n_before = len(server.asked)
    answer = told(server, tmp_path, f"/status/{status}")
    ending = answer.ending
    assert (ending.kind, ending.fault, ending.is_retriable) == (kind, fault, is_retriable)
    assert len(server.asked) == n_before + 1
    assert answer.retry_after_s == 0.0


def test_a_study_may_declare_a_status_as_the_systems_own(server: Server, tmp_path: Path) -> None:
    answer = told(server, tmp_path, "/status/500", answers=["500"])
    assert (answer.ending.kind, answer.ending.fault) == (EndingKind.COMPLETED, Fault.SYSTEM)


def test_nobody_listening_is_the_infrastructures_fault(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        system = HttpSystem(f"http://127.0.0.1:{taken.getsockname()[1]}/", setting(tmp_path))
        (answer,) = ask(system, request(tmp_path))
    assert answer.ending.kind is EndingKind.INFRASTRUCTURE_ERROR
    assert answer.ending.is_retriable
    assert "Cannot connect" in answer.ending.detail


def test_a_dropped_connection_is_the_infrastructures_fault(server: Server, tmp_path: Path) -> None:
    answer = told(server, tmp_path, "/drop")
    assert answer.ending.kind is EndingKind.INFRASTRUCTURE_ERROR
    assert answer.ending.is_retriable


@pytest.mark.parametrize("way", ["drop", "garbage", "status/307"])
def test_no_request_is_sent_again_unseen(server: Server, tmp_path: Path, way: str) -> None:
    n_before = len(server.asked)
    system = HttpSystem(server.url + "/{brief.way}", setting(tmp_path))
    ask(system, request(tmp_path, way="json"), request(tmp_path, way=way))
    assert [one["path"] for one in server.asked[n_before:]] == ["/json", f"/{way}"]


def test_no_cookie_of_one_attempt_is_sent_with_the_next(server: Server, tmp_path: Path) -> None:
    ask(HttpSystem(server.url, setting(tmp_path)), request(tmp_path), request(tmp_path))
    assert not [one for one in server.asked[-2:] if "Cookie" in one["headers"]]


@pytest.mark.parametrize("way", ["drop", "garbage"])
def test_a_key_in_the_url_is_not_told_with_a_failure(
    server: Server, tmp_path: Path, way: str
) -> None:
    around = setting(tmp_path, environment={"KEY": "a-canary-key"})
    spec = {"url": f"{server.url}/{way}?key={{env.KEY}}", "query": {"also": "{env.KEY}"}}
    (answer,) = ask(HttpSystem(spec, around), request(tmp_path))
    assert answer.ending.kind is EndingKind.INFRASTRUCTURE_ERROR
    assert server.asked[-1]["path"] == f"/{way}?key=a-canary-key&also=a-canary-key"
    assert "a-canary-key" not in answer.ending.detail


def test_headers_of_any_usual_length_are_read(server: Server, tmp_path: Path) -> None:
    answer = told(server, tmp_path, "/header/30000")
    assert answer.ending.kind is EndingKind.COMPLETED
    assert len(json.loads(answer.documents["response"])["headers"]["x-long"]) == 30000


def test_a_slow_answer_times_out_or_uses_up_its_budget(server: Server, tmp_path: Path) -> None:
    answer = told(server, tmp_path, "/slow/2", timeout_s=0.2)
    assert (answer.ending.kind, answer.ending.fault) == (EndingKind.TIMED_OUT, Fault.UNKNOWN)
    answer = told(server, tmp_path, "/slow/2", budget_s="0.2")
    assert (answer.ending.kind, answer.ending.fault) == (EndingKind.BUDGET, Fault.SYSTEM)


def test_a_long_answer_is_cut(server: Server, tmp_path: Path) -> None:
    answer = told(server, tmp_path, "/long/3000000", max_output_bytes="1000")
    assert answer.ending.kind is EndingKind.TRUNCATED
    assert answer.output == b"x" * 1000


def test_facts_are_read_from_the_answer(server: Server, tmp_path: Path) -> None:
    answer = told(server, tmp_path, "/json", facts={"cost_usd": "cost", "model": "model"})
    assert (answer.cost_usd, answer.model_answered) == (0.5, "m-2")


def test_many_requests_share_the_pool(tmp_path: Path) -> None:
    with serving() as server:
        system = HttpSystem(server.url + "/slow/0.05", setting(tmp_path, concurrency=3))

        async def many() -> None:
            async with system, anyio.create_task_group() as group:
                for _ in range(12):
                    group.start_soon(system.execute, request(tmp_path))

        anyio.run(many)
        assert server.most_at_once == 3


@pytest.mark.requirement("E2E-21")
def test_a_key_comes_from_a_listed_variable_only(server: Server, tmp_path: Path) -> None:
    around = setting(tmp_path, environment={"DESK_KEY": "k-1"})
    spec = {"url": server.url, "headers": {"Authorization": "Bearer {env.DESK_KEY}"}}
    ask(HttpSystem(spec, around), request(tmp_path))
    assert server.asked[-1]["headers"]["Authorization"] == "Bearer k-1"
    with pytest.raises(InputError, match=r"sandbox\.environment"):
        HttpSystem(spec, setting(tmp_path))


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({}, "http.url is missing"),
        ({"url": "http://x", "bdoy": 1}, "did you mean 'body'"),
        ("http://x/{servise}", "did you mean 'service'"),
    ],
)
def test_a_wrong_specification_is_named(tmp_path: Path, spec: object, wanted: str) -> None:
    with pytest.raises(InputError) as caught:
        HttpSystem(spec, setting(tmp_path))
    assert wanted in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://example.org/", "no url"])
def test_what_is_no_url_is_named(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match=r"http\.url"):
        ask(HttpSystem(url, setting(tmp_path)), request(tmp_path))
