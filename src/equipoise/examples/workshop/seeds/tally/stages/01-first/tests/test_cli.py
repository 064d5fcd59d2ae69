import datetime
import io
import os
import tempfile
import unittest

from tally.cli import main

TODAY = datetime.date(2024, 3, 15)


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "tally.jsonl")

    def run_it(self, *argv):
        out = io.StringIO()
        code = main(["--file", self.path, *argv], out=out, today=TODAY)
        return code, out.getvalue()

    def test_add_list_total(self):
        self.assertEqual(self.run_it("add", "4.20", "lunch", "--tag", "food"), (0, "added 1\n"))
        self.run_it("add", "10", "book")
        code, text = self.run_it("list")
        self.assertEqual(code, 0)
        self.assertIn("4.20  lunch #food", text)
        self.assertEqual(self.run_it("total"), (0, "14.20\n"))

    def test_remove(self):
        self.run_it("add", "4.20", "lunch")
        self.assertEqual(self.run_it("remove", "1"), (0, "removed 1\n"))
        self.assertEqual(self.run_it("remove", "1")[0], 1)
