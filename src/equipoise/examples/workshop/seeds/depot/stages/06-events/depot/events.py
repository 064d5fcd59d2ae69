"""What happened, for other programs to follow: each has seen events up to an id."""

import json

from depot.db import transaction


def record(db, kind, at, number=None, **body):
    cursor = db.execute(
        "insert into event (at, kind, number, body) values (?, ?, ?, ?)",
        (at.isoformat(), kind, number, json.dumps(body, sort_keys=True)),
    )
    return cursor.lastrowid


def since(db, seen, limit=100):
    """Gives the events after the one with the id `seen`, in order, at most so many."""
    rows = db.execute("select * from event where id > ? order by id limit ?", (seen, limit))
    return [dict(row, body=json.loads(row["body"])) for row in rows]


def follow(db, seen, handle, limit=100):
    """Hands all events after `seen` to a function, one by one; gives the last id that was handled.

    Where the function raises, what was handled before counts, and the error goes on.
    """
    while True:
        batch = since(db, seen, limit)
        if not batch:
            return seen
        for event in batch:
            handle(event)
            seen = event["id"]


class Follower:
    """A program that follows: it keeps in a file how far it has come."""

    def __init__(self, path):
        self.path = path

    def seen(self):
        try:
            with open(self.path) as file:
                return int(file.read() or 0)
        except FileNotFoundError:
            return 0

    def run(self, db, handle, limit=100):
        """Handles what is new; an event counts as seen when it was handled, not before."""
        n = 0
        while True:
            batch = since(db, self.seen(), limit)
            if not batch:
                return n
            for event in batch:
                handle(event)
                with open(self.path, "w") as file:
                    file.write(str(event["id"]))
                n += 1


def forget(db, before):
    """Removes events that happened before a moment; ids are never used again."""
    with transaction(db):
        db.execute(
            "delete from event where at < ? and id < (select max(id) from event)",
            (before.isoformat(),),
        )
