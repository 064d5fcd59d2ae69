import datetime
import unittest

from depot import orders, reservations, shipments, stock
from depot.db import connect

NOW = datetime.datetime(2024, 3, 1, 9, 0, tzinfo=datetime.timezone.utc)


class ShipmentsTest(unittest.TestCase):
    def setUp(self):
        self.db = connect(":memory:")
        self.addCleanup(self.db.close)
        stock.receive(self.db, "bolt", 10)
        self.number = orders.create(self.db, "ann", [("bolt", 6)], now=NOW)

    def test_pick_and_ship(self):
        reservations.reserve(self.db, self.number, NOW)
        shipments.pick(self.db, self.number, NOW)
        self.assertEqual(stock.on_hand(self.db, "bolt"), 4)
        self.assertEqual(shipments.packing_list(self.db, self.number), [("A", "bolt", 6)])
        shipments.ship(self.db, self.number)
        with self.assertRaises(orders.WrongState):
            shipments.cancel(self.db, self.number)

    def test_cancel_puts_back(self):
        shipments.pick(self.db, self.number, NOW)
        shipments.cancel(self.db, self.number)
        self.assertEqual(stock.on_hand(self.db, "bolt"), 10)
        self.assertEqual(orders.get(self.db, self.number)["state"], orders.CANCELLED)
