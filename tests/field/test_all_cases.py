"""Every field case has a test here, or a reason why it waits for a study that runs something."""

import re
from pathlib import Path

from shared_data import shared

LATER = {
    "A6": "needs a reference solution to be run against hidden tests before any agent",
    "A7": "needs hidden tests to be run on the seed before the fix",
    "A8": "needs a seed repository and an agent working in it",
    "A12": "needs the same output judged again: judge repeats are a field of the judge study",
}


def test_every_case_is_tested_or_waits_with_a_reason() -> None:
    text = shared("spec", "field_cases.md").read_text(encoding="utf-8")
    cases = set(re.findall(r"^(A\d+) \*\*", text, re.MULTILINE))
    assert len(cases) == 28
    tested = {
        case
        for path in Path(__file__).parent.glob("test_*.py")
        for case in re.findall(r'requirement\("(A\d+)"\)', path.read_text(encoding="utf-8"))
    }
    assert tested | LATER.keys() == cases
    assert not tested & LATER.keys()
