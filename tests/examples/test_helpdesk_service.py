"""The service answers over HTTP like a service: pages, errors, a second try, a clean end."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from equipoise.examples.helpdesk.drive import workload
from equipoise.examples.helpdesk.drive.process import Service, ServiceFailed, running
from equipoise.examples.helpdesk.service import store
from equipoise.examples.helpdesk.service.releases import release
from every import for_every

CASES = workload.build(7, 45)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    store.create(folder / "s.sqlite", [case.customer for case in CASES])
    arguments = ["--release", "2", "--store", str(folder / "s.sqlite"), "--logs", str(folder)]
    with running(arguments, release=2, errors=folder / "stderr") as up:
        yield up
    assert (folder / "stderr").read_text() == ""


def ask(service: Service, method: str, path: str, body: bytes = b"") -> tuple[int, str, str]:
    link = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
    try:
        link.request(method, path, body)
        answer = link.getresponse()
        return answer.status, answer.getheader("Content-Type") or "", answer.read().decode()
    finally:
        link.close()


def message(case: workload.Case, **changed: Any) -> bytes:
    fields = {
        "conversation": f"{case.unit}/by hand",
        "trace": "t",
        "customer": case.customer.id,
        "channel": case.channel,
        "text": case.text,
    }
    return json.dumps(fields | changed).encode()


def test_a_chat_is_answered_with_a_page_and_mail_with_json(service: Service) -> None:
    chat = next(case for case in CASES if (case.channel, case.language) == ("chat", "ru"))
    mail = next(case for case in CASES if (case.channel, case.language) == ("mail", "ru"))
    status, kind, page = ask(service, "POST", "/desks/1/messages", message(chat))
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert '<p class="reply">Здравствуйте' in page
    status, kind, text = ask(service, "POST", "/desks/2/messages", message(mail))
    assert (status, kind) == (200, "application/json; charset=utf-8")
    assert json.loads(text)["reply"].startswith("Здравствуйте")
    assert text == ask(service, "POST", "/desks/2/messages", message(mail))[2]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "says"),
    [
        ("GET", "/nowhere", b"", 404, "no such page"),
        ("POST", "/desks/9/messages", b"{}", 404, "no such desk"),
        ("POST", "/desks/1/messages", b"not json", 400, "wanted a JSON object"),
        ("POST", "/desks/1/messages", b"[1]", 400, "wanted a JSON object"),
        ("POST", "/desks/1/messages", b'{"who": 1}', 400, "wanted a JSON object"),
        ("POST", "/desks/1/messages", b"\xff\xfe", 400, "wanted a JSON object"),
        ("POST", "/desks/1/messages", message(CASES[0], customer="c9"), 404, "no such customer"),
        ("POST", "/desks/1/messages", b" " * 70_000, 413, "at most 65536 bytes"),
    ],
)
def test_a_bad_request_gets_a_clear_answer(
    service: Service, method: str, path: str, body: bytes, status: int, says: str
) -> None:
    code, _, text = ask(service, method, path, body)
    assert code == status
    assert says in text


def test_a_service_that_cannot_start_says_why(tmp_path: Path) -> None:
    nowhere = ["--store", str(tmp_path / "no" / "s.sqlite"), "--logs", str(tmp_path)]
    with (
        pytest.raises(ServiceFailed, match="unable to open database file"),
        running(["--release", "1", *nowhere], release=1, errors=tmp_path / "stderr"),
    ):
        pass


@for_every(
    "text, first, second",
    [
        ("bitte 12,50 Euro", 1_250, 125_000),
        ("please 12.50 €", 1_250, 1_250),
        ("bitte 12 Euro", 1_200, 1_200),
        ("прошу 460 руб.", 46_000, 46_000),
        ("two: 3 € and 4.05 €", 405, 405),
        ("no amount, order A-10001", None, None),
    ],
)
def test_the_releases_read_amounts_alike_but_for_the_comma(
    text: str, first: int | None, second: int | None
) -> None:
    assert release(1).read_amount(text) == first
    assert release(2).read_amount(text) == second


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("invoice 2025-004711", "2025-004711", "2025-004711"),
        ("invoice #4711", "2025-004999", "2025-004711"),
        ("invoice #1234", "2025-004999", "2025-004999"),
        ("the invoice", "2025-004999", "2025-004999"),
    ],
)
def test_only_release_2_finds_an_invoice_by_its_short_number(
    text: str, first: str, second: str
) -> None:
    invoices = ("2025-004999", "2025-004711")
    assert release(1).find_invoice(text, invoices) == first
    assert release(2).find_invoice(text, invoices) == second
