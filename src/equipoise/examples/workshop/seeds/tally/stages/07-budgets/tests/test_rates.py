import datetime
import unittest

from tally.rates import NoRate, Rates

D = datetime.date


class RatesTest(unittest.TestCase):
    def test_newest_rate(self):
        rates = Rates()
        rates.set("USD", D(2024, 2, 1), 920000)
        rates.set("USD", D(2024, 1, 1), 900000)
        self.assertEqual(rates.rate("USD", D(2024, 1, 20)), 900000)
        self.assertEqual(rates.rate("USD", D(2024, 2, 1)), 920000)
        self.assertEqual(rates.to_home(1000, "USD", D(2024, 1, 2)), 900)
        with self.assertRaises(NoRate):
            rates.rate("USD", D(2023, 12, 31))
