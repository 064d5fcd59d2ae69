"""What the app keeps: answers, only ever appended; drafts; an audit log without secrets."""

import secrets
from collections.abc import Callable, Container, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

import msgspec

from equipoise.errors import Blocked
from equipoise.records.answer import Answer, AnswerKind
from equipoise.records.codec import decode, encode

T = TypeVar("T")
Rows = list[tuple[Any, ...]]
Do = Callable[..., Rows]
"""Does one statement with its values (``do(sql, *values)``) and gives its rows."""

TABLES = {
    "answers": "seq BIGINT PRIMARY KEY, annotator TEXT NOT NULL, turn BIGINT NOT NULL, "
    "packet TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (annotator, turn)",
    "audit": "seq BIGINT PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL",
    "drafts": "annotator TEXT NOT NULL, packet TEXT NOT NULL, body TEXT NOT NULL, "
    "PRIMARY KEY (annotator, packet)",
    "settings": "name TEXT PRIMARY KEY, value TEXT NOT NULL",
}
APPEND_ONLY = ("answers", "audit", "settings")
"""Tables in which a row stays as it was written; the database itself sees to it."""

_LARGEST_AUDIT = 1_000_000


class Database(Protocol):
    """Where the tables are. Texts of statements have ``?`` for each value."""

    def write(self, work: Callable[[Do], T]) -> T:
        """Does `work` in one transaction, alone among writers; durable when this comes back."""
        ...

    def read(self, sql: str, *values: object) -> Rows:
        """Gives the rows of a query, as of some moment after the last write that came back."""
        ...

    def close(self) -> None:
        """Gives up the connections."""
        ...


class Draft(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A choice that was not handed in yet, and the time spent on it so far."""

    best: int | None = None
    worst: int | None = None
    seconds: float = 0.0
    n_actions: int = 0


class Overtaken(Exception):
    """Another answer has taken this turn: given on another device, or sent twice and changed."""


class Store:
    """The answers of one campaign in a database."""

    def __init__(self, database: Database) -> None:
        """Takes a database whose tables exist, and gives it a secret of its own if it has none."""
        self._database = database
        found = database.read("SELECT value FROM settings WHERE name = 'secret'")
        if not found:
            database.write(_make_secret)
            found = database.read("SELECT value FROM settings WHERE name = 'secret'")
        self.secret = bytes.fromhex(str(found[0][0]))

    def append(self, turn: int, answer: Answer) -> Answer:
        """Appends an answer as its annotator's number `turn`, and drops the draft to its packet.

        The same answer sent again, because its acknowledgement was lost, is there once.

        Returns:
            the answer as it is kept, with its `seq`.

        Raises:
            Overtaken: the turn has another answer, or is not the next one.
        """

        def work(do: Do) -> Answer:
            earlier = do(
                "SELECT body FROM answers WHERE annotator = ? AND turn = ?", answer.annotator, turn
            )
            if earlier:
                kept = _read(earlier[0][0])
                if _says(kept) != _says(answer):
                    raise Overtaken
                return kept
            n_before, seq = do(
                "SELECT count(*), (SELECT coalesce(max(seq), 0) FROM answers) FROM answers "
                "WHERE annotator = ?",
                answer.annotator,
            )[0]
            if n_before != turn:
                raise Overtaken
            kept = msgspec.structs.replace(answer, seq=seq + 1)
            do(
                "INSERT INTO answers (seq, annotator, turn, packet, body) VALUES (?, ?, ?, ?, ?)",
                *(kept.seq, kept.annotator, turn, kept.packet, encode(kept).decode()),
            )
            do("DELETE FROM drafts WHERE annotator = ? AND packet = ?", kept.annotator, kept.packet)
            return kept

        return self._database.write(work)

    def of(self, annotator: str) -> list[Answer]:
        """Gives an annotator's answers in their order."""
        rows = self._database.read(
            "SELECT body FROM answers WHERE annotator = ? ORDER BY turn", annotator
        )
        return [_read(row[0]) for row in rows]

    def all(self) -> list[Answer]:
        """Gives every answer in the order in which they were acknowledged."""
        return [
            _read(row[0]) for row in self._database.read("SELECT body FROM answers ORDER BY seq")
        ]

    def draft(self, annotator: str, packet: str) -> Draft:
        """Gives what was chosen so far; an empty draft where nothing was."""
        rows = self._database.read(
            "SELECT body FROM drafts WHERE annotator = ? AND packet = ?", annotator, packet
        )
        return decode(str(rows[0][0]).encode(), Draft) if rows else Draft()

    def keep_draft(self, turn: int, annotator: str, packet: str, draft: Draft) -> None:
        """Keeps a draft in the place of an earlier one.

        Raises:
            Overtaken: `turn` is not the annotator's next one: the packet was answered meanwhile.
        """

        def work(do: Do) -> None:
            if do("SELECT count(*) FROM answers WHERE annotator = ?", annotator)[0][0] != turn:
                raise Overtaken
            do(
                "INSERT INTO drafts (annotator, packet, body) VALUES (?, ?, ?) "
                "ON CONFLICT (annotator, packet) DO UPDATE SET body = excluded.body",
                *(annotator, packet, encode(draft).decode()),
            )

        self._database.write(work)

    def note(self, at: datetime, who: str, what: str) -> None:
        """Writes one line of the audit log; neither may hold a token, an address or an answer."""

        def work(do: Do) -> None:
            seq = do("SELECT coalesce(max(seq), 0) FROM audit")[0][0] + 1
            if seq <= _LARGEST_AUDIT:
                do(
                    "INSERT INTO audit (seq, at, who, what) VALUES (?, ?, ?, ?)",
                    *(seq, at.isoformat(), who, what),
                )

        self._database.write(work)

    def audit(self) -> Sequence[tuple[int, str, str, str]]:
        """Gives the audit log: number, time, who, what."""
        rows = self._database.read("SELECT seq, at, who, what FROM audit ORDER BY seq")
        return [(int(seq), str(at), str(who), str(what)) for seq, at, who, what in rows]

    def close(self) -> None:
        """Gives up the connections."""
        self._database.close()


def check_belong(answers: Sequence[Answer], packets: Container[str]) -> None:
    """Refuses answers to packets that a campaign does not have.

    Raises:
        Blocked: the database holds answers of another campaign.
    """
    foreign = [
        one.packet
        for one in answers
        if one.kind is not AnswerKind.GUESSED and one.packet not in packets
    ]
    if foreign:
        raise Blocked(
            f"the database holds answers to {len(set(foreign))} packets that this campaign does "
            f"not have, such as {foreign[0]!r}; mend: give each campaign a database of its own"
        )


def _make_secret(do: Do) -> None:
    if not do("SELECT value FROM settings WHERE name = 'secret'"):
        do("INSERT INTO settings (name, value) VALUES ('secret', ?)", secrets.token_hex(32))


def _read(body: object) -> Answer:
    return decode(str(body).encode(), Answer)


def _says(answer: Answer) -> tuple[object, ...]:
    return (answer.kind, answer.packet, answer.best, answer.worst, answer.guess)
