"""A run over a PostgreSQL database is killed, and the next one, of another arm, starts clean."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from equipoise.wiring.keeping import swept
from machine import desk_service
from machine.postgres import Cluster


def _command(*args: object) -> list[str]:
    return [sys.executable, "-m", "equipoise", *map(str, args)]


def _run(*args: object) -> str:
    done = subprocess.run(_command(*args), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def address(cluster: Cluster) -> str:
    return cluster.address(
        cluster.database(
            "CREATE TABLE action (id serial PRIMARY KEY, trace text)",
            "INSERT INTO action (trace) VALUES ('clean')",
        )
    )


@pytest.fixture
def study(tmp_path: Path, address: str) -> Path:
    folder = tmp_path / "study"
    _run("init", "loss", folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    site = f"http://127.0.0.1:{port}"
    command = json.dumps(["{python}", desk_service.__file__, str(port), address])
    arms = "".join(
        f"""  - name: {name}
    service: {{command: {command}, ready: {{url: "{site}/"}}, address: "{site}"}}
    system: {{http: {{url: "{site}/ask", body: {{trial: "{{trial}}", text: "{{brief.text}}"}}}}}}
"""
        for name in ("release-1", "release-2")
    )
    text = (folder / "study.yaml").read_text()
    before, _, rest = text.partition("arms:\n")
    _, _, rest = rest.partition("# What the runs change")
    before = before.replace("mde: 0.25", "mde: 0.5").replace("sample: 52", "sample: 12")
    text = f"{before}arms:\n{arms}# What the runs change{rest}"
    text = text.replace("{directory: state, scope: run}", f'{{postgres: "{address}"}}')
    query = "SELECT trace FROM action WHERE trace = :trial"
    text = text.replace(
        'files: {glob: "logs/*.jsonl", trace: trace}',
        f'sql: {{postgres: "{address}", query: "{query}"}}',
    )
    (folder / "study.yaml").write_text(text)
    _run("plan", folder)
    _run("seal", folder)
    return folder


def _events(study: Path, arm: str) -> list[dict[str, Any]]:
    (path,) = study.glob(f"archive/{arm}-*/events.jsonl")
    return [json.loads(line)["body"] for line in path.read_text().splitlines()]


def _trials(study: Path, arm: str) -> list[str]:
    paths = study.glob(f"archive/{arm}-*/trials.jsonl")
    return [line for path in paths for line in path.read_text().splitlines()]


@pytest.mark.requirement("E2E-20")
@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_a_killed_run_leaves_debris_that_no_later_run_sees(
    cluster: Cluster, study: Path, address: str
) -> None:
    name = address.partition("@/")[2].partition("?")[0]

    def n_rows() -> int:
        return int(cluster.do(name, "SELECT count(*) FROM action"))

    with subprocess.Popen(
        _command("run", study, "--arm", "release-1"), start_new_session=True
    ) as killed:
        end = time.monotonic() + 60
        while not _trials(study, "release-1") and time.monotonic() < end:
            assert killed.poll() is None
            time.sleep(0.02)
        os.kill(killed.pid, signal.SIGKILL)
    assert n_rows() > 1

    kept = "SELECT count(*) FROM pg_database WHERE datname ~ '^equipoise_'"
    n_kept = int(cluster.do("postgres", kept))
    assert swept().stuck == ()
    assert n_rows() == 1, "whoever starts next puts the state back"
    assert int(cluster.do("postgres", kept)) == n_kept - 1, "and drops the snapshot"
    assert list(study.glob(".*.claim")) == []
    _run("run", study, "--arm", "release-2")
    assert n_rows() == 1
    _run("run", study, "--arm", "release-1")
    assert n_rows() == 1
    hashes = {
        value
        for arm in ("release-1", "release-2")
        for event in _events(study, arm)
        if event["kind"] in {"snapshot", "torn_down"}
        for value in event["facts"].values()
    }
    assert len(hashes) == 1
    assert list(study.glob(".*.claim")) == []
    for arm in ("release-1", "release-2"):
        assert len(_trials(study, arm)) == 36  # 12 units, 3 repetitions
    _run("verify", study)
