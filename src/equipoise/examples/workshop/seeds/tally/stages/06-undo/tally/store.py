"""Reads and writes the file of entries, one JSON object a line."""

import json
import os

from tally.entry import Entry


class Store:
    """The entries of a file. The first line of the file keeps the last id that was given."""

    def __init__(self, path):
        self.path = path
        self._entries = None
        self._last_id = 0
        self.version = 0

    @property
    def entries(self):
        if self._entries is None:
            self._entries = self._read()
        return self._entries

    def _read(self):
        found = []
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    if not line.strip():
                        continue
                    data = json.loads(line)
                    if "last_id" in data:
                        self._last_id = data["last_id"]
                    else:
                        found.append(Entry.from_dict(data))
        self._last_id = max([self._last_id] + [entry.id for entry in found])
        return found

    def add(self, day, cents, text, tags=()):
        entries = self.entries
        self._last_id += 1
        entry = Entry(self._last_id, day, cents, text, tags)
        entries.append(entry)
        self.save()
        return entry

    def remove(self, id):
        found = [entry for entry in self.entries if entry.id == id]
        if not found:
            raise KeyError(id)
        self.entries.remove(found[0])
        self.save()
        return found[0]

    def put_back(self, entry):
        """Puts an entry that was removed where it stood."""
        self.entries.append(entry)
        self.entries.sort(key=lambda e: e.id)
        self.save()

    def save(self):
        self.version += 1
        aside = self.path + ".new"
        with open(aside, "w", encoding="utf-8") as file:
            file.write(json.dumps({"last_id": self._last_id}) + "\n")
            for entry in self.entries:
                file.write(json.dumps(entry.as_dict(), ensure_ascii=False) + "\n")
        os.replace(aside, self.path)
