"""One entry: a day, an amount, a text, tags."""

import datetime


class Entry:
    def __init__(self, id, day, cents, text, tags=()):
        self.id = id
        self.day = day
        self.cents = cents
        self.text = text
        self.tags = sorted(set(tags))

    def as_dict(self):
        return {
            "id": self.id,
            "day": self.day.isoformat(),
            "cents": self.cents,
            "text": self.text,
            "tags": self.tags,
        }

    @classmethod
    def from_dict(cls, data):
        return cls(
            id=data["id"],
            day=datetime.date.fromisoformat(data["day"]),
            cents=data["cents"],
            text=data["text"],
            tags=data.get("tags", ()),
        )

    def __eq__(self, other):
        return isinstance(other, Entry) and self.as_dict() == other.as_dict()

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return "Entry(%(id)r, %(day)s, %(cents)r, %(text)r)" % self.as_dict()
