"""The hidden tests: copied to a place that nobody can guess, beside tests that must fail."""

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import InputError
from equipoise.ports.suites import hash_of

_CANARY = '''\
"""Tests that must fail: where one does not, no outcome of this run can be believed."""

import unittest

import pytest


def test_two_numbers():
    assert 1 == 2


def test_two_texts():
    assert "a" + "b" == "ba"


def test_by_hand():
    pytest.fail("by hand")


class TestClass(unittest.TestCase):
    def test_method(self):
        self.assertEqual([1], [2])
'''

N_CANARIES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenFiles:
    """A copy of hidden tests; `sha256` is over names and contents of the original."""

    folder: Path
    canary: str
    sha256: str


def hidden_copy(source: Path, work: Path) -> HiddenFiles:
    """Copies hidden tests below `work`, and adds the tests that must fail.

    Raises:
        InputError: there is no such folder, or no test file in it.
    """
    if not source.is_dir() or not any(source.rglob("*.py")):
        raise InputError(
            f"{source} holds no tests", wanted="a folder with test files", code="no_hidden_tests"
        )
    folder = work / secrets.token_hex(16)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    canary = f"test_{secrets.token_hex(8)}"
    sha256 = hash_of(folder)
    folder.joinpath(f"{canary}.py").write_text(_CANARY, encoding="utf-8")
    return HiddenFiles(folder=folder, canary=canary, sha256=sha256)
