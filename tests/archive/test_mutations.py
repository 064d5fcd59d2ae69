"""Whatever is changed in an archive, `verify` finds it and says where."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from archive.made_archive import made_archive
from equipoise.archive.manifest import chains_of
from equipoise.pipeline.faults import Fault
from equipoise.pipeline.verifying import verify_archive

CHAINED = [name for name in chains_of("import") if name != "headlines.jsonl"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_archive(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def archive(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "archive"))


def faults(archive: Path) -> list[Fault]:
    return [fault for fault in verify_archive(archive) if not fault.is_note]


def test_an_untouched_archive_has_no_fault_and_no_note(whole: Path) -> None:
    assert verify_archive(whole) == []


def test_one_changed_byte_anywhere_is_found(whole: Path, archive: Path) -> None:
    rng = np.random.default_rng(20250101)
    files = [p for p in sorted(archive.rglob("*")) if p.is_file() and p.name != "lock"]
    assert len(files) == 11
    for file in files:
        content = file.read_bytes()
        if not content:
            continue
        places = {0, len(content) - 1, *rng.integers(0, len(content), 12).tolist()}
        for place in sorted(places):
            changed = bytearray(content)
            changed[place] ^= int(rng.integers(1, 256))
            file.write_bytes(changed)
            found = faults(archive)
            assert found, f"{file.name} byte {place} of {len(content)}"
        file.write_bytes(content)
    assert faults(archive) == []
    assert verify_archive(whole) == []


def drop_first(lines: list[bytes]) -> list[bytes]:
    return lines[1:]


def drop_middle(lines: list[bytes]) -> list[bytes]:
    return lines[: len(lines) // 2] + lines[len(lines) // 2 + 1 :]


def drop_last(lines: list[bytes]) -> list[bytes]:
    return lines[:-1]


def drop_all(lines: list[bytes]) -> list[bytes]:
    return lines[:0]


def swap(lines: list[bytes]) -> list[bytes]:
    return [*lines[:-2], lines[-1], lines[-2]]


def repeat_last(lines: list[bytes]) -> list[bytes]:
    return [*lines, lines[-1]]


def repeat_first(lines: list[bytes]) -> list[bytes]:
    return [lines[0], *lines]


def blank(lines: list[bytes]) -> list[bytes]:
    return [lines[0], b"\n", *lines[1:]]


@pytest.mark.parametrize(
    "change", [drop_first, drop_middle, drop_last, drop_all, swap, repeat_last, repeat_first, blank]
)
@pytest.mark.parametrize("name", ["trials.jsonl", "grades.jsonl"])
def test_removed_moved_and_repeated_lines_are_found(
    archive: Path, name: str, change: Callable[[list[bytes]], list[bytes]]
) -> None:
    file = archive / name
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))
    assert name in {fault.file for fault in faults(archive)}


@pytest.mark.parametrize("name", CHAINED)
def test_a_changed_line_is_named(archive: Path, name: str) -> None:
    file = archive / name
    lines = file.read_bytes().splitlines(keepends=True)
    lines[0] = lines[0].replace(b'"record"', b'"recorD"')
    file.write_bytes(b"".join(lines))
    found = [fault for fault in faults(archive) if fault.file == name]
    assert found[0].line == 1


def test_a_lost_blob_and_a_lost_file_are_found(archive: Path) -> None:
    blob = next(archive.glob("blobs/*/*.zst"))
    blob.unlink()
    assert any("missing" in fault.what for fault in faults(archive))
    archive.joinpath("grades.jsonl").unlink()
    assert any(fault.file == "grades.jsonl" for fault in faults(archive))


def test_a_blob_with_other_content_is_found(archive: Path, whole: Path) -> None:
    blob = next(archive.glob("blobs/*/*.zst"))
    other = next(whole.glob("blobs/*/*.zst")).read_bytes()
    blob.write_bytes(other + b"\x50\x2a\x4d\x18\x00\x00\x00\x00")  # a frame that holds nothing
    assert any("changed" in fault.what for fault in faults(archive))


def test_strays_and_torn_tails_are_notes_only(archive: Path) -> None:
    archive.joinpath("stray.txt").write_text("?", encoding="utf-8")
    with archive.joinpath("trials.jsonl").open("ab") as file:
        file.write(b'{"prev":"12')
    notes = verify_archive(archive)
    assert [(note.file, note.is_note) for note in notes] == [
        ("trials.jsonl", True),
        ("stray.txt", True),
    ]


def test_a_deleted_cache_is_no_fault_and_changes_nothing(archive: Path) -> None:
    shutil.rmtree(archive / "columns")
    assert verify_archive(archive) == []


@pytest.mark.parametrize("name", ["trials.jsonl", "head.json", "columns/columns.json"])
def test_a_folder_in_place_of_a_file_is_a_fault(archive: Path, name: str) -> None:
    archive.joinpath(name).unlink()
    archive.joinpath(name).mkdir()
    assert any(name.startswith(fault.file) for fault in faults(archive))


def test_many_faults_are_cut_short_and_said_to_be(archive: Path) -> None:
    file = archive / "grades.jsonl"
    file.write_bytes(file.read_bytes() + b"x\n" * 100)
    found = [fault for fault in faults(archive) if fault.file == "grades.jsonl"]
    assert (len(found), found[-1].what) == (21, "more than 20 faults")
