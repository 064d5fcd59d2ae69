"""A folder is taken, hashed and put back as it was, whatever happened to it meanwhile."""

import hashlib
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.state.folders import everything, filled
from adapters.state.kills import kill_after, kill_often
from equipoise.errors import Blocked, InputError
from equipoise.records.plan import StateSpec
from equipoise.wiring import state_store
from every import for_every

_SPEC = StateSpec(kind="directory", target="state")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    root = tmp_path / "study"
    filled(root / "state")
    root.joinpath("outside").mkdir()
    root.joinpath("outside", "precious").write_text("precious")
    return root


def _wreck(folder: Path, outside: Path) -> None:
    """Does all that a system, or a killed one, may do to its folder."""
    shutil.rmtree(folder / "part-0")
    folder.joinpath("part-0").symlink_to(outside)
    folder.joinpath("part-1", "1.txt").write_bytes(b"2\n" * 200)
    folder.joinpath("part-2", "new").mkdir()
    folder.joinpath("part-2", "new", "debris").write_text("debris")
    folder.joinpath("secret").unlink()
    folder.joinpath("secret").mkdir()
    folder.joinpath("secret", "inner").write_text("inner")
    folder.joinpath("run.sh").chmod(0o644)
    folder.joinpath("in").unlink()
    folder.joinpath("in").write_text("a file now")
    folder.joinpath("pipe").unlink()
    folder.joinpath("empty").rmdir()
    folder.joinpath("more").symlink_to(outside)
    folder.joinpath("hard").hardlink_to(outside / "precious")
    folder.joinpath("part-3", "3.txt").unlink()
    folder.joinpath("part-3", "3.txt").hardlink_to(outside / "precious")


@pytest.mark.requirement("E2E-20")
def test_everything_comes_back_and_nothing_outside_is_touched(study: Path, tmp_path: Path) -> None:
    store, keep = state_store(_SPEC, study), tmp_path / "keep"
    before, outside = everything(study / "state"), everything(study / "outside")
    taken = store.snapshot(keep)
    assert store.digest() == taken
    _wreck(study / "state", study / "outside")
    assert store.digest() != taken
    assert store.restore(keep) == taken == store.digest()
    assert everything(study / "state") == before
    assert everything(study / "outside") == outside


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: folder.joinpath("part-1", "1.txt").write_bytes(b"2\n" * 200),
        lambda folder: folder.joinpath("secret").chmod(0o604),
        lambda folder: folder.joinpath("empty").rmdir(),
        lambda folder: folder.joinpath("broken").unlink(),
        lambda folder: folder.joinpath("part-1").rename(folder / "part-9"),
        lambda folder: folder.joinpath("pipe").unlink(),
        lambda folder: folder.joinpath("new").touch(),
        lambda folder: folder.chmod(0o700),
    ],
)
def test_every_kind_of_change_changes_the_hash(study: Path, change: object) -> None:
    store = state_store(_SPEC, study)
    before = store.digest()
    assert callable(change)
    change(study / "state")
    assert store.digest() != before


def test_equal_folders_have_equal_hashes_whenever_and_wherever_they_were_made(
    tmp_path: Path,
) -> None:
    hashes = set()
    for name in ("one", "other"):
        filled(tmp_path / name / "state")
        os.utime(tmp_path / name / "state" / "run.sh", (len(name), len(name)))
        hashes.add(state_store(_SPEC, tmp_path / name).digest())
    assert len(hashes) == 1


def test_the_hash_of_a_folder_follows_from_what_is_documented(tmp_path: Path) -> None:
    tmp_path.joinpath("study", "state").mkdir(parents=True)
    tmp_path.joinpath("study", "state").chmod(0o750)
    tmp_path.joinpath("study", "state", "a").write_text("x")
    tmp_path.joinpath("study", "state", "a").chmod(0o640)
    said = b"d00750-\0" + b"f00640" + hashlib.sha256(b"x").hexdigest().encode() + b"a\0"
    got = state_store(_SPEC, tmp_path / "study").digest()
    assert got == hashlib.sha256(said).hexdigest()


