"""Reads and writes the file of entries, one JSON object a line."""

import json
import os

from tally.entry import Entry


class Store:
    def __init__(self, path):
        self.path = path
        self._entries = None
        self.version = 0

    @property
    def entries(self):
        if self._entries is None:
            self._entries = self._read()
        return self._entries

    def _read(self):
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="utf-8") as file:
            return [Entry.from_dict(json.loads(line)) for line in file if line.strip()]

    def add(self, day, cents, text, tags=()):
        entry = Entry(self._next_id(), day, cents, text, tags)
        self.entries.append(entry)
        self.save()
        return entry

    def remove(self, id):
        found = [entry for entry in self.entries if entry.id == id]
        if not found:
            raise KeyError(id)
        self.entries.remove(found[0])
        self.save()
        return found[0]

    def save(self):
        self.version += 1
        aside = self.path + ".new"
        with open(aside, "w", encoding="utf-8") as file:
            for entry in self.entries:
                file.write(json.dumps(entry.as_dict(), ensure_ascii=False) + "\n")
        os.replace(aside, self.path)

    def _next_id(self):
        return max((entry.id for entry in self.entries), default=0) + 1
