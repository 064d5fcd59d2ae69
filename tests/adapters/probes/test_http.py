"""Answers of web addresses are kept as they came; an outage is told from an answer."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.probes.requests import request
from equipoise.errors import InputError
from equipoise.ports import Collected
from equipoise.records.brief import Request
from equipoise.records.plan import ProbeSpec
from equipoise.wiring import probe
from every import for_every
from machine.site import Site, opened_site


@pytest.fixture
def site() -> Iterator[Site]:
    with opened_site() as made:
        yield made


def _collected(service: str, asked: Request, **options: str) -> Collected:
    made = probe(
        ProbeSpec(name="order", kind="http", options=options),
        Path(),
        {"service": service} if service else {},
    )

    async def inside() -> Collected:
        async with made:
            return await made.collect(asked)

    return asyncio.run(inside())


def test_an_answer_is_kept_as_it_came(site: Site) -> None:
    found = _collected(site.address, request("t1"), url="{service}/orders/{trial}")
    assert found.documents == {"order.json": b'{"order":  "t1"}', "order.status.txt": b"200\n"}
    page = _collected(site.address, request(), url="{service}/moved").documents
    assert page["order.txt"].startswith(b"<!doctype html>")


def test_values_of_a_unit_cannot_lead_elsewhere(site: Site) -> None:
    asked = request(id="../desk?x=1#y@evil/é")
    found = _collected(site.address, asked, url="{service}/orders/{brief.id}")
    assert found.documents["order.json"] == (b'{"order":  "..%2Fdesk%3Fx%3D1%23y%40evil%2F%C3%A9"}')


def test_what_is_not_found_is_an_answer_and_no_outage(site: Site) -> None:
    found = _collected(site.address, request(), url="{service}/nothing")
    assert found == Collected(
        documents={"order.txt": b"no such page", "order.status.txt": b"404\n"}
    )


@pytest.mark.requirement("E2E-49")
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/broken", "it answers 500"),
        ("/slow", "no whole answer in 0.5 s"),
        ("/long", "more than"),
        ("/astray", "is down: UnsupportedProtocol"),
    ],
)
def test_an_outage_is_unavailable_with_the_reason(site: Site, path: str, said: str) -> None:
    timeout_ms = "500" if path == "/slow" else "20000"
    found = _collected(site.address, request(), url="{service}" + path, timeout_ms=timeout_ms)
    assert said in found.unavailable
    assert found.documents == {}


@pytest.mark.requirement("E2E-49")
def test_nothing_is_asked_while_the_upstream_is_down(site: Site) -> None:
    urls = {"url": "{service}/orders/{trial}", "upstream": "{service}/model/health"}
    assert _collected(site.address, request(), **urls).documents
    site.is_up = False
    found = _collected(site.address, request(), **urls)
    assert found.unavailable == (f"upstream: {site.address}/model/health is down: it answers 503")


@pytest.mark.requirement("E2E-52")
def test_a_service_that_is_not_there_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
        found = _collected(nobody, request(), url="{service}/orders/{trial}")
    assert found.unavailable.startswith(f"{nobody}/orders/t1 is down: ConnectError")
    assert "no service" in _collected("", request(), url="{service}/x").unavailable
    assert "no field brief.x" in _collected("", request(), url="http://x/{brief.x}").unavailable
    assert "no web address" in _collected("file:///etc", request(), url="{service}/x").unavailable


@for_every(
    "options, said",
    [
        ({"url": "file:///etc/passwd"}, "http://"),
        ({"url": "{brief.url}"}, "http://"),
        ({"url": "{service}/{trail}"}, "did you mean 'trial'"),
        ({"url": "{service}/x", "method": "POST"}, "option 'method'"),
        ({"url": "{service}/x", "upstream": "gopher://x"}, "http://"),
        ({}, "url"),
    ],
)
def test_wrong_options_are_refused_by_name(options: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        _collected("", request(), **options)
