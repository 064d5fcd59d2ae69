"""A SQLite database is taken, hashed by what it says, and put back, in use or damaged."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from adapters.state.kills import kill_after, kill_often
from equipoise.errors import Blocked, InputError
from equipoise.records.plan import StateSpec
from equipoise.wiring import state_store
from every import for_every

_SPEC = StateSpec(kind="sqlite", target="desk.sqlite")
_SCHEMA = """
CREATE TABLE ticket (id INTEGER PRIMARY KEY AUTOINCREMENT, note TEXT, weight REAL, raw BLOB);
CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
CREATE TABLE odd ("rowid" TEXT, "select ""x" TEXT);
CREATE INDEX by_note ON ticket (note);
CREATE VIEW notes AS SELECT note FROM ticket;
CREATE VIRTUAL TABLE words USING fts5 (body);
"""


def _filled(path: Path, *, journal: str = "delete", n: int = 300) -> Path:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"PRAGMA journal_mode = {journal}")
        database.executescript(_SCHEMA)
        rows = [(f"note {k}", k / 7, bytes([k % 256])) for k in range(n)]
        database.executemany("INSERT INTO ticket (note, weight, raw) VALUES (?, ?, ?)", rows)
        database.executemany("INSERT INTO pair VALUES (?, ?)", [(str(k), "b") for k in range(n)])
        database.execute("INSERT INTO odd VALUES ('r', CAST(x'ff' AS TEXT))")
        database.execute("INSERT INTO words VALUES ('a refund, please')")
    return path


def _rows(path: Path) -> list[object]:
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = bytes
        return [
            database.execute(f"SELECT * FROM {table}").fetchall()
            for table in ("ticket", "pair", "odd", "words", "sqlite_sequence", "sqlite_schema")
        ]


def _do(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


def _wreck(path: Path) -> None:
    _do(
        path,
        "DELETE FROM ticket WHERE id % 2",
        "INSERT INTO ticket (note) VALUES ('debris')",
        "CREATE TABLE debris (x)",
        "UPDATE words SET body = 'no refund'",
        "DROP TABLE odd",
    )


@pytest.mark.requirement("E2E-20")
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_schema_and_rows_come_back(journal: str, tmp_path: Path) -> None:
    path = _filled(tmp_path / "desk.sqlite", journal=journal)
    store, keep = state_store(_SPEC, tmp_path), tmp_path / "keep"
    before = _rows(path)
    taken = store.snapshot(keep)
    assert store.digest() == taken
    _wreck(path)
    assert store.digest() != taken
    assert store.restore(keep) == taken == store.digest()
    assert _rows(path) == before
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == (journal,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_whoever_has_the_database_open_sees_it_put_back(tmp_path: Path) -> None:
    path = _filled(tmp_path / "desk.sqlite", journal="wal")
    store, keep = state_store(_SPEC, tmp_path), tmp_path / "keep"
    store.snapshot(keep)
    with closing(sqlite3.connect(path, isolation_level=None)) as service:
        service.execute("UPDATE ticket SET note = 'changed'")
        store.restore(keep)
        assert service.execute("SELECT DISTINCT note FROM ticket LIMIT 1").fetchone() == ("note 0",)


def test_a_database_that_another_process_is_writing_to_is_not_put_back(tmp_path: Path) -> None:
    path = _filled(tmp_path / "desk.sqlite")
    store, keep = state_store(_SPEC, tmp_path), tmp_path / "keep"
    clean = store.snapshot(keep)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM ticket")
        with pytest.raises(Blocked, match="used by another process"):
            store.restore(keep)
        writer.execute("COMMIT")
    assert store.restore(keep) == clean


@pytest.mark.requirement("E2E-22")
def test_what_a_killed_writer_left_in_the_journal_is_put_back_too(tmp_path: Path) -> None:
    path = _filled(tmp_path / "desk.sqlite", journal="wal")
    store, keep = state_store(_SPEC, tmp_path), tmp_path / "keep"
    clean = store.snapshot(keep)
    writer = (
        "import os, signal, sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('PRAGMA wal_autocheckpoint = 0')\n"
        "database.execute('DELETE FROM pair')\n"
        "database.execute('BEGIN')\n"
        "database.execute('DELETE FROM ticket')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", writer, str(path)], check=False)
    assert path.with_name("desk.sqlite-wal").stat().st_size > 0
    assert store.digest() != clean
    assert store.restore(keep) == clean


@for_every(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"this is no database at all" * 100),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(b""),
        lambda path: path.with_name("desk.sqlite-wal").write_bytes(b"debris" * 999),
        lambda path: path.with_name("desk.sqlite-journal").write_bytes(b"debris" * 999),
    ],
)
def test_a_damaged_database_is_replaced(damage: Callable[[Path], object], tmp_path: Path) -> None:
    path = _filled(tmp_path / "desk.sqlite")
    path.chmod(0o640)
    store, keep = state_store(_SPEC, tmp_path), tmp_path / "keep"
    before, clean = _rows(path), store.snapshot(keep)
    damage(path)
    assert store.restore(keep) == clean
    assert _rows(path) == before
    assert path.stat().st_mode & 0o777 == 0o640
    assert not path.with_name("desk.sqlite-journal").exists()


def test_a_link_in_the_way_is_replaced_and_never_written_through(tmp_path: Path) -> None:
    path = _filled(tmp_path / "desk.sqlite")
    store, keep = state_store(_SPEC, tmp_path), tmp_path / "keep"
    clean = store.snapshot(keep)
    precious = _filled(tmp_path / "precious.sqlite", n=3)
    kept = precious.read_bytes()
    path.unlink()
    path.symlink_to(precious)
    assert store.restore(keep) == clean
    assert precious.read_bytes() == kept
    assert not path.is_symlink()


@pytest.mark.requirement("E2E-23")
def test_a_database_that_was_not_there_is_removed_again(tmp_path: Path) -> None:
    store, keep = state_store(_SPEC, tmp_path), tmp_path / "keep"
    absent = store.snapshot(keep)
    path = _filled(tmp_path / "desk.sqlite", journal="wal")
    assert store.snapshot(keep) == absent != store.digest()
    assert store.restore(keep) == absent
    assert not path.exists()
    store.teardown(keep)
    store.teardown(keep)
    assert list(keep.iterdir()) == []


def test_the_hash_is_of_what_the_database_says_and_not_of_its_file(tmp_path: Path) -> None:
    path = _filled(tmp_path / "desk.sqlite")
    store = state_store(_SPEC, tmp_path)
    before, size = store.digest(), path.stat().st_size
    _do(path, "CREATE TABLE big (x)", "INSERT INTO big VALUES (zeroblob(500000))")
    _do(path, "DROP TABLE big", "PRAGMA journal_mode = wal")
    assert path.stat().st_size > size
    assert store.digest() == before


@for_every(
    "statement",
    [
        "UPDATE ticket SET weight = weight + 1e-13 WHERE id = 7",
        "UPDATE ticket SET raw = CAST(raw AS TEXT) WHERE id = 70",
        "UPDATE ticket SET note = NULL WHERE id = 7",
        "UPDATE odd SET rowid = 's'",
        "UPDATE pair SET b = 'c' WHERE a = '7'",
        "UPDATE sqlite_sequence SET seq = seq + 1",
        "PRAGMA user_version = 3",
        "DROP INDEX by_note",
        "UPDATE words SET body = 'a refund, pleasE'",
    ],
)
def test_every_kind_of_change_changes_the_hash(statement: str, tmp_path: Path) -> None:
    path = _filled(tmp_path / "desk.sqlite")
    store = state_store(_SPEC, tmp_path)
    before = store.digest()
    _do(path, statement)
    assert store.digest() != before


@pytest.mark.requirement("E2E-22")
@pytest.mark.parametrize("verb", ["snapshot", "restore", "teardown"])
def test_killed_at_any_moment_and_begun_again_gives_the_right_state(
    verb: str, tmp_path: Path
) -> None:
    keep = tmp_path / "keep"
    path = _filled(tmp_path / "desk.sqlite", journal="wal", n=15_000)
    store = state_store(_SPEC, tmp_path)
    before, clean = _rows(path), store.digest()

    def prepare() -> None:
        if verb != "snapshot":
            kill_after(None, _SPEC, tmp_path, keep, "snapshot")
            _wreck(path)

    def settle() -> None:
        if verb == "snapshot":
            assert store.snapshot(keep) == clean
        elif verb == "restore":
            assert store.restore(keep) == clean
        else:
            store.teardown(keep)
        assert store.digest() == clean
        assert _rows(path) == before
        store.teardown(keep)
        assert list(keep.iterdir()) == []

    kill_often((_SPEC, tmp_path, keep, verb), prepare, settle)


def test_what_is_no_database_is_said(tmp_path: Path) -> None:
    tmp_path.joinpath("desk.sqlite").write_text("no database\n" * 100)
    store = state_store(_SPEC, tmp_path)
    with pytest.raises(InputError, match="a SQLite database"):
        store.snapshot(tmp_path / "keep")
    with pytest.raises(InputError, match="is a folder"):
        state_store(StateSpec(kind="sqlite", target="keep"), tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        state_store(StateSpec(kind="sqlite", target="no/desk.sqlite"), tmp_path).snapshot(
            tmp_path / "keep"
        )
