"""A drive repeats itself, cites its evidence, and leaves no process and no half file behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from equipoise.examples.helpdesk import MAPPING
from equipoise.examples.helpdesk.drive.catalog import CATALOG, unit_loss
from examples.helpdesk_runs import driven, rows_of, without

ROOT = Path(__file__).parents[2]
PROC = Path("/proc")
needs_proc = pytest.mark.skipif(
    not (PROC / "self" / "environ").exists(), reason="finds processes in /proc"
)


def start(out: Path, *options: str) -> subprocess.Popen[str]:
    """A drive of many units in a process of its own."""
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "equipoise.examples.helpdesk", "drive"),
            *("--release", "1", "--out", str(out), *options),
        ],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": os.defpath, "API_KEY": "canary-3141"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(what: Callable[[], object], seconds: float = 15.0) -> None:
    """Waits until something is so, or fails."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def services(out: Path) -> list[int]:
    """The ids of running services whose store is in this folder (a dead one has no words)."""
    found = []
    for entry in PROC.iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if b"serve" in words and str(out / "state" / "helpdesk.sqlite").encode() in words:
            found.append(int(entry.name))
    return found


def is_at_work(out: Path) -> bool:
    """Whether the service in this folder has answered somebody."""
    journal = out / "logs" / "desk-1.jsonl"
    return journal.exists() and '"answered"' in journal.read_text(encoding="utf-8")


def test_two_drives_of_one_seed_give_the_same_rows(tmp_path: Path) -> None:
    first = driven(tmp_path / "a", 2, units=180)
    again = driven(tmp_path / "b", 2, units=180)
    assert without(first, "duration_ms") == without(again, "duration_ms")
    assert {row["duration_ms"] for row in first} != {row["duration_ms"] for row in again}
    fewer = driven(tmp_path / "c", 2, units=180, desks=1)
    where = ("duration_ms", "log", "log_line", "line")
    assert without(first, *where) == without(fewer, *where)


@pytest.mark.requirement("E2E-33")
def test_every_quote_stands_verbatim_in_its_line(tmp_path: Path) -> None:
    rows = driven(tmp_path, 2, units=450)
    findings = [finding for row in rows for finding in row["findings"]]
    assert len(findings) > 100
    logs = {path.name: path.read_bytes().split(b"\n") for path in (tmp_path / "logs").iterdir()}
    for finding in findings:
        line = logs[Path(finding["log"]).name][finding["line"] - 1].decode()
        assert line.startswith(finding["quote"])
        assert len(finding["quote"]) > 60
    quotes = "".join(finding["quote"] for finding in findings)
    assert "Здравствуйте" in quotes


@needs_proc
@pytest.mark.requirement("E2E-22")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_service_outlives_a_stopped_drive(tmp_path: Path, how: signal.Signals) -> None:
    driver = start(tmp_path, "--units", "9000")
    wait_for(lambda: is_at_work(tmp_path))
    assert len(services(tmp_path)) == 1
    driver.send_signal(how)
    driver.communicate()
    wait_for(lambda: not services(tmp_path))
    assert not (tmp_path / "runs.jsonl").exists()
    codes = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
    assert driver.returncode == codes[how]


@needs_proc
@pytest.mark.requirement("E2E-23")
def test_what_a_killed_drive_left_changes_nothing(tmp_path: Path) -> None:
    clean = driven(tmp_path / "clean", 1, units=90)
    driver = start(tmp_path / "used", "--units", "9000")
    wait_for(lambda: is_at_work(tmp_path / "used"))
    driver.kill()
    driver.communicate()
    wait_for(lambda: not services(tmp_path / "used"))
    after = driven(tmp_path / "used", 1, units=90)
    assert without(after, "duration_ms") == without(clean, "duration_ms")


