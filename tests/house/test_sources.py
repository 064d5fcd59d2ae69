"""Every statistical method names where it comes from."""

import re
from pathlib import Path

import pytest

from house.tree import SOURCE, name_of

_CITED = re.compile(r"Source:|\b(?:18|19|20)\d\d\)|\b(?:18|19|20)\d\d,|section \d")
_NO_METHOD = {
    "__init__": "holds nothing",
    "inputs": "checks inputs",
    "estimates": "names the results",
    "choice_counts": "counts votes; the method is cited in choice",
    "choice_newton": "finds the maximum; the method is cited in choice",
    "critical": "gives quantiles of the normal distribution",
    "family_guard": "states a rule of the house, not a method of the literature",
    "reporting": "states the reporting rule, as declared",
}


@pytest.mark.parametrize("path", sorted(SOURCE.joinpath("stats").glob("*.py")), ids=name_of)
def test_a_method_names_its_source(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert bool(_CITED.search(text)) != (path.stem in _NO_METHOD and not _CITED.search(text))


def test_no_excuse_is_out_of_date() -> None:
    missing = [name for name in _NO_METHOD if not SOURCE.joinpath("stats", f"{name}.py").is_file()]
    assert missing == []
