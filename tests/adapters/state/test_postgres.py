"""A real PostgreSQL database is taken, hashed by what it says, and put back."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from adapters.state.kills import kill_after, kill_often
from equipoise.errors import Blocked, InputError
from equipoise.records.plan import StateSpec
from equipoise.wiring import state_store
from machine.postgres import GUARDED, Cluster

_DESK = (
    "CREATE TYPE mood AS ENUM ('calm', 'angry')",
    'CREATE SCHEMA "odd ""space"',
    """CREATE TABLE ticket (id bigserial PRIMARY KEY, note text, mood mood DEFAULT 'calm',
       weight double precision, raw bytea, body jsonb, at timestamptz DEFAULT now())""",
    'CREATE TABLE "odd ""space"."select" (the_row text, "A b" numeric(8, 2))',
    "CREATE TABLE part (k int, v text) PARTITION BY RANGE (k)",
    "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (100)",
    "CREATE INDEX by_note ON ticket (note)",
    "CREATE VIEW notes AS SELECT note FROM ticket",
    "CREATE MATERIALIZED VIEW counts AS SELECT count(*) FROM ticket",
    "CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    """INSERT INTO ticket (note, weight, raw) SELECT 'note ' || k, k / 7.0, '\\x00ff'
       FROM generate_series(1, 300) k""",
    """INSERT INTO "odd ""space"."select" VALUES ('r', 1.5), (NULL, NULL), ('r', 1.5)""",
    "INSERT INTO part SELECT k, 'v' FROM generate_series(0, 99) k",
    "SELECT lo_from_bytea(4242, 'large')",
)
_WRECK = (
    "DELETE FROM ticket WHERE id % 2 = 0",
    "INSERT INTO ticket (note) VALUES ('debris')",
    "CREATE TABLE debris (x int)",
    'DROP TABLE "odd ""space"."select"',
    "SELECT lo_unlink(4242)",
)


def _spec(cluster: Cluster, name: str) -> StateSpec:
    return StateSpec(kind="postgres", target=cluster.address(name))


def _dump(cluster: Cluster, name: str) -> str:
    """All that PostgreSQL's own pg_dump has to say of a database, without its random key."""
    said = subprocess.run(
        [str(cluster.programs / "pg_dump"), "--create", "--blobs", cluster.address(name)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return "\n".join(line for line in said.splitlines() if "restrict " not in line)


def _snapshots(cluster: Cluster) -> str:
    return cluster.do("postgres", "SELECT datname FROM pg_database WHERE datname ~ '^equipoise_'")


@pytest.mark.requirement("E2E-20")
def test_schema_rows_sequences_and_settings_come_back(cluster: Cluster, tmp_path: Path) -> None:
    name = cluster.database(*_DESK)
    cluster.do(
        name,
        f"CREATE ROLE owner_of_{name}",
        f"ALTER DATABASE {name} SET work_mem = '5MB'",
        f"ALTER ROLE owner_of_{name} IN DATABASE {name} SET statement_timeout = '7s'",
        f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC",
        f"GRANT CREATE ON DATABASE {name} TO owner_of_{name} WITH GRANT OPTION",
        f"COMMENT ON DATABASE {name} IS 'the desk''s'",
        f"ALTER DATABASE {name} OWNER TO owner_of_{name}",
    )
    store, keep = state_store(_spec(cluster, name), tmp_path), tmp_path / "keep"
    before, others = _dump(cluster, name), _snapshots(cluster)
    taken = store.snapshot(keep)
    assert store.digest() == taken
    cluster.do(name, *_WRECK)
    assert store.digest() != taken
    assert store.restore(keep) == taken == store.digest()
    assert _dump(cluster, name) == before
    store.teardown(keep)
    store.teardown(keep)
    assert _dump(cluster, name) == before
    assert _snapshots(cluster) == others
    assert list(keep.iterdir()) == []
    with pytest.raises(Blocked, match="no snapshot"):
        store.restore(keep)


def test_whoever_is_connected_is_disconnected_only_where_something_changed(
    cluster: Cluster, tmp_path: Path
) -> None:
    name = cluster.database(*_DESK)
    store, keep = state_store(_spec(cluster, name), tmp_path), tmp_path / "keep"
    taken = store.snapshot(keep)
    with psycopg.connect(cluster.address(name), autocommit=True) as service:
        assert store.restore(keep) == taken
        service.execute("SELECT 1")
        service.execute("BEGIN")
        cluster.do(name, "INSERT INTO ticket (note) VALUES ('debris')")
        service.execute("UPDATE ticket SET note = 'open' WHERE id = 1")
        assert store.restore(keep) == taken
        with pytest.raises(psycopg.OperationalError):
            service.execute("COMMIT")
    store.teardown(keep)


@pytest.mark.requirement("E2E-23")
def test_debris_is_never_taken_and_a_dropped_database_comes_back(
    cluster: Cluster, tmp_path: Path
) -> None:
    name = cluster.database(*_DESK)
    keep, before = tmp_path / "keep", _dump(cluster, name)
    taken = state_store(_spec(cluster, name), tmp_path).snapshot(keep)
    cluster.do(name, *_WRECK)
    again = state_store(_spec(cluster, name), tmp_path)
    assert again.snapshot(keep) == taken
    cluster.do("postgres", f"DROP DATABASE {name}")
    assert again.digest() != taken
    assert again.restore(keep) == taken
    assert _dump(cluster, name) == before
    again.teardown(keep)


def test_the_hash_is_of_what_the_database_says(cluster: Cluster, tmp_path: Path) -> None:
    name = cluster.database(*_DESK)
    store = state_store(_spec(cluster, name), tmp_path)
    before = store.digest()
    cluster.do(
        name,
        "CREATE TABLE big AS SELECT generate_series(1, 9999)",
        "DROP TABLE big",
        "UPDATE ticket SET note = note || '!' WHERE id < 9",
        "UPDATE ticket SET note = rtrim(note, '!')",
        "VACUUM FULL",
    )
    assert store.digest() == before
    cluster.do("postgres", f"ALTER DATABASE {name} SET timezone = 'Asia/Tokyo'")
    assert store.digest() != before
    cluster.do("postgres", f"ALTER DATABASE {name} RESET timezone")
    assert store.digest() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ticket SET weight = weight + 1e-13 WHERE id = 7",
        "UPDATE ticket SET note = NULL WHERE id = 7",
        "UPDATE ticket SET raw = '\\x00fe' WHERE id = 7",
        "UPDATE ticket SET at = at + interval '1 microsecond' WHERE id = 7",
        """DELETE FROM "odd ""space"."select" WHERE ctid = '(0,1)'""",
        "UPDATE part SET v = 'w' WHERE k = 7",
        "SELECT nextval('ticket_id_seq')",
        "DROP INDEX by_note",
        "ALTER TABLE ticket ALTER note SET DEFAULT 'x'",
        "ALTER TABLE ticket RENAME note TO remark",
        "CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 2'",
        "ALTER TYPE mood ADD VALUE 'sad'",
        "REFRESH MATERIALIZED VIEW counts",
        "SELECT lo_put(4242, 0, 'L')",
        "GRANT SELECT ON ticket TO PUBLIC",
        "CREATE RULE r AS ON DELETE TO ticket DO INSTEAD NOTHING",
        "ALTER TABLE ticket ENABLE ROW LEVEL SECURITY",
    ],
)
def test_every_kind_of_change_changes_the_hash(
    cluster: Cluster, tmp_path: Path, desk: str, statement: str
) -> None:
    store = state_store(_spec(cluster, desk), tmp_path)
    before = store.digest()
    assert store.digest() == before
    cluster.do(desk, statement)
    assert store.digest() != before


