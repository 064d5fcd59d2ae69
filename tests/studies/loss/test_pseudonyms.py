"""Names stand in no quote, however the log writes them."""

import html
import json
import unicodedata
from collections.abc import Callable

import pytest

from equipoise.studies.loss.pseudonyms import pseudonymised
from every import for_every

NAMES = {"Jürgen Großmann": "Person A", "Jürgen": "Person C", "O'Brien": "Person B"}


@pytest.mark.requirement("E2E-07")
@for_every(
    "written",
    [
        str,
        json.dumps,
        lambda text: json.dumps(json.dumps(text)),
        html.escape,
        str.upper,
        str.lower,
        lambda text: json.dumps(text.upper()),
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.replace(" ", "\n  "),
        lambda text: text.encode("ascii", "xmlcharrefreplace").decode(),
        lambda text: text.replace("ü", "&uuml;").replace("ß", "&szlig;"),
    ],
)
@for_every("name", NAMES)
def test_e2e_07_a_name_is_replaced_however_it_is_written(
    written: Callable[[str], str], name: str
) -> None:
    shown = pseudonymised(f"to <{written(name)}>, 5 EUR", NAMES)
    assert shown.replace('\\"', "").replace('"', "") == f"to <{NAMES[name]}>, 5 EUR"


def test_other_text_stays_as_it_is() -> None:
    assert pseudonymised("Jurgen paid 5 EUR", NAMES) == "Jurgen paid 5 EUR"
    assert pseudonymised("Jürgen", {}) == "Jürgen"


@for_every("n", range(1, len("Jürgen Großmann") + 1))
def test_a_name_that_a_cut_goes_through_is_left_out(n: int) -> None:
    text = "no account of " + "Jürgen Großmann"[:n]
    shown = pseudonymised(text, NAMES, is_cut=True)
    assert shown.startswith("no account of ")
    assert "Jürg" not in shown
    assert "Groß" not in shown
    assert pseudonymised("no account at all", NAMES, is_cut=True) == "no account at all"
