import datetime
import io
import os
import tempfile
import unittest

from tally import bank_csv
from tally.store import Store

D = datetime.date
EXPORT = """Booking date,Amount,Purpose
2024-03-01,-12.50,Bakery
01.03.2024,"1,200.00",Salary
"""


class BankCsvTest(unittest.TestCase):
    def test_read(self):
        self.assertEqual(
            list(bank_csv.read(io.StringIO(EXPORT))),
            [(D(2024, 3, 1), 1250, "Bakery"), (D(2024, 3, 1), -120000, "Salary")],
        )

    def test_bad_rows_name_their_line(self):
        with self.assertRaisesRegex(bank_csv.BadRow, "line 3"):
            list(bank_csv.read(io.StringIO("date,amount,text\n2024-03-01,1,a\n2024-03-xx,1,b\n")))

    def test_take_in(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(os.path.join(folder, "tally.jsonl"))
            self.assertEqual(bank_csv.take_in(store, io.StringIO(EXPORT)), (2, 0))
            self.assertEqual(len(store.entries), 2)
