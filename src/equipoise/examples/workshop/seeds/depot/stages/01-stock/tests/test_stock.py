import unittest

from depot import stock
from depot.db import connect


class StockTest(unittest.TestCase):
    def setUp(self):
        self.db = connect(":memory:")
        self.addCleanup(self.db.close)

    def test_receive(self):
        stock.receive(self.db, "bolt", 5)
        stock.receive(self.db, "bolt", 3, bin="B")
        self.assertEqual(stock.on_hand(self.db, "bolt"), 8)
        self.assertEqual(stock.listing(self.db), [("bolt", 8)])

    def test_take_from_the_fullest_bins(self):
        stock.receive(self.db, "bolt", 5)
        stock.receive(self.db, "bolt", 3, bin="B")
        self.assertEqual(stock.take(self.db, "bolt", 6), {"A": 5, "B": 1})
        self.assertEqual(stock.on_hand(self.db, "bolt"), 2)

    def test_not_enough(self):
        stock.receive(self.db, "bolt", 5)
        with self.assertRaises(stock.NotEnough):
            stock.take(self.db, "bolt", 6)
        self.assertEqual(stock.on_hand(self.db, "bolt"), 5)
