import datetime
import os
import tempfile
import unittest

from tally.budget import Budget, spread
from tally.report import Report
from tally.store import Store

D = datetime.date


class BudgetTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Store(os.path.join(folder.name, "tally.jsonl"))
        self.store.add(D(2024, 3, 5), 5000, "market", ["food"])
        self.budget = Budget()
        self.budget.set("food", 6000)

    def test_left(self):
        report = Report(self.store)
        self.assertEqual(self.budget.left(report, "food", 2024, 3), 1000)
        self.assertIsNone(self.budget.left(report, "fun", 2024, 3))

    def test_exceptions(self):
        self.budget.set("food", 4000, month="2024-03")
        self.assertEqual(self.budget.over(Report(self.store), 2024, 3), {"food": 1000})
        self.assertEqual(self.budget.over(Report(self.store), 2024, 4), {})

    def test_spread(self):
        self.assertEqual(spread(10, 3), [4, 3, 3])
