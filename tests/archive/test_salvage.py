"""After a stop in the middle: whole lines are kept, the torn tail is set aside and told."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from equipoise.archive.manifest import Document, Manifest
from equipoise.archive.store import Archive
from equipoise.errors import ArchiveLocked, Tampered
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.trial import Trial
from pipeline.made_runs import made_trial

MANIFEST = Manifest(run_id="made-0", kind="import", tool_version="0")

WRITER = """
import sys
from pathlib import Path
from equipoise.archive.manifest import Document, Manifest
from equipoise.archive.store import Archive
from equipoise.records.trial import Trial

manifest = Manifest(run_id="made-0", kind="import", tool_version="0")
archive = Archive.create(Path(sys.argv[1]), manifest)
for number in range(10**9):
    archive.append(Trial(id=str(number), unit="x" * (number % 5000), arm="a"))
    if number % 50 == 49:
        archive.sync()
        print(number + 1, flush=True)
"""


def written(path: Path, n_committed: int, n_beyond: int) -> Path:
    """An archive with committed trials, and further ones that were synced but never committed."""
    archive = Archive.create(path, MANIFEST)
    for number in range(n_committed):
        archive.append(made_trial(f"u{number}"))
    archive.commit()
    for number in range(n_committed, n_committed + n_beyond):
        archive.append(made_trial(f"u{number}"))
    archive.sync()
    archive.abandon()
    return path


def units(path: Path) -> list[str]:
    return [trial.unit for trial in Archive.open(path).read(Trial)]


@pytest.mark.requirement("A3")
def test_a_torn_last_line_is_set_aside_and_nothing_else_is_lost(tmp_path: Path) -> None:
    path = written(tmp_path / "a", 3, 2)
    file = path / "trials.jsonl"
    whole = file.read_bytes()
    torn = whole.splitlines()[-1][:70]
    file.write_bytes(whole + torn)
    assert units(path) == ["u0", "u1", "u2"]
    with Archive.append_to(path) as archive:
        assert len(archive.salvaged) == 2
        assert "70 bytes" in archive.salvaged[0]
        assert "2 whole lines" in archive.salvaged[1]
        archive.append(made_trial("u5"))
    assert units(path) == ["u0", "u1", "u2", "u3", "u4", "u5"]
    assert [p.read_bytes() for p in path.joinpath("torn").iterdir()] == [torn]
    assert file.read_bytes().startswith(whole)
    assert all(fault.is_note for fault in verify_archive(path))


@pytest.mark.parametrize("tail", [b"\n", b"garbage\n", b"\x00" * 4096, b'{"prev":"'])
def test_a_broken_last_line_is_set_aside(tmp_path: Path, tail: bytes) -> None:
    path = written(tmp_path / "a", 2, 1)
    with path.joinpath("trials.jsonl").open("ab") as file:
        file.write(tail)
    Archive.append_to(path).close()
    assert units(path) == ["u0", "u1", "u2"]
    assert next(path.joinpath("torn").iterdir()).read_bytes() == tail


@pytest.mark.requirement("ABX-27")
def test_a_lying_middle_line_is_no_torn_tail(tmp_path: Path) -> None:
    path = written(tmp_path / "a", 2, 3)
    file = path / "trials.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"unit":"u3"', b'"unit":"u9"'))
    with pytest.raises(Tampered, match=r"trials.jsonl:4: the line was changed"):
        Archive.append_to(path)


@pytest.mark.parametrize("n_kept", [0, 1])
def test_a_file_shorter_than_its_head_says_is_no_torn_tail(tmp_path: Path, n_kept: int) -> None:
    path = written(tmp_path / "a", 2, 0)
    file = path / "trials.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:n_kept]))
    with pytest.raises(Tampered, match="head"):
        Archive.append_to(path)
    with pytest.raises(Tampered, match="when it was closed"):
        Archive.open(path)


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("wait_s", [0.02, 0.1, 0.3])
def test_kill_in_mid_append_loses_nothing_acknowledged(tmp_path: Path, wait_s: float) -> None:
    path = tmp_path / "a"
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acknowledged = int(process.stdout.readline())
        time.sleep(wait_s)
        process.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *map(int, process.stdout.read().split())])
    path.joinpath("blobs").mkdir(exist_ok=True)
    path.joinpath("blobs", ".1-ab-0.part").write_bytes(b"half a blob")
    with Archive.append_to(path):
        assert not list(path.rglob("*.part"))
    kept = [trial.id for trial in Archive.open(path).read(Trial)]
    assert len(kept) >= acknowledged
    assert kept == [str(number) for number in range(len(kept))]
    assert all(fault.is_note for fault in verify_archive(path))


def test_two_processes_on_one_archive(tmp_path: Path) -> None:
    path = tmp_path / "a"
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(ArchiveLocked, match=f"process {process.pid}") as caught:
            Archive.append_to(path)
        assert caught.value.exit_code == 3
        assert Archive.open(path).manifest.run_id == "made-0"
        process.kill()
    Archive.append_to(path).close()


@pytest.mark.requirement("E2E-23")
def test_documents_of_a_trial_that_was_not_recorded_are_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "a"
    archive = Archive.create(path, Manifest(run_id="run-0", kind="run", tool_version="0"))
    trials = [made_trial(f"u{number}") for number in range(3)]
    archive.attach("loss-catalog.v1.json", [b"{}"])
    for number, trial in enumerate(trials):
        archive.attach(f"{trial.id}/journal.jsonl", [f"line {number}\n".encode()])
        if number < 2:
            archive.append(trial)
        if number == 0:
            archive.commit()
    archive.sync()
    archive.abandon()
    with Archive.append_to(path) as archive:
        assert any("1 documents of trials that were not recorded" in s for s in archive.salvaged)
        archive.attach(f"{trials[2].id}/journal.jsonl", [b"line 2, again\n"])
        archive.append(trials[2])
    names = [document.name for document in Archive.open(path).read(Document)]
    assert names == ["loss-catalog.v1.json", *(f"{t.id}/journal.jsonl" for t in trials)]
    assert len(list(path.joinpath("torn").iterdir())) == 1
    assert all(fault.is_note for fault in verify_archive(path))
