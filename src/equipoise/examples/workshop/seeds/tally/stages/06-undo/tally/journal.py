"""What was done, so that it can be undone."""

import json
import os

from tally.entry import Entry

KEEP = 100


class Journal:
    """The last acts on a store, each a line; the newest is undone first."""

    def __init__(self, path):
        self.path = path
        self.acts = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.acts = [json.loads(line) for line in file if line.strip()]

    def added(self, entry):
        self._note({"act": "add", "entry": entry.as_dict()})

    def removed(self, entry):
        self._note({"act": "remove", "entry": entry.as_dict()})

    def undo(self, store):
        """Takes the last act back; gives a text about it, or None where there is nothing."""
        if not self.acts:
            return None
        act = self.acts.pop()
        entry = Entry.from_dict(act["entry"])
        if act["act"] == "add":
            store.remove(entry.id)
            told = "removed %d" % entry.id
        else:
            store.put_back(entry)
            told = "put back %d" % entry.id
        self._save()
        return told

    def _note(self, act):
        self.acts.append(act)
        self.acts = self.acts[-KEEP:]
        self._save()

    def _save(self):
        with open(self.path, "w", encoding="utf-8") as file:
            for act in self.acts:
                file.write(json.dumps(act, ensure_ascii=False) + "\n")