@pytest.fixture(scope="module")
def desk(cluster: Cluster) -> str:
    return cluster.database(*_DESK)


@pytest.mark.requirement("E2E-22")
@pytest.mark.parametrize("verb", ["snapshot", "restore", "teardown"])
def test_killed_at_any_moment_and_begun_again_gives_the_right_state(
    cluster: Cluster, verb: str, tmp_path: Path
) -> None:
    name = cluster.database(*_DESK)
    spec, keep = _spec(cluster, name), tmp_path / "keep"
    store = state_store(spec, tmp_path)
    before, clean, others = _dump(cluster, name), store.digest(), _snapshots(cluster)

    def prepare() -> None:
        if verb != "snapshot":
            kill_after(None, spec, tmp_path, keep, "snapshot")
            cluster.do(name, *_WRECK)

    def settle() -> None:
        if verb == "snapshot":
            assert store.snapshot(keep) == clean
        elif verb == "restore":
            assert store.restore(keep) == clean
        else:
            store.teardown(keep)
        assert store.digest() == clean
        store.teardown(keep)
        assert _snapshots(cluster) == others
        assert list(keep.iterdir()) == []

    kill_often((spec, tmp_path, keep, verb), prepare, settle)
    assert _dump(cluster, name) == before


def test_names_that_want_quotes_are_quoted(cluster: Cluster, tmp_path: Path) -> None:
    name = 'the "desk"; DROP TABLE x; é'
    made = cluster.database()
    quoted = '"' + name.replace('"', '""') + '"'
    cluster.do("postgres", f"ALTER DATABASE {made} RENAME TO {quoted}")
    target = f"host={cluster.folder} user={cluster.user} dbname='{name}'"
    store, keep = state_store(StateSpec(kind="postgres", target=target), tmp_path), tmp_path / "k"
    taken = store.snapshot(keep)
    with psycopg.connect(target, autocommit=True) as service:
        service.execute("CREATE TABLE debris (x int)")
    assert store.restore(keep) == taken
    store.teardown(keep)


