"""Every statistical method names where it comes from, or stands on one that does."""

import re
from pathlib import Path

from every import for_every
from house.tree import SOURCE, name_of

_STATS = SOURCE / "stats"
_CITED = re.compile(r"Source:|\b(?:18|19|20)\d\d\)|\b(?:18|19|20)\d\d,|section \d")
_STANDS_ON = re.compile(r"^from equipoise\.stats\.(\w+) import", re.MULTILINE)
_NO_METHOD = {
    "__init__": "holds nothing",
    "inputs": "checks inputs",
    "estimates": "names the results",
    "choice_counts": "counts votes; the method is cited in choice",
    "choice_newton": "finds the maximum; the method is cited in choice",
    "critical": "gives quantiles of the normal distribution",
    "family_guard": "states a rule of the house, not a method of the literature",
}


@for_every("path", sorted(_STATS.glob("*.py")), ids=name_of)
def test_a_method_names_its_source(path: Path) -> None:
    if path.stem in _NO_METHOD:
        return
    texts = [path.read_text(encoding="utf-8")]
    texts += [
        _STATS.joinpath(f"{name}.py").read_text(encoding="utf-8")
        for name in _STANDS_ON.findall(texts[0])
        if name not in _NO_METHOD
    ]
    assert any(_CITED.search(text) for text in texts)


def test_no_excuse_is_out_of_date() -> None:
    missing = [name for name in _NO_METHOD if not _STATS.joinpath(f"{name}.py").is_file()]
    assert missing == []
