"""A reference is spoilt in many ways, each of which is a patch of the seed."""

import subprocess
from pathlib import Path

import pytest

from equipoise.studies.outcome.lints.mutants import mutants, spread
from equipoise.studies.outcome.lints.patches import with_file
from studies.outcome.made_packs import diff_of, write

NOW = {"a.py": 'def f(x):\n    """Doc."""\n    return x\n', "b.py": "Y = 1\n"}
RIGHT = {
    "a.py": (
        'def f(x):\n    """Doc, and more."""\n    if x > 3 and not x == 7:\n        x = x + 1\n'
        "        log(x)\n    return x\n"
    ),
    "b.py": "Y = 2\n",
    "c.py": "Z = True\n",
}
WAYS = {
    "a.py:3 and became or",
    "a.py:3 > became >=",
    "a.py:3 > became <",
    "a.py:3 == became !=",
    "a.py:3 a condition turned round",
    "a.py:3 a number one larger",
    "a.py:4 a statement left out",
    "a.py:4 + became -",
    "a.py:4 a number one larger",
    "a.py:5 a statement left out",
    "b.py:1 a number one larger",
    "c.py:1 True for False",
    "c.py:1 a statement left out",
}


def test_every_way_is_a_patch_that_fits_and_changes_one_thing(tmp_path: Path) -> None:
    made = mutants(NOW, RIGHT, diff_of(NOW, RIGHT))
    assert {f"{one.where} {one.what}" for one in made} >= WAYS
    undone = {one.where for one in made if one.what == "a change undone"}
    assert undone == {"a.py:2", "b.py:1", "c.py:1"}
    seen = set()
    for number, one in enumerate(made):
        folder = tmp_path / str(number)
        write(folder, NOW)
        apply = ["git", "apply", "--whitespace=nowarn", "-"]
        subprocess.run(apply, cwd=folder, input=one.from_seed, text=True, check=True)
        tree = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
        assert tree != RIGHT
        assert sum(tree.get(name) != text for name, text in RIGHT.items()) == 1
        seen.add(tuple(sorted(tree.items())))
    assert len(seen) == len(made)


def test_a_lone_change_is_not_undone_for_that_is_the_seed() -> None:
    right = {**NOW, "b.py": "Y = 2\n"}
    made = mutants(NOW, right, diff_of(NOW, {"b.py": "Y = 2\n"}))
    assert {one.what for one in made} == {"a number one larger", "a statement left out"}


def test_those_that_are_tried_are_spread_over_all_of_them() -> None:
    made = mutants(NOW, RIGHT, diff_of(NOW, RIGHT))
    tried = spread(made, 5)
    assert len(tried) == 5
    assert {one.where.partition(":")[0] for one in tried} >= {"a.py", "c.py"}
    assert spread(made, 1000) == made


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_file_without_a_last_line_end_is_written_as_git_does(tmp_path: Path, end: str) -> None:
    text = with_file("", "d.txt", "one\ntwo", f"one\nthree{end}")
    tmp_path.joinpath("d.txt").write_text("one\ntwo", encoding="ascii")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=text, text=True, check=True)
    assert tmp_path.joinpath("d.txt").read_text(encoding="ascii") == f"one\nthree{end}"