def test_an_address_with_a_password_is_refused_and_not_repeated(tmp_path: Path) -> None:
    for target in (
        "postgresql://u:hunter2@localhost/desk",
        "host=localhost password=hunter2 dbname=desk",
        "postgresql://localhost/desk?user=u&password=hunter2",
    ):
        with pytest.raises(InputError) as refused:
            state_store(StateSpec(kind="postgres", target=target), tmp_path)
        assert refused.value.code == "password_in_plan"
        assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("name", ["postgres", "template1", "template0"])
def test_the_databases_of_the_server_itself_are_refused(
    cluster: Cluster, tmp_path: Path, name: str
) -> None:
    with pytest.raises(InputError, match="belong to the server"):
        state_store(_spec(cluster, name), tmp_path).snapshot(tmp_path / "keep")


def test_a_password_comes_from_the_environment_and_stays_there(
    cluster: Cluster, tmp_path: Path
) -> None:
    name, secret = cluster.database("CREATE TABLE x (y int)"), "hunter2-and-3"
    cluster.do(
        name,
        f"CREATE ROLE {GUARDED} LOGIN CREATEDB PASSWORD '{secret}'",
        f"ALTER DATABASE {name} OWNER TO {GUARDED}",
        f"ALTER TABLE x OWNER TO {GUARDED}",
    )
    program = (
        "import sys; from pathlib import Path; from equipoise.wiring import state_store\n"
        "from equipoise.records.plan import StateSpec\n"
        "root = Path(sys.argv[1])\n"
        "store = state_store(StateSpec(kind='postgres', target='env:DESK'), root)\n"
        "print(store.name, store.snapshot(root / 'keep') == store.restore(root / 'keep'))\n"
    )

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    plain = f"postgresql://{GUARDED}@/{name}?host={cluster.folder}"
    whole = plain.replace("@", f":{secret}@", 1)
    assert run(DESK=whole).stdout == "postgres env:DESK True\n"
    assert run(DESK=plain, PGPASSWORD=secret).stdout == "postgres env:DESK True\n"
    assert "variable DESK is not set" in run().stderr
    wrong = run(DESK=plain.replace("@", ":wrong-secret@", 1))
    assert "password authentication failed" in wrong.stderr
    broken = run(DESK=f"postgresql://u:{secret}@host:port:port/x y")
    for done in (wrong, broken):
        assert done.returncode == 1
        assert "wrong-secret" not in done.stderr
        assert secret not in done.stderr
    record = tmp_path.joinpath("keep", "snapshot", "snapshot.json").read_text()
    assert secret not in record


@pytest.mark.requirement("E2E-52")
def test_a_server_that_is_not_there_blocks_with_a_reason(tmp_path: Path) -> None:
    target = f"postgresql://tester@/desk?host={tmp_path}"
    store = state_store(StateSpec(kind="postgres", target=target), tmp_path)
    with pytest.raises(Blocked, match=r"PostgreSQL: .*connection"):
        store.snapshot(tmp_path / "keep")


def test_a_database_that_is_not_there_is_said(cluster: Cluster, tmp_path: Path) -> None:
    store, others = state_store(_spec(cluster, "nobodys"), tmp_path), _snapshots(cluster)
    with pytest.raises(InputError, match="no database 'nobodys'"):
        store.snapshot(tmp_path / "keep")
    assert _snapshots(cluster) == others
