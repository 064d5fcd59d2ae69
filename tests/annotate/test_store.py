"""Answers are appended once, in the order they are acknowledged, in SQLite as in PostgreSQL."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from equipoise.annotate.sqlite import SqliteFile
from equipoise.annotate.store import Database, Do, Draft, Overtaken, Store
from equipoise.cli.clock import exact_now
from equipoise.errors import Blocked, InputError
from equipoise.records.answer import Answer, AnswerKind, standing
from equipoise.wiring.annotating import answers_database

if TYPE_CHECKING:
    from machine.postgres import Cluster

Opens = Callable[[], Database]


@pytest.fixture(params=["sqlite", "postgres"])
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Opens:
    """Gives what opens the same database anew, as a server that is started again does."""
    if request.param == "sqlite":
        return lambda: SqliteFile(tmp_path / "answers.sqlite")
    cluster: Cluster = request.getfixturevalue("cluster")
    address = cluster.address(cluster.database())

    def opened() -> Database:
        found = answers_database(address)
        assert found
        return found

    return opened


@pytest.fixture
def store(opens: Opens) -> Iterator[Store]:
    made = Store(opens())
    yield made
    made.close()


def _answer(who: str, packet: str, best: int = 0, kind: AnswerKind = AnswerKind.GIVEN) -> Answer:
    return Answer(seq=0, annotator=who, packet=packet, kind=kind, best=best, worst=1 - best)


def test_many_at_once_get_numbers_without_a_gap(store: Store) -> None:
    def all_of(who: int) -> list[int]:
        return [store.append(n, _answer(f"a{who}", f"p{who}-{n}")).seq for n in range(15)]

    with ThreadPoolExecutor(8) as threads:
        numbers = [*threads.map(all_of, range(8))]
    assert sorted(n for mine in numbers for n in mine) == list(range(1, 121))
    assert all(mine == sorted(mine) for mine in numbers)
    assert [one.seq for one in store.all()] == list(range(1, 121))
    assert [one.packet for one in store.of("a3")] == [f"p3-{n}" for n in range(15)]


def test_the_same_answer_sent_by_many_is_there_once(store: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        kept = [*threads.map(lambda _: store.append(0, _answer("ann", "p")), range(20))]
    assert {one.seq for one in kept} == {1}
    for turn, other in ((0, _answer("ann", "p", best=1)), (2, _answer("ann", "q"))):
        with pytest.raises(Overtaken):
            store.append(turn, other)
    assert len(store.all()) == 1


def test_drafts_end_with_their_answer(store: Store) -> None:
    draft = Draft(best=1, seconds=2.5, n_actions=3)
    store.keep_draft(0, "ann", "p", Draft(best=0))
    store.keep_draft(0, "ann", "p", draft)
    assert store.draft("ann", "p") == draft
    assert store.draft("bob", "p") == Draft()
    store.append(0, _answer("ann", "p"))
    assert store.draft("ann", "p") == Draft()
    with pytest.raises(Overtaken):
        store.keep_draft(0, "ann", "p", draft)


def test_all_is_there_when_it_is_opened_anew(opens: Opens) -> None:
    first = Store(opens())
    first.append(0, _answer("ann", "p"))
    first.append(1, _answer("ann", "p", kind=AnswerKind.UNDONE))
    first.note(exact_now(), "ann", "opened")
    again = Store(opens())
    assert again.all() == first.all()
    assert standing(again.all()) == {}
    assert again.secret == first.secret
    assert len(again.secret) == 32
    assert [what for _, _, _, what in again.audit()] == ["opened"]
    again.append(2, _answer("ann", "p"))
    assert [one.seq for one in first.all()] == [1, 2, 3]
    first.close()
    again.close()


def test_nothing_kept_can_be_altered(opens: Opens) -> None:
    database = opens()
    store = Store(database)
    store.append(0, _answer("ann", "p"))
    store.note(exact_now(), "ann", "tried")
    for statement in (
        "UPDATE answers SET body = '{}'",
        "DELETE FROM answers",
        "DELETE FROM audit",
        "UPDATE settings SET value = ''",
    ):
        with pytest.raises(Exception, match="only appended"):
            database.write(partial(_do, statement))
    assert len(store.all()) == 1
    store.close()


def test_what_fails_half_way_leaves_nothing_and_stops_nobody(opens: Opens) -> None:
    database = opens()
    store = Store(database)

    def fails(do: Do) -> None:
        do("INSERT INTO audit (seq, at, who, what) VALUES (1, '', '', '')")
        raise LookupError

    for _ in range(2):
        with pytest.raises(LookupError):
            database.write(fails)
    assert store.append(0, _answer("ann", "p")).seq == 1
    assert store.audit() == []
    store.close()


def _do(statement: str, do: Do) -> None:
    do(statement)


def test_a_server_that_drops_connections_loses_nothing(cluster: "Cluster") -> None:
    name = cluster.database()
    database = answers_database(cluster.address(name))
    assert database
    store = Store(database)
    store.append(0, _answer("ann", "p"))
    drop = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'"
    cluster.do("postgres", drop.format(name))
    assert store.append(1, _answer("ann", "q")).seq == 2
    cluster.do("postgres", drop.format(name))
    assert len(store.all()) == 2
    store.close()


def test_addresses_without_a_server_or_with_a_password_are_refused(tmp_path: Path) -> None:
    assert answers_database("") is None
    with pytest.raises(InputError, match="password"):
        answers_database("postgresql://u:secret@h/x")
    with pytest.raises(Blocked):
        answers_database(f"postgresql://u@/x?host={tmp_path}")
    with pytest.raises(Blocked):
        SqliteFile(tmp_path / "none" / "answers.sqlite")
    tmp_path.joinpath("no.sqlite").write_text("no database" * 100)
    with pytest.raises(Blocked):
        SqliteFile(tmp_path / "no.sqlite")