@needs_proc
@pytest.mark.requirement("E2E-21")
def test_the_service_gets_only_listed_variables(tmp_path: Path) -> None:
    driver = start(tmp_path, "--units", "9000")
    wait_for(lambda: is_at_work(tmp_path))
    (service,) = services(tmp_path)
    environment = (PROC / str(service) / "environ").read_bytes()
    driver.kill()
    driver.communicate()
    assert b"PYTHONPATH=" in environment
    assert b"canary-3141" not in environment


@needs_proc
def test_a_service_that_dies_ends_the_drive_without_rows(tmp_path: Path) -> None:
    driver = start(tmp_path, "--units", "9000")
    wait_for(lambda: is_at_work(tmp_path))
    (service,) = services(tmp_path)
    os.kill(service, signal.SIGKILL)
    _, said = driver.communicate()
    assert driver.returncode == 5
    assert "the service ended (-9)" in said
    assert "Traceback" not in said
    assert not (tmp_path / "runs.jsonl").exists()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "thesis.txt").write_text("mine")
    driver = start(tmp_path)
    _, said = driver.communicate()
    assert driver.returncode == 2
    assert "no drive has written" in said
    assert (tmp_path / "logs" / "thesis.txt").read_text() == "mine"


@needs_proc
def test_two_drives_in_one_folder_are_refused(tmp_path: Path) -> None:
    first = start(tmp_path, "--units", "9000")
    wait_for(lambda: is_at_work(tmp_path))
    second = start(tmp_path, "--units", "45")
    _, said = second.communicate()
    assert second.returncode == 2
    assert "another drive is at work" in said
    assert services(tmp_path)
    first.kill()
    first.communicate()


def test_it_needs_nothing_but_the_standard_library(tmp_path: Path) -> None:
    source = tmp_path / "src" / "equipoise"
    shutil.copytree(ROOT / "src" / "equipoise" / "examples", source / "examples")
    (source / "__init__.py").write_text("")
    done = subprocess.run(
        [
            *(sys.executable, "-S", "-m", "equipoise.examples.helpdesk", "drive"),
            *("--release", "2", "--units", "45", "--out", str(tmp_path / "out")),
        ],
        env={"PYTHONPATH": str(tmp_path / "src"), "PATH": os.defpath},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(rows_of(tmp_path / "out")) >= 90


def test_the_mapping_reads_the_rows_of_a_drive(tmp_path: Path) -> None:
    beside = ROOT / "examples" / "helpdesk" / "mapping.yaml"
    assert MAPPING.read_bytes() == beside.read_bytes()
    mapping = yaml.safe_load(MAPPING.read_text(encoding="utf-8"))
    assert mapping["findings"]["categories"] == [c["id"] for c in CATALOG["categories"]]
    rows = driven(tmp_path / "drive", 1, units=450)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "equipoise", "import", "table", "--json"),
            *("--map", str(beside), "-o", str(tmp_path / "archive")),
            str(tmp_path / "drive" / "runs.jsonl"),
        ],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": os.defpath, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    assert read["arms"] == {"release-1": len(rows)}
    assert read["endings"] == Counter(row["status"] for row in rows)
    assert read["labels"] == {"channel": 3, "intent": 5, "language": 3}
    assert (read["n_units"], read["max_repetition"]) == (450, 2)


@pytest.mark.requirement("E2E-30")
@pytest.mark.requirement("E2E-36")
def test_the_catalogue_weighs_all_and_total_loss_is_one(tmp_path: Path) -> None:
    driven(tmp_path, 1, units=1)
    written = json.loads((tmp_path / "loss-catalog.v1.json").read_text(encoding="utf-8"))
    assert written == CATALOG
    assert [set(category) for category in written["categories"]] == [
        {"id", "weight", "type", "max"}
    ] * 5
    assert unit_loss((c["id"], c["max"]) for c in CATALOG["categories"]) == 1.0
    assert unit_loss((c["id"], 5 * c["max"]) for c in CATALOG["categories"]) == 1.0
    assert unit_loss([]) == 0.0
