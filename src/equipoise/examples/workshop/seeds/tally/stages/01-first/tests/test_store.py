import datetime
import os
import tempfile
import unittest

from tally.store import Store

DAY = datetime.date(2024, 3, 1)


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "tally.jsonl")

    def test_added_entries_are_read_again(self):
        store = Store(self.path)
        store.add(DAY, 420, "lunch", ["food"])
        store.add(DAY, 1000, "book")
        again = Store(self.path)
        self.assertEqual(again.entries, store.entries)
        self.assertEqual([entry.id for entry in again.entries], [1, 2])

    def test_remove(self):
        store = Store(self.path)
        store.add(DAY, 420, "lunch")
        store.add(DAY, 1000, "book")
        store.remove(1)
        self.assertEqual([entry.text for entry in Store(self.path).entries], ["book"])
        with self.assertRaises(KeyError):
            store.remove(1)
