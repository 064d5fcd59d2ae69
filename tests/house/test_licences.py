"""Whoever installs the package gets no licence that binds their own work."""

import re
import tomllib
from importlib.metadata import Distribution, distribution

import pytest
from packaging.requirements import Requirement

from house.documents import ROOT

_BINDING = re.compile(
    r"\b(?:A|L)?GPL|General Public License|Affero|SSPL|Commons Clause", re.IGNORECASE
)
_KNOWN = re.compile(
    r"MIT|BSD|Apache|PSF|Python Software Foundation|ISC|MPL|Zlib|CC0", re.IGNORECASE
)


def test_the_whole_tree_of_runtime_dependencies_is_permissive() -> None:
    tree = _tree(_declared())
    assert {"numpy", "duckdb", "click"} <= tree.keys()
    for name, licence in tree.items():
        assert _KNOWN.search(licence), f"{name}: what licence is {licence!r}?"
        assert not _BINDING.search(licence), f"{name}: {licence}"


def _declared() -> list[str]:
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]
    wanted: list[str] = project["dependencies"]
    return wanted


def _tree(wanted: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    left = list(wanted)
    while left:
        one = Requirement(left.pop())
        if one.name in found or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        held = distribution(one.name)
        found[one.name] = _licence(held)
        left += held.requires or []
    return found


def _licence(held: Distribution) -> str:
    metadata = held.metadata
    said = [metadata["License-Expression"]] if "License-Expression" in metadata else []
    said += [c for c in metadata.get_all("Classifier") or [] if c.startswith("License ::")]
    if not said and "License" in metadata:
        said = [metadata["License"].splitlines()[0]]
    return "; ".join(said)


@pytest.mark.parametrize("text", ["GNU General Public License v3 (GPLv3)", "LGPL-3.0", "AGPL-3.0"])
def test_binding_licences_are_recognised(text: str) -> None:
    assert _BINDING.search(text)
