"""Blobs: stored once, whole or not at all, checked on reading, never outside their folder."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from equipoise.archive.blobs import Blobs
from equipoise.errors import InputError, Tampered
from every import for_every

READ = """
import resource, sys
from pathlib import Path
from equipoise.archive.blobs import Blobs

blobs = Blobs(Path(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
line = b'{"role":"assistant","text":"' + b"0123456789" * 100 + b'"}\\n'
document = blobs.put((line for _ in range(60_000)), name="transcript")
assert document.n_bytes > 60_000_000
assert sum(map(len, blobs.chunks(document.sha256))) == document.n_bytes
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_content_comes_back_and_is_stored_once(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    one = blobs.put([b"a", b"b" * 3_000_000], name="one")
    two = blobs.put([b"ab", b"b" * 2_999_999], name="two")
    assert (one.sha256, one.stored_sha256) == (two.sha256, two.stored_sha256)
    assert b"".join(blobs.chunks(one.sha256)) == b"a" + b"b" * 3_000_000
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert [f.name for f in files] == [f"{one.sha256}.zst"]


@for_every(
    "name", ["", "../../etc/passwd", "A" * 64, "a" * 63, "/" * 64, "a" * 64 + "\n", "a" * 65]
)
def test_a_name_that_is_no_hash_leads_nowhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="names no blob"):
        next(Blobs(tmp_path).chunks(name))


def test_a_stop_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    def stopped() -> Iterator[bytes]:
        yield b"first"
        raise KeyboardInterrupt

    blobs = Blobs(tmp_path / "blobs")
    with pytest.raises(KeyboardInterrupt):
        blobs.put(stopped(), name="x")
    assert list(tmp_path.rglob("*.*")) == []


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    document = blobs.put([b"\x00" * 1_000_000] * 50, name="zeros")
    with pytest.raises(Tampered, match="more than 3000000 bytes"):
        list(blobs.chunks(document.sha256, limit=3_000_000))


@pytest.mark.parametrize("stored", [b"", b"no zstd", zstandard.compress(b"other")])
def test_other_content_is_not_given_out_as_whole(tmp_path: Path, stored: bytes) -> None:
    sha256 = hashlib.sha256(b"content").hexdigest()
    place = tmp_path / sha256[:2] / f"{sha256}.zst"
    place.parent.mkdir()
    place.write_bytes(stored)
    with pytest.raises(Tampered, match="blob"):
        list(Blobs(tmp_path).chunks(sha256))


@pytest.mark.requirement("A5")
def test_a_transcript_of_60_mb_streams_in_bounded_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-c", READ, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 30, "MB more than before"
