"""Documents stored many at once: none is there before, all are afterwards, or none at all."""

import resource
import subprocess
import sys
from pathlib import Path

from equipoise.archive.blobs import Blobs
from equipoise.archive.manifest import Manifest
from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.codec import digest

FILL = """
import resource, sys
from hashlib import sha256
from pathlib import Path
from equipoise.archive.blobs import Blobs
from equipoise.errors import StorageFull
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
blobs = Blobs(Path(sys.argv[1]))
blobs.put_later(b"short", name="a")
try:
    blobs.put_later(b"".join(sha256(b"%d" % n).digest() for n in range(99)), name="b")
except StorageFull as full:
    print(full.exit_code)
blobs.settle()
"""


def content(blobs: Blobs, sha256: str) -> bytes:
    return b"".join(blobs.chunks(sha256))


def test_they_are_there_after_settling_and_not_before(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    documents = [blobs.put_later(f"text {n}".encode(), name=f"d{n}") for n in range(50)]
    assert not list(tmp_path.rglob("*.zst"))
    blobs.settle()
    for number, document in enumerate(documents):
        text = f"text {number}".encode()
        assert (document.sha256, document.n_bytes) == (digest(text), len(text))
        assert content(blobs, document.sha256) == text
        assert document.stored_sha256 == blobs.stored_sha256(document.sha256)
    assert not list(tmp_path.rglob("*.part"))


def test_the_same_content_is_stored_once_whenever_it_comes(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    first = [blobs.put_later(b"same", name=name) for name in ("a", "b")]
    blobs.settle()
    again = [blobs.put_later(b"same", name="c"), Blobs(tmp_path / "blobs").put([b"same"], name="d")]
    fresh = Blobs(tmp_path / "blobs").put_later(b"same", name="e")
    blobs.settle()
    assert len({d.stored_sha256 for d in (*first, *again, fresh)}) == 1
    assert len(list(tmp_path.rglob("*.zst"))) == 1


def test_what_is_dropped_leaves_nothing(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    blobs.put_later(b"never", name="a")
    blobs.drop()
    blobs.settle()
    assert not [place for place in tmp_path.rglob("*") if place.is_file()]


def test_a_full_disk_stores_none_of_them(tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    done = subprocess.run(
        [sys.executable, "-B", "-c", FILL, str(tmp_path / "blobs")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "3\n"
    assert not [place for place in tmp_path.rglob("*") if place.is_file()]


def test_an_archive_makes_them_durable_before_the_lines_that_name_them(tmp_path: Path) -> None:
    manifest = Manifest(run_id="made-1", kind="import", tool_version="0")
    archive = Archive.create(tmp_path / "a", manifest)
    archive.attach_later("one", b"first")
    archive.attach_later("two", b"second")
    archive.sync()
    assert len(list(tmp_path.rglob("*.zst"))) == 2
    archive.abandon()
    with Archive.append_to(tmp_path / "a") as again:
        assert again.salvaged
    assert all(fault.is_note for fault in verify_archive(tmp_path / "a"))
