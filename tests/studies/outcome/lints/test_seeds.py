"""Seeds that are no real small projects are measured, and told or refused."""

from pathlib import Path

import pytest

from equipoise.adapters.workspaces.recipe import Commit
from equipoise.adapters.workspaces.store import SeedStore
from equipoise.records.lint import SeedLint, faults_of
from equipoise.studies.outcome.lints.seeds import lint_seed
from equipoise.studies.outcome.lints.sources import drift, parsed, sources
from equipoise.wiring.probes import SeedProbes
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import write

TOY = "import numpy\nimport json\n\n\ndef one():\n    return numpy.ones(1)\n"
RED = "from toy.a import two\n\n\ndef test_two():\n    assert two() == 3\n"


def looked_at(tmp_path: Path, files: dict[str, str]) -> SeedLint:
    held = {name: text.encode() for name, text in files.items()}
    seed = SeedStore(tmp_path / "seeds").from_commits([Commit(message="All of it", files=held)])
    return lint_seed("toy", seed, SeedProbes())


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-04")
@pytest.mark.requirement("OUT-05")
@pytest.mark.requirement("OUT-06")
def test_a_toy_is_told_for_what_it_is(tmp_path: Path) -> None:
    lint = looked_at(tmp_path, {"toy.py": TOY, "tests/readme.txt": "none yet"})
    told = {one.code: one.message for one in lint.notices}
    assert set(told) == {
        "own_suite",
        "seed_size",
        "third_party",
        "thin_history",
        "short_history",
        "no_onboarding",
        "no_markers",
        "nothing_deprecated",
        "no_drift",
    }
    assert told["third_party"].endswith("the standard library: numpy (toy.py)")
    assert told["thin_history"].startswith("1 commit by 1 author; wanted: at least 3 by 2")
    assert faults_of(lint.notices) == (
        "seed toy: its own suite cannot be run: the seed has no file tests/**/*.py",
    )
    assert lint.facts.suite_s is None
    assert lint.facts.modules["toy.py"].coverage is None


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-04")
def test_a_seed_whose_own_suite_is_red_is_refused(tmp_path: Path) -> None:
    lint = looked_at(
        tmp_path,
        {
            "toy/__init__.py": "",
            "toy/a.py": "X = 1\nY = 2\n\n\ndef two():\n    if X:\n        return 2\n    return 1\n",
            "toy/b.py": "def off():\n    a = 1\n    b = 2\n    c = 3\n    return a + b + c\n",
            "tests/test_a.py": RED,
        },
    )
    (fault,) = faults_of(lint.notices)
    assert fault == "seed toy: its own suite is not green: tests/test_a.py::test_two"
    assert lint.facts.n_tests == 1
    coverage = {name: one.coverage for name, one in lint.facts.modules.items()}
    assert coverage["toy/b.py"] == 0.0
    assert 0.5 < (coverage["toy/a.py"] or 0) < 1.0


@pytest.mark.requirement("OUT-06")
def test_habits_that_differ_between_files_are_drift(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "old.py": "import os\n\n\ndef readAll(p):\n    return '%s' % os.path.join(p, 'a')\n",
            "new.py": (
                '"""New."""\n\nfrom pathlib import Path\n\n\n'
                "def read_all(p: Path) -> str:\n    return f'{p}'\n"
            ),
            "tests/test_old.py": "import unittest\n\n\nclass Old(unittest.TestCase):\n    pass\n",
            "tests/test_new.py": "def test_new():\n    pass\n",
        },
    )
    assert list(drift(sources(tmp_path))) == [
        "texts are put together by: % in 1, f-strings in 1",
        "annotations: left out in 1, written in 1",
        "names of functions: camelCase in 1, snake_case in 2",
        "paths: os.path in 1, pathlib in 1",
        "tests are: classes in 1, functions in 1",
    ]


def test_a_file_that_is_no_python_is_read_past(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "def (:\n", "b.py": "return 1\n", "c.py": "X = '\\d'\n"})
    tree = {one.path: one for one in sources(tmp_path)}
    assert parsed("def (:\n") is None
    assert tree["a.py"].runnable() == tree["b.py"].runnable() == frozenset()
    assert tree["c.py"].runnable() == {1}
