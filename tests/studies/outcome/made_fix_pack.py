"""A small pack with a seed of three stages, a bug in it, and one scenario that is really proved."""

import json
from pathlib import Path
from typing import Any

import yaml

from studies.outcome.made_packs import diff_of, write

NAME = "i01-discount"
RIGHT = """\
# What a basket costs.
# TODO: currencies


def discount(total):
    \"\"\"Gives a tenth off from 100 on.\"\"\"
    if total >= 100:
        return total // 10
    return 0


def price(amounts):
    \"\"\"Gives the price of a basket.\"\"\"
    total = sum(amounts)
    return total - discount(total)
"""
GUARDED = RIGHT.replace(
    "    if total >= 100:\n", "    if total < 0:\n        return 0\n    if total >= 100:\n"
)
"""The reference: right, with a guard that no hidden test looks at."""
WRONG = RIGHT.replace("total >= 100", "total > 100")
FIRST = "def price(amounts):\n    return sum(amounts)\n"
OLD = (
    '"""Deprecated: use price."""\n\n\ndef priceOf(amounts):\n    text = "%d" % sum(amounts)\n'
    "    if not amounts:\n        return 0\n    number = int(text)\n    return number\n"
)
OWN = """\
import unittest

from till.basket import price


class BasketTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(price([1, 2]), 3)

    def test_large(self):
        self.assertEqual(price([100, 100]), 180)
"""
HEAD = "from till.basket import price\n\n\n"
EXPLICIT = HEAD + "def test_a_hundred_has_its_discount():\n    assert price([60, 40]) == 90\n"
IMPLICIT = HEAD + (
    "def test_in_many_parts():\n    assert price([10] * 10) == 90\n    assert price([99]) == 99\n"
)
RECIPE = {
    "name": "till",
    "commits": [
        {
            "stage": stage,
            "author": author,
            "at": f"2024-0{number}-01T10:00:00Z",
            "message": f"Stage {number}",
        }
        for number, (stage, author) in enumerate(
            [
                ("01-first", "Ann <ann@till.example>"),
                ("02-discount", "Bob <bob@till.example>"),
                ("03-old", "Ann <ann@till.example>"),
            ],
            start=1,
        )
    ],
    "bugs": [
        {
            "id": "edge",
            "pattern": "boundary",
            "replace": [
                {
                    "file": "till/basket.py",
                    "old": "    if total >= 100:",
                    "new": "    if total > 100:",
                }
            ],
        }
    ],
}
SCENARIO: dict[str, Any] = {
    "id": NAME,
    "answerType": "e2e-outcome",
    "kind": "fix",
    "seed": "till",
    "bug_id": "edge",
    "pattern": "boundary",
    "difficulty": "easy",
    "prompt": "A basket of exactly 100 has no discount. Please mend it.",
    "hidden_tests": {
        "explicit": ["explicit/test_explicit.py"],
        "implicit": ["implicit/test_implicit.py"],
    },
    "proofs": {
        "reference": "patches/reference.patch",
        "near_misses": ["patches/near-miss-1.patch"],
    },
}


def fix_pack(pack: Path) -> Path:
    """Writes the pack; it has no fault, and nothing of it is proved."""
    before = {"till/basket.py": WRONG}
    near = WRONG.replace("total > 100", "total > 98")
    place = f"fixtures/e2e/{NAME}"
    write(
        pack,
        {
            "pack.yaml": 'name: small\nversion: "1"\norigin: built\nseeds: [till]\n',
            "seeds/till/seed.yaml": yaml.safe_dump(RECIPE),
            "seeds/till/stages/01-first/till/__init__.py": "",
            "seeds/till/stages/01-first/till/basket.py": FIRST,
            "seeds/till/stages/01-first/tests/__init__.py": "",
            "seeds/till/stages/02-discount/till/basket.py": RIGHT,
            "seeds/till/stages/02-discount/tests/test_basket.py": OWN,
            "seeds/till/stages/03-old/till/old.py": OLD,
            "seeds/till/onboarding/.codestable/README.md": "# How work is done here\n",
            f"{place}/scenario.json": json.dumps(SCENARIO),
            f"{place}/hidden-tests/explicit/test_explicit.py": EXPLICIT,
            f"{place}/hidden-tests/implicit/test_implicit.py": IMPLICIT,
            f"{place}/patches/reference.patch": diff_of(before, {"till/basket.py": GUARDED}),
            f"{place}/patches/near-miss-1.patch": diff_of(before, {"till/basket.py": near}),
        },
    )
    return pack


def edit_json(pack: Path, **change: Any) -> None:
    """Changes keys of the scenario."""
    path = pack / "fixtures/e2e" / NAME / "scenario.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | change), encoding="utf-8")


def edit_text(path: Path, old: str, new: str) -> None:
    """Replaces a text in a file, in which it has to stand."""
    text = path.read_text(encoding="utf-8")
    assert old in text, (path, old)
    path.write_text(text.replace(old, new), encoding="utf-8")
