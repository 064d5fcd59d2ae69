import datetime
import os
import tempfile
import unittest

from tally.dates import Period
from tally.report import Report
from tally.store import Store

D = datetime.date


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Store(os.path.join(folder.name, "tally.jsonl"))
        self.store.add(D(2024, 3, 5), 500, "lunch", ["food"])
        self.store.add(D(2024, 3, 9), 1500, "market", ["food", "home"])
        self.store.add(D(2024, 4, 2), 900, "book")
        self.report = Report(self.store)

    def test_total(self):
        self.assertEqual(self.report.total(), 2900)
        self.assertEqual(self.report.total(Period.parse("2024-03")), 2000)

    def test_by_tag(self):
        self.assertEqual(self.report.by_tag(), {"food": 2000, "home": 1500, "": 900})

    def test_by_month(self):
        self.assertEqual(self.report.by_month(), {"2024-03": 2000, "2024-04": 900})
