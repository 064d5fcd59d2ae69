import datetime
import unittest

from tally.entry import Entry
from tally.search import BadQuery, Index

DAY = datetime.date(2024, 3, 1)


class SearchTest(unittest.TestCase):
    def setUp(self):
        self.index = Index(
            [
                Entry(1, DAY, 500, "Lunch with Ann", ["food"]),
                Entry(2, DAY, 1500, "market, fish", ["food", "home"]),
                Entry(3, DAY, 900, "book"),
            ]
        )

    def ids(self, query):
        return [entry.id for entry in self.index.find(query)]

    def test_words(self):
        self.assertEqual(self.ids("lunch"), [1])
        self.assertEqual(self.ids("fish market"), [2])
        self.assertEqual(self.ids("lunch fish"), [])

    def test_tags_and_amounts(self):
        self.assertEqual(self.ids("#food"), [1, 2])
        self.assertEqual(self.ids("#food >5"), [2])
        self.assertEqual(self.ids("<10 -lunch"), [3])
        with self.assertRaises(BadQuery):
            self.ids(">much")
