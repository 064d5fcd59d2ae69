"""A full disk: a clear message, what was acknowledged is kept, no half archive is left."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.trial import Trial

FILL = """
import sys
from pathlib import Path
from equipoise.archive.manifest import Manifest
from equipoise.archive.store import Archive
from equipoise.errors import StorageFull
from equipoise.records.trial import Trial

manifest = Manifest(run_id="made-0", kind="import", tool_version="0")
archive = Archive.create(Path(sys.argv[1]), manifest)
kept = 0
try:
    for number in range(10**6):
        archive.append(Trial(id=str(number), unit="x" * 500, arm="a"))
        if number % 100 == 99:
            archive.sync()
            kept = number + 1
except StorageFull as full:
    archive.abandon()
    print(kept, full.exit_code, full)
"""
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000));"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets us mount no tmpfs")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(prefix: str, path: Path) -> tuple[int, int, str]:
    """Appends until the disk is full; gives what was acknowledged, the exit code, the message."""
    command = [sys.executable, "-c", prefix + FILL, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kept, code, message = done.stdout.split(" ", 2)
    return int(kept), int(code), message


def check(path: Path, kept: int, code: int, message: str) -> None:
    assert code == 3
    assert f"kept: {kept} lines of trials.jsonl" in message
    with Archive.append_to(path) as archive:
        assert all("whole lines" in told for told in archive.salvaged)
    assert [t.id for t in Archive.open(path).read(Trial)] == [str(n) for n in range(kept)]
    assert all(fault.is_note for fault in verify_archive(path))


@pytest.mark.requirement("A3")
def test_a_file_that_may_not_grow_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    kept, code, message = fill(LIMITED, tmp_path / "a")
    assert 0 < kept < 600
    check(tmp_path / "a", kept, code, message)


@pytest.mark.requirement("A3")
def test_a_full_tmpfs_keeps_what_was_acknowledged(small_disk: Path) -> None:
    kept, code, message = fill("", small_disk / "a")
    assert kept > 1000
    copy = small_disk.parent / "copy"
    subprocess.run(["cp", "-r", str(small_disk / "a"), str(copy)], check=True)
    check(copy, kept, code, message)


@pytest.mark.requirement("A3")
def test_an_import_onto_a_full_disk_leaves_nothing(small_disk: Path) -> None:
    source = small_disk.parent / "runs.jsonl"
    rows = ({"unit": f"u{n}", "arm": "a" * 300, "outcome": 1} for n in range(20_000))
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = [sys.executable, "-m", "equipoise", "import", "table", str(source)]
    destination = small_disk / "archives" / "made"
    done = subprocess.run(
        [*command, "-o", str(destination)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "disk full" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(destination.parent.iterdir()) == []
