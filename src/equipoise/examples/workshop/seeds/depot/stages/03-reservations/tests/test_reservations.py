import datetime
import unittest

from depot import orders, reservations, stock
from depot.db import connect

NOW = datetime.datetime(2024, 3, 1, 9, 0, tzinfo=datetime.timezone.utc)
HOUR = datetime.timedelta(hours=1)


class ReservationsTest(unittest.TestCase):
    def setUp(self):
        self.db = connect(":memory:")
        self.addCleanup(self.db.close)
        stock.receive(self.db, "bolt", 10)
        self.number = orders.create(self.db, "ann", [("bolt", 6)], now=NOW)

    def test_held_goods_are_not_available(self):
        reservations.reserve(self.db, self.number, NOW)
        self.assertEqual(reservations.available(self.db, "bolt", NOW), 4)
        other = orders.create(self.db, "bob", [("bolt", 5)], now=NOW)
        with self.assertRaises(stock.NotEnough):
            reservations.reserve(self.db, other, NOW)

    def test_a_hold_ends(self):
        reservations.reserve(self.db, self.number, NOW, hold=HOUR)
        self.assertEqual(reservations.available(self.db, "bolt", NOW + 2 * HOUR), 10)
        self.assertEqual(reservations.expire(self.db, NOW + 2 * HOUR), [self.number])
