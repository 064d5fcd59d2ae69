"""The check `dom` finds elements of a page by a CSS selector."""

import subprocess
import sys
from typing import Any

import pytest

from equipoise.errors import InputError
from equipoise.records.grade import Grade
from every import for_every
from stages.grade.made_catalogs import catalog, category
from stages.grade.made_material import grade, material, quotes

PAGE = """<!doctype html>
<html><body class="a">
<p id="total">Total: <b>12,90 €</b></p>
<ul><li class="error">Payment failed</li><li class="error">Übertrag fehlt</li><li>fine</li></ul>
</body></html>
"""


def worth(selector: str, page: str = PAGE, **fields: Any) -> Grade:
    expected = fields.pop("expected", {})
    check = {"dom": {"document": "page.html", "selector": selector} | fields}
    return grade(check, material({"page.html": page}, expected=expected), max=4)


def test_an_element_is_the_fault_and_its_line_is_quoted() -> None:
    given = worth("li.error")
    assert given.value == 0.25
    assert quotes(given)[0][:2] == ("page.html", 4)
    assert "Payment failed" in quotes(given)[0][2]


@for_every(
    "selector, fields, value",
    [
        ("li.error", {"count": True}, 0.5),
        ("li.warning", {}, 0),
        ("#total", {"lost_when": "absent"}, 0),
        ("#sum", {"lost_when": "absent"}, 0.25),
        ("#total", {"lost_when": "absent", "text": "{expected.total}"}, 0),
        ("#total", {"lost_when": "absent", "text": "{expected.other}"}, 0.25),
        ("#{expected.id}", {"lost_when": "absent"}, 0),
        ("#total > b", {"text": "^12,90 €$"}, 0.25),
        ("#total", {"text": "{expected.nothing}"}, None),
    ],
)
def test_presence_and_absence(selector: str, fields: dict[str, Any], value: float | None) -> None:
    expected = {"total": "12,90 €", "other": "12.90 €", "id": "total"}
    given = worth(selector, expected=expected, **fields)
    assert given.value == value
    assert value in {None, 0} or given.evidence


def test_an_element_in_a_long_line_is_quoted_from_its_tag_on() -> None:
    given = worth("b", "<p>" + "ä" * 900 + "<b>wrong</b>" + "ö" * 900)
    assert quotes(given)[0][2].startswith("<b>wrong</b>ö")


def test_a_faulty_selector_is_refused_with_the_catalog() -> None:
    with pytest.raises(InputError, match=r"check\.dom: no CSS selector"):
        catalog(category(check={"dom": {"document": "p", "selector": "li["}}))


def test_a_page_that_is_none_or_too_deep_has_no_traceback() -> None:
    assert worth("b", "").value == 0
    assert worth("b", "\x00<b").value in {0, 0.25}
    assert worth("b", "<b>" * 1500).evidence


@pytest.mark.requirement("E2E-52")
def test_e2e_52_without_the_libraries_only_this_check_is_not_evaluable() -> None:
    code = """
import sys
sys.modules["bs4"] = None
sys.path.insert(0, "tests")
from stages.grade.made_material import grade, material
made = material({"page.html": "<b>x</b>"})
print(grade({"dom": {"document": "page.html", "selector": "b"}}, made).not_evaluable)
print(grade({"regex": {"document": "page.html", "pattern": "x"}}, made).value)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lost, fine = done.stdout.splitlines()
    assert lost == (
        "unbewertbar: beautifulsoup4 is not installed; mend: pip install 'equipoise[browser]'"
    )
    assert fine == "1.0"
