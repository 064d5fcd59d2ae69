import datetime
import os
import tempfile
import unittest

from tally.recurring import Rule, Rules
from tally.store import Store

D = datetime.date


class RecurringTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Store(os.path.join(folder.name, "tally.jsonl"))
        self.path = os.path.join(folder.name, "rules.json")

    def test_days(self):
        rule = Rule("rent", D(2024, 1, 15), 90000)
        self.assertEqual(list(rule.days(D(2024, 3, 20))), [D(2024, 1, 15), D(2024, 2, 15), D(2024, 3, 15)])
        self.assertEqual(list(rule.days(D(2024, 1, 1))), [])

    def test_post_adds_what_is_due_once(self):
        rules = Rules(self.path)
        rules.add(Rule("rent", D(2024, 1, 15), 90000, tags=["home"]))
        self.assertEqual(len(rules.post(self.store, D(2024, 2, 20))), 2)
        self.assertEqual(rules.post(self.store, D(2024, 2, 20)), [])
        again = Rules(self.path)
        self.assertEqual([e.day for e in again.post(self.store, D(2024, 3, 15))], [D(2024, 3, 15)])
