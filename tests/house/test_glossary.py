"""The glossary has every noun of ``records``, and no noun that is not there any more."""

import inspect
import re
from importlib import import_module
from pkgutil import iter_modules

import equipoise.records
from every import for_every
from house.documents import ROOT

_GLOSSARY = ROOT.joinpath("docs", "glossary.md").read_text(encoding="utf-8")
_ROWS = [
    [cell.strip() for cell in line[1:-1].split("|")]
    for line in _GLOSSARY.splitlines()
    if line.startswith("| ") and not line.startswith(("| ---", "| word"))
]
_RECORDS = sorted(
    name
    for entry in iter_modules(equipoise.records.__path__)
    for name, kind in inspect.getmembers(
        import_module(f"equipoise.records.{entry.name}"), inspect.isclass
    )
    if kind.__module__ == f"equipoise.records.{entry.name}" and not name.startswith("_")
)


@for_every("record", _RECORDS)
def test_every_record_is_in_the_glossary(record: str) -> None:
    assert f"`{record}`" in _GLOSSARY


def test_no_row_names_a_record_that_is_not_there() -> None:
    named = {name for row in _ROWS for name in re.findall(r"`(\w+)`", row[2])}
    assert named <= set(_RECORDS)


def test_each_word_is_explained_once() -> None:
    words = [row[0] for row in _ROWS]
    assert len(set(words)) == len(words)
    assert all(len(row) == 4 and row[1] for row in _ROWS)