@pytest.mark.requirement("E2E-23")
def test_a_standing_snapshot_is_used_and_debris_is_never_taken(study: Path, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    clean = state_store(_SPEC, study).snapshot(keep)
    _wreck(study / "state", study / "outside")
    again = state_store(_SPEC, study)
    assert again.snapshot(keep) == clean
    assert again.digest() != clean
    assert again.restore(keep) == clean


def test_teardown_may_be_repeated_and_leaves_nothing(study: Path, tmp_path: Path) -> None:
    store, keep = state_store(_SPEC, study), tmp_path / "keep"
    store.teardown(keep)
    clean = store.snapshot(keep)
    _wreck(study / "state", study / "outside")
    store.teardown(keep)
    store.teardown(keep)
    assert store.digest() == clean
    assert list(keep.iterdir()) == []
    with pytest.raises(Blocked, match="no snapshot"):
        store.restore(keep)


def test_another_process_tears_down_for_a_killed_run(study: Path, tmp_path: Path) -> None:
    keep, before = tmp_path / "keep", everything(study / "state")
    kill_after(None, _SPEC, study, keep, "snapshot")
    _wreck(study / "state", study / "outside")
    assert study.joinpath(".state.claim").exists()
    state_store(_SPEC, study).teardown(keep)
    assert everything(study / "state") == before
    assert not study.joinpath(".state.claim").exists()


def test_a_folder_that_was_removed_whole_comes_back(study: Path, tmp_path: Path) -> None:
    store, keep = state_store(_SPEC, study), tmp_path / "keep"
    before = everything(study / "state")
    store.snapshot(keep)
    shutil.rmtree(study / "state")
    store.restore(keep)
    assert everything(study / "state") == before


@pytest.mark.requirement("E2E-23")
def test_the_next_run_starts_from_the_clean_state_of_a_killed_one(
    study: Path, tmp_path: Path
) -> None:
    before = everything(study / "state")
    is_done, _ = kill_after(None, _SPEC, study, tmp_path / "killed", "snapshot")
    assert is_done
    _wreck(study / "state", study / "outside")
    store = state_store(_SPEC, study)
    taken = store.snapshot(tmp_path / "next")
    assert everything(study / "state") == before
    assert store.restore(tmp_path / "next") == taken
    store.teardown(tmp_path / "next")
    store.teardown(tmp_path / "next")
    assert not study.joinpath(".state.claim").exists()
    store.teardown(tmp_path / "killed")
    assert everything(study / "state") == before


def test_two_runs_at_once_on_one_state_are_refused(study: Path, tmp_path: Path) -> None:
    store = state_store(_SPEC, study)
    store.snapshot(tmp_path / "keep")
    program = (
        "import sys; from pathlib import Path; from equipoise.wiring import state_store\n"
        "from equipoise.records.plan import StateSpec\n"
        "store = state_store(StateSpec(kind='directory', target='state'), Path(sys.argv[1]))\n"
        "store.snapshot(Path(sys.argv[2]))\n"
    )
    arguments = [sys.executable, "-c", program, str(study), str(tmp_path / "other")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert f"used by the run of process {os.getpid()}" in done.stderr
    store.teardown(tmp_path / "keep")
    assert subprocess.run(arguments, capture_output=True, check=False).returncode == 0


@pytest.mark.requirement("E2E-22")
@pytest.mark.parametrize("verb", ["snapshot", "restore", "teardown"])
def test_killed_at_any_moment_and_begun_again_gives_the_right_state(
    verb: str, tmp_path: Path
) -> None:
    root, keep = tmp_path / "study", tmp_path / "keep"
    folder = filled(root / "state", n_files=250)
    root.joinpath("outside").mkdir()
    root.joinpath("outside", "precious").write_text("precious")
    store = state_store(_SPEC, root)
    before, clean = everything(folder), store.digest()

    def prepare() -> None:
        if verb != "snapshot":
            kill_after(None, _SPEC, root, keep, "snapshot")
            _wreck(folder, root / "outside")

    def settle() -> None:
        if verb == "snapshot":
            assert store.snapshot(keep) == clean
        elif verb == "restore":
            assert store.restore(keep) == clean
        else:
            store.teardown(keep)
        assert everything(folder) == before
        assert root.joinpath("outside", "precious").read_text() == "precious"
        store.teardown(keep)
        assert list(keep.iterdir()) == []

    kill_often((_SPEC, root, keep, verb), prepare, settle)


@for_every(
    "target", ["/", "/etc", "/usr/local/share", "/proc/self", ".", "..", "~", "", "/home", "a\0b"]
)
def test_a_dangerous_target_is_refused(target: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        state_store(StateSpec(kind="directory", target=target), tmp_path)
    assert refused.value.code == "dangerous_state"


def test_a_link_to_a_dangerous_target_is_refused(tmp_path: Path) -> None:
    tmp_path.joinpath("state").symlink_to("/etc")
    with pytest.raises(InputError, match="belongs to the system"):
        state_store(_SPEC, tmp_path)


@pytest.mark.parametrize("keep", ["state/keep", "state", "."])
def test_a_snapshot_is_never_kept_in_the_state_nor_around_it(study: Path, keep: str) -> None:
    with pytest.raises(InputError, match="lie one in the other"):
        state_store(_SPEC, study).snapshot(study / keep)


def test_what_cannot_be_taken_is_said(tmp_path: Path) -> None:
    store = state_store(_SPEC, tmp_path)
    with pytest.raises(InputError, match="is no folder"):
        store.snapshot(tmp_path / "keep")
    tmp_path.joinpath("state").mkdir()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "state" / "s"))
        with pytest.raises(InputError, match="a socket or a device"):
            store.snapshot(tmp_path / "keep")
    assert not tmp_path.joinpath("keep", "snapshot").exists()


def test_a_snapshot_of_another_state_is_not_put_back(study: Path, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    state_store(_SPEC, study).snapshot(keep)
    study.joinpath("other").mkdir()
    other = state_store(StateSpec(kind="directory", target="other"), study)
    for use in (other.snapshot, other.restore, other.teardown):
        with pytest.raises(InputError, match="a snapshot of directory"):
            use(keep)


def test_a_damaged_record_of_a_snapshot_is_said(study: Path, tmp_path: Path) -> None:
    store, keep = state_store(_SPEC, study), tmp_path / "keep"
    store.snapshot(keep)
    keep.joinpath("snapshot", "snapshot.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        store.restore(keep)


def test_an_unknown_kind_of_state_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'sqlite'"):
        state_store(StateSpec(kind="sqlit", target="x"), tmp_path)
