import datetime
import os
import tempfile
import unittest

from tally.journal import Journal
from tally.store import Store

DAY = datetime.date(2024, 3, 1)


class JournalTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Store(os.path.join(folder.name, "tally.jsonl"))
        self.path = os.path.join(folder.name, "journal.jsonl")
        self.journal = Journal(self.path)

    def test_undo_add(self):
        self.journal.added(self.store.add(DAY, 420, "lunch"))
        self.assertEqual(self.journal.undo(self.store), "removed 1")
        self.assertEqual(self.store.entries, [])
        self.assertIsNone(self.journal.undo(self.store))

    def test_undo_remove_puts_it_where_it_stood(self):
        for text in ("lunch", "book", "tea"):
            self.store.add(DAY, 420, text)
        self.journal.removed(self.store.remove(2))
        self.assertEqual(Journal(self.path).undo(self.store), "put back 2")
        self.assertEqual([e.text for e in self.store.entries], ["lunch", "book", "tea"])
