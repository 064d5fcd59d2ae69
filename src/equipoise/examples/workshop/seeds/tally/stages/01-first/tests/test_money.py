import unittest

from tally import money


class MoneyTest(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(money.parse("4"), 400)
        self.assertEqual(money.parse("4.2"), 420)
        self.assertEqual(money.parse("4,25"), 425)
        self.assertEqual(money.parse("-1.05"), -105)

    def test_no_amount(self):
        for text in ("", "x", "1.234", "1.2.3", "--1"):
            with self.assertRaises(money.BadAmount):
                money.parse(text)

    def test_show(self):
        self.assertEqual(money.show(420), "4.20")
        self.assertEqual(money.show(5), "0.05")
        self.assertEqual(money.show(-105), "-1.05")


if __name__ == "__main__":
    unittest.main()
