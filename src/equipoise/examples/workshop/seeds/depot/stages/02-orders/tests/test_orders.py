import datetime
import unittest

from depot import orders
from depot.db import connect

NOW = datetime.datetime(2024, 3, 1, 9, 0, tzinfo=datetime.timezone.utc)


class OrdersTest(unittest.TestCase):
    def setUp(self):
        self.db = connect(":memory:")
        self.addCleanup(self.db.close)

    def test_create(self):
        number = orders.create(self.db, "ann", [("bolt", 5), ("nut", 2), ("bolt", 1)], now=NOW)
        self.assertEqual(orders.lines(self.db, number), {"bolt": 6, "nut": 2})
        self.assertEqual(orders.get(self.db, number)["state"], orders.OPEN)

    def test_refused(self):
        for lines in ([], [("bolt", 0)]):
            with self.assertRaises(ValueError):
                orders.create(self.db, "ann", lines, now=NOW)
        with self.assertRaises(orders.NoOrder):
            orders.get(self.db, 9)

    def test_states(self):
        number = orders.create(self.db, "ann", [("bolt", 5)], now=NOW)
        orders.move(self.db, number, [orders.OPEN], orders.CANCELLED)
        with self.assertRaises(orders.WrongState):
            orders.move(self.db, number, [orders.OPEN], orders.PICKED)
        self.assertEqual(orders.open_orders(self.db), [])
