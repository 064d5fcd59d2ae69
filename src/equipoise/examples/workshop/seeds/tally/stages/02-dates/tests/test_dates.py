import datetime
import unittest

from tally.dates import Period, add_months

D = datetime.date


class DatesTest(unittest.TestCase):
    def test_add_months(self):
        self.assertEqual(add_months(D(2024, 1, 15), 1), D(2024, 2, 15))
        self.assertEqual(add_months(D(2024, 1, 31), 1), D(2024, 2, 29))
        self.assertEqual(add_months(D(2024, 11, 3), 3), D(2025, 2, 3))
        self.assertEqual(add_months(D(2024, 3, 3), -3), D(2023, 12, 3))

    def test_periods(self):
        march = Period.parse("2024-03")
        self.assertEqual(str(march), "2024-03-01..2024-03-31")
        self.assertEqual(march.days(), 31)
        self.assertIn(D(2024, 3, 15), march)
        self.assertNotIn(D(2024, 4, 2), march)
        self.assertEqual(Period.parse("2024").days(), 366)

    def test_no_period(self):
        for text in ("", "march", "2024-13", "2024-03-09..2024-03-01"):
            with self.assertRaises(ValueError):
                Period.parse(text)
