"""Agents and models on two hosts: each cell once, whoever dies, and no key in any record."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.executors.hosts import ADDRESS, HEAD, Hosts, two_hosts
from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.trial import EndingKind, Trial
from studies.loss.made_agents import NEEDS_BWRAP, agent_arm, agent_study
from studies.loss.test_kill import size_of_attempts

pytestmark = [pytest.mark.slow, NEEDS_BWRAP]

KEY = "sk-canary-of-the-key-of-a-model"
N_UNITS = 6
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    with two_hosts() as made:
        yield made


@pytest.fixture
def port(hosts: Hosts, tmp_path: Path) -> Iterator[int]:
    """Where the model answers, on the first host."""
    key = tmp_path / "key"
    key.write_text(KEY)
    server = hosts.begin(sys.executable, str(HERE / "keyed_model.py"), HEAD, str(key))
    assert server.stdout is not None
    yield int(server.stdout.readline())
    server.kill()
    server.communicate()


def made(folder: Path, port: int, arm: str) -> Path:
    provider = {
        "provider": "shop",
        "url": f"http://{HEAD}:{port}",
        "key_variable": "SHOP_KEY",
    }
    arms: dict[str, Any] = {
        "model": {
            "model": {
                "model": "shop-model-1",
                "provider": provider,
                "prompt": "{brief.prompt} {unit} {repetition}",
            }
        },
        "mini": agent_arm("mini-swe"),
    }
    arms["mini"]["agent"] |= {"provider": provider, "model": "shop-model-1"}
    return agent_study(
        folder,
        n_units=N_UNITS,
        check={"regex": {"pattern": "never", "lost_when": "found"}},
        study={"anti_mock": {"canary": {"prompt": "canary {nonce}"}, "echoes": "true"}},
        **{arm: arms[arm]},
    )


def started(hosts: Hosts, study: Path) -> Any:
    words = ("-m", "equipoise", "run", str(study), "--executor", "ray", "-j", "2")
    return hosts.begin(sys.executable, *words, "--address", ADDRESS, SHOP_KEY=KEY)


def until_begun(run: Any, study: Path, n: int) -> None:
    until = time.monotonic() + 180
    while size_of_attempts(study) < 19 * n:
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


def holds(study: Path) -> list[Trial]:
    """Each cell was settled once; the key stands nowhere."""
    (path,) = study.glob("archive/*")
    archive = Archive.open(path)
    assert all(fault.is_note for fault in verify_archive(path))
    trials = list(archive.read(Trial))
    settled = [(t.unit, t.repetition) for t in trials if t.ending.kind is EndingKind.COMPLETED]
    assert sorted(settled) == sorted((f"u{n}", r) for n in range(1, N_UNITS + 1) for r in (1, 2, 3))
    assert len({trial.id for trial in trials}) == len(trials)
    assert {t.model for t in trials if t.ending.kind is EndingKind.COMPLETED} == {"shop-model-1"}
    for document in archive.read(Document):
        assert KEY.encode() not in b"".join(archive.blobs.chunks(document.sha256)), document.name
    for file in study.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
    assert not study.joinpath("work").exists()
    return trials


@pytest.mark.requirement("OUT-45")
@pytest.mark.parametrize("arm", ["model", "mini"])
def test_a_driver_that_is_killed_leaves_each_cell_to_be_settled_once(
    hosts: Hosts, port: int, tmp_path: Path, arm: str
) -> None:
    if arm == "mini":
        pytest.importorskip("minisweagent", reason="pip install --no-deps mini-swe-agent")
    study = made(tmp_path / "study", port, arm)
    run = started(hosts, study)
    until_begun(run, study, 6)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    run = started(hosts, study)
    out, err = run.communicate(timeout=300)
    assert run.returncode == 0, out + err
    holds(study)
    assert KEY.encode() not in hosts.said()


@pytest.mark.requirement("OUT-45")
def test_a_host_that_is_lost_costs_attempts_and_nothing_else(
    hosts: Hosts, port: int, tmp_path: Path
) -> None:
    study = made(tmp_path / "study", port, "model")
    run = started(hosts, study)
    until_begun(run, study, 6)
    names = {path.read_text().split()[-1] for path in study.glob("work/*/workers/*/alive")}
    assert names == set(hosts.names), "a worker on each host"
    hosts.lose()
    out, err = run.communicate(timeout=300)
    assert run.returncode == 0, out + err
    trials = holds(study)
    lost = [t for t in trials if t.ending.kind is not EndingKind.COMPLETED]
    assert lost
    assert all("was lost" in t.ending.detail for t in lost)
    assert KEY.encode() not in hosts.said()
