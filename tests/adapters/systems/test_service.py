"""Programs that have to be up: started, found ready, used, ended, and missed when they die."""

import signal
import time
from pathlib import Path

import anyio
import pytest

from adapters.systems.asked import PYTHON, gone, is_alive, request, setting
from equipoise.adapters.systems.http import HttpSystem
from equipoise.adapters.systems.service import ServedSystem
from equipoise.errors import Blocked, InputError
from equipoise.ports import Answer
from equipoise.records.trial import EndingKind, Fault
from every import for_every

DESK = """
import os, signal, subprocess, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

class Desk(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/die":
            os.kill(os.getpid(), signal.SIGKILL)
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"alive")
    def log_message(self, *args):
        pass

how, port = sys.argv[1], int(sys.argv[2])
if how == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if how == "fails":
    sys.exit("no database")
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("pids", "w").write(f"{os.getpid()} {child.pid}")
desk = HTTPServer(("127.0.0.1", port), Desk)
if how != "silent":
    print("listening on", f"http://127.0.0.1:{desk.server_port}", flush=True)
    file = open("ready.txt", "w")
    time.sleep(0.5 if how == "slow" else 0)
    file.write(f"http://127.0.0.1:{desk.server_port}")
    file.close()
desk.serve_forever()
"""


def served(folder: Path, how: str, ready: dict[str, str], **options: str) -> ServedSystem:
    folder.joinpath("desk.py").write_text(DESK, encoding="utf-8")
    port = options.pop("port", "0")
    spec = {"command": [PYTHON, "desk.py", how, port], "ready": ready, **options}
    path = "{service}/die" if how == "dies" else "{service}/x"
    return ServedSystem(spec, setting(folder), lambda known: HttpSystem(path, known))


def pids(folder: Path) -> list[int]:
    return [int(pid) for pid in folder.joinpath("pids").read_text(encoding="ascii").split()]


def asked(system: ServedSystem, folder: Path, n: int = 1) -> list[Answer]:
    async def all_of_them() -> list[Answer]:
        async with system:
            assert all(map(is_alive, pids(folder)))
            return [await system.execute(request(folder)) for _ in range(n)]

    return anyio.run(all_of_them)


@for_every(
    "ready, options",
    [
        ({"stdout": r"listening on (?P<url>\S+)"}, {}),
        ({"stdout": r":(?P<port>\d+)"}, {}),
        ({"file": "ready.txt"}, {}),
        ({"url": "http://127.0.0.1:{port}/health"}, {"port": "{port}"}),
        ({"stdout": "listening"}, {"port": "{port}", "address": "http://localhost:{port}"}),
    ],
)
def test_a_service_is_up_while_it_is_needed_and_gone_afterwards(
    tmp_path: Path, ready: dict[str, str], options: dict[str, str]
) -> None:
    tmp_path.joinpath("ready.txt").write_text("http://127.0.0.1:1", encoding="ascii")
    (answer,) = asked(served(tmp_path, "works", ready, **options), tmp_path)
    assert answer.output == b"alive"
    assert all(map(gone, pids(tmp_path)))


def test_a_stubborn_service_is_ended_after_its_time(tmp_path: Path) -> None:
    started = time.monotonic()
    asked(served(tmp_path, "stubborn", {"file": "ready.txt"}, stop_s="0.3"), tmp_path)
    assert time.monotonic() - started < 10
    assert all(map(gone, pids(tmp_path)))


@pytest.mark.parametrize("how", ["fails", "silent"])
def test_a_service_that_does_not_come_up_blocks(tmp_path: Path, how: str) -> None:
    with pytest.raises(Blocked) as caught:
        asked(served(tmp_path, how, {"file": "ready.txt"}, ready_s="0.7"), tmp_path)
    wanted = "no database" if how == "fails" else "not ready within 0.7 s"
    assert wanted in str(caught.value)
    if how == "silent":
        assert all(map(gone, pids(tmp_path)))


def test_a_service_that_is_not_there_blocks(tmp_path: Path) -> None:
    spec = {"command": ["no-such-service"], "ready": {"file": "x"}}
    system = ServedSystem(spec, setting(tmp_path), lambda known: HttpSystem("{service}", known))
    with pytest.raises(Blocked, match="no-such-service"):
        asked(system, tmp_path)


@pytest.mark.requirement("E2E-51")
def test_its_death_in_the_middle_is_no_outcome_of_the_system(tmp_path: Path) -> None:
    system = served(tmp_path, "dies", {"file": "ready.txt"})
    first, second = asked(system, tmp_path, 2)
    for answer in (first, second):
        assert answer.ending.kind is EndingKind.INFRASTRUCTURE_ERROR
        assert answer.ending.fault is Fault.INFRASTRUCTURE
        assert f"code {-signal.SIGKILL}" in answer.ending.detail
        assert answer.output is None
    assert all(map(gone, pids(tmp_path)))


def test_cancelling_ends_it(tmp_path: Path) -> None:
    system = served(tmp_path, "works", {"file": "ready.txt"})

    async def cancelled() -> None:
        with anyio.move_on_after(1.5):
            async with system:
                await anyio.sleep(60)

    anyio.run(cancelled)
    assert all(map(gone, pids(tmp_path)))


@for_every(
    "spec, wanted",
    [
        ({"command": ["x"], "ready": {}}, "service.ready has 0 of"),
        ({"command": ["x"], "ready": {"url": "a", "file": "b"}}, "service.ready has 2 of"),
        ({"command": ["x"], "ready": {"stdout": "("}}, "service.ready.stdout"),
        ({"command": ["x"], "ready": {"file": "a"}, "stops": "1"}, "did you mean 'stop_s'"),
        ({"command": ["{prot}"], "ready": {"file": "a"}}, "did you mean 'port'"),
    ],
)
def test_a_wrong_specification_is_named(tmp_path: Path, spec: object, wanted: str) -> None:
    with pytest.raises(InputError) as caught:
        ServedSystem(spec, setting(tmp_path), lambda known: HttpSystem("{service}", known))
    assert wanted in str(caught.value)


def test_the_fault_of_the_system_behind_it_is_told_before_anything_starts(tmp_path: Path) -> None:
    spec = {"command": [PYTHON, "-c", "open('started', 'w')"], "ready": {"file": "x"}}
    with pytest.raises(InputError, match="did you mean 'unit'"):
        ServedSystem(spec, setting(tmp_path), lambda known: HttpSystem("{service}/{uint}", known))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_still_empty_says_no_address(tmp_path: Path) -> None:
    (answer,) = asked(served(tmp_path, "slow", {"file": "ready.txt"}), tmp_path)
    assert answer.output == b"alive"
