import unittest

from depot import prices
from depot.db import connect


class PricesTest(unittest.TestCase):
    def setUp(self):
        self.db = connect(":memory:")
        self.addCleanup(self.db.close)
        prices.set_price(self.db, "bolt", 10)
        prices.set_price(self.db, "bolt", 8, from_quantity=100)

    def test_unit_price(self):
        self.assertEqual(prices.unit_price(self.db, "bolt", 5), 10)
        self.assertEqual(prices.unit_price(self.db, "bolt", 250), 8)
        with self.assertRaises(prices.NoPrice):
            prices.unit_price(self.db, "nut", 1)

    def test_total(self):
        self.assertEqual(
            prices.total(self.db, {"bolt": 50}, tax=20), {"net": 500, "tax": 100, "gross": 600}
        )
