import datetime
import os
import tempfile
import unittest

from depot import events
from depot.db import connect

NOW = datetime.datetime(2024, 3, 1, 9, 0, tzinfo=datetime.timezone.utc)


class EventsTest(unittest.TestCase):
    def setUp(self):
        self.db = connect(":memory:")
        self.addCleanup(self.db.close)

    def test_since(self):
        first = events.record(self.db, "received", NOW, sku="bolt", quantity=5)
        events.record(self.db, "picked", NOW, number=7)
        self.assertEqual([e["kind"] for e in events.since(self.db, first)], ["picked"])
        self.assertEqual(events.since(self.db, 0)[0]["body"], {"sku": "bolt", "quantity": 5})

    def test_follower(self):
        events.record(self.db, "received", NOW, sku="bolt")
        with tempfile.TemporaryDirectory() as folder:
            follower = events.Follower(os.path.join(folder, "seen"))
            got = []
            self.assertEqual(follower.run(self.db, got.append), 1)
            self.assertEqual(follower.run(self.db, got.append), 0)
