"""Whatever a result lacks, the report stands: no crash, no blank cell, no 'None', no 'nan'."""

import re
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import msgspec

from equipoise.records import estimate as estimate_records
from equipoise.records.estimate import (
    ArmEstimate,
    Comparison,
    Flaky,
    Missing,
    Resource,
    UnitLine,
    UnitSets,
)
from equipoise.records.result import Estimates, HeadlineCheck, Result
from equipoise.records.verdict import Verdict
from equipoise.stages.report import render
from every import for_every
from stages.report.pages import page_of
from stages.report.samples import helpdesk

_KINDS: tuple[type[msgspec.Struct], ...] = (
    ArmEstimate,
    Comparison,
    Flaky,
    Missing,
    Resource,
    UnitLine,
    UnitSets,
    HeadlineCheck,
    Verdict,
    Estimates,
)


def _emptied(kind: type[msgspec.Struct]) -> Iterator[tuple[str, Any]]:
    """Each field of the kind that may be empty, with the emptiest value it may have."""
    hints = get_type_hints(kind, vars(estimate_records) | vars(msgspec))
    for field in msgspec.structs.fields(kind):
        if type(None) in get_args(hints[field.name]):
            yield field.name, None
        elif field.default is not msgspec.NODEFAULT and not field.default:
            yield field.name, field.default
        elif str(hints[field.name]).startswith("tuple"):
            yield field.name, ()


def _without(node: Any, kind: type[msgspec.Struct], name: str, value: Any) -> Any:
    """The same tree of records, with the field emptied in every record of the kind."""
    if isinstance(node, tuple):
        return tuple(_without(item, kind, name, value) for item in node)
    if not isinstance(node, msgspec.Struct):
        return node
    changes = {
        field.name: _without(getattr(node, field.name), kind, name, value)
        for field in msgspec.structs.fields(type(node))
    }
    if isinstance(node, kind):
        changes[name] = value
    return msgspec.structs.replace(node, **changes)


_CASES = [(kind, name, value) for kind in _KINDS for name, value in _emptied(kind)]


@for_every("kind, name, value", _CASES)
def test_any_field_may_be_empty(kind: type[msgspec.Struct], name: str, value: Any) -> None:
    result = _without(helpdesk(), kind, name, value)
    assert isinstance(result, Result)
    files = render(result, {})
    page = page_of(files["index.html"])
    for cell in page.all("td", "th"):
        assert cell.words().strip() or cell.all("svg")
    for form in ("index.html", "report.md", "junit.xml"):
        words = page.words() if form == "index.html" else files[form].decode()
        assert not re.search(r"\b(None|nan|inf)\b", words), form
