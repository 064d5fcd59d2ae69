import datetime
import unittest

from depot import orders, reorder, shipments, stock
from depot.db import connect

NOW = datetime.datetime(2024, 3, 29, 9, 0, tzinfo=datetime.timezone.utc)


class ReorderTest(unittest.TestCase):
    def test_proposal(self):
        db = connect(":memory:")
        self.addCleanup(db.close)
        stock.receive(db, "bolt", 60)
        number = orders.create(db, "ann", [("bolt", 56)], now=NOW)
        shipments.pick(db, number, NOW)
        self.assertEqual(reorder.demand(db, "bolt", NOW), 2.0)
        self.assertEqual(reorder.proposal(db, NOW), {"bolt": 16})
        self.assertEqual(reorder.proposal(db, NOW, pack=10), {"bolt": 20})
