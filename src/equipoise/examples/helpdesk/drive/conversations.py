"""The conversations: every case asked over HTTP, some desks at a time, broken lines tried again."""

import hashlib
import http.client
import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html.parser import HTMLParser

from equipoise.examples.helpdesk.drive.process import Service, ServiceFailed
from equipoise.examples.helpdesk.drive.workload import Case

MAX_ATTEMPTS = 3
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One attempt: the reply as the customer reads it, or the fault of the line."""

    case: Case
    repetition: int
    attempt: int
    conversation: str
    trace: str
    desk: int
    duration_ms: float
    reply: str | None
    fault: str | None


def converse(
    service: Service, cases: Sequence[Case], *, seed: int, repetitions: int, desks: int
) -> list[Exchange]:
    """Plays all cases, ``desks`` of them at once, ordered by unit, repetition and attempt.

    A unit always goes to the same desk and each desk is asked one thing at a time, so that its
    journal has the same lines in the same order in every drive of one seed.

    Raises:
        ServiceFailed: the service ended, or answered with an HTTP error.
    """
    stop = threading.Event()
    with ThreadPoolExecutor(desks) as pool:
        waiting = [
            pool.submit(_Desk(service, seed, desk + 1, stop).play, cases[desk::desks], repetitions)
            for desk in range(desks)
        ]
        try:
            exchanges = [one for desk in waiting for one in desk.result()]
        finally:
            stop.set()
    return sorted(exchanges, key=lambda x: (x.case.unit, x.repetition, x.attempt))


class _Desk:
    """One kept-alive connection to one desk."""

    def __init__(self, service: Service, seed: int, desk: int, stop: threading.Event) -> None:
        self._service = service
        self._seed = seed
        self._desk = desk
        self._stop = stop
        self._link = http.client.HTTPConnection("127.0.0.1", service.port, timeout=_TIMEOUT_S)

    def play(self, cases: Sequence[Case], repetitions: int) -> list[Exchange]:
        exchanges: list[Exchange] = []
        try:
            for repetition in range(1, repetitions + 1):
                for case in cases:
                    if self._stop.is_set():
                        return exchanges
                    exchanges += self._ask_until_answered(case, repetition)
        finally:
            self._link.close()
        return exchanges

    def _ask_until_answered(self, case: Case, repetition: int) -> list[Exchange]:
        tried: list[Exchange] = []
        while len(tried) < MAX_ATTEMPTS:
            tried.append(self._ask(case, repetition, len(tried) + 1))
            if tried[-1].fault is None:
                break
            self._service.check_alive()
        return tried

    def _ask(self, case: Case, repetition: int, attempt: int) -> Exchange:
        conversation = f"{case.unit}/r{repetition}"
        named = f"{self._seed}/{conversation}/a{attempt}"
        trace = hashlib.sha256(named.encode()).hexdigest()[:16]
        message = {
            "conversation": conversation,
            "trace": trace,
            "customer": case.customer.id,
            "channel": case.channel,
            "text": case.text,
        }
        reply, fault = None, None
        start = time.perf_counter()
        try:
            reply = self._post(json.dumps(message, ensure_ascii=False).encode())
        except (OSError, http.client.HTTPException) as broken:
            self._link.close()
            fault = f"{type(broken).__name__}: {broken}"
        return Exchange(
            case=case,
            repetition=repetition,
            attempt=attempt,
            conversation=conversation,
            trace=trace,
            desk=self._desk,
            duration_ms=round(1000 * (time.perf_counter() - start), 3),
            reply=reply,
            fault=fault,
        )

    def _post(self, body: bytes) -> str:
        headers = {"Content-Type": "application/json; charset=utf-8"}
        self._link.request("POST", f"/desks/{self._desk}/messages", body, headers)
        answer = self._link.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise ServiceFailed(f"the service answered {answer.status}: {text}")
        if (answer.getheader("Content-Type") or "").startswith("text/html"):
            return _page_text(text)
        return str(json.loads(text)["reply"])


class _ReplyOnPage(HTMLParser):
    """Collects the text of ``<p class="reply">``."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "p":
            self._inside = ("class", "reply") in attrs

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.lines.append(data)


def _page_text(page: str) -> str:
    parser = _ReplyOnPage()
    parser.feed(page)
    parser.close()
    return "\n".join(parser.lines)
