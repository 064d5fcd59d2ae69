"""The table of requirements claims nothing without a test, and no marked test is left out."""

from every import for_every
from house.requirement_marks import covered
from house.requirements_page import Row, rows


@for_every("row", rows(), ids=lambda row: row.identity)
def test_every_row_names_tests_that_are_marked_with_it(row: Row) -> None:
    assert row.says.endswith(".")
    assert row.tests
    assert set(row.tests) <= set(covered().get(row.identity, ())), "write it anew: make pages"


def test_every_marked_requirement_has_one_row() -> None:
    named = [row.identity for row in rows()]
    assert sorted(set(covered()) - set(named)) == [], "give it a sentence in docs/requirements.md"
    assert len(set(named)) == len(named)
