"""The report for programs: its own schema, the same verdicts and numbers as the result."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from equipoise.records.codec import decode
from equipoise.records.result import Result
from equipoise.stages.report import render
from equipoise.stages.report.machine import FORMAT, Counts, Summary, Told
from stages.report.extremes import HOSTILE, bare, hostile, large
from stages.report.samples import helpdesk


@pytest.mark.parametrize(
    "result",
    [helpdesk(), bare(), large(20, 2), hostile(HOSTILE["table"])],
    ids=["helpdesk", "bare", "large", "hostile"],
)
def test_follows_its_schema_and_reads_back(result: Result) -> None:
    data = render(result, {})["report.json"]
    jsonschema.validate(json.loads(data), msgspec.json.schema(Summary))
    assert decode(data, Summary).format == FORMAT


def test_holds_the_numbers_of_the_result_untouched() -> None:
    result = helpdesk()
    told = {t.id: t for t in decode(render(result, {})["report.json"], Summary).comparisons}
    assert set(told) == {c.id for c in result.estimates.comparisons}
    for comparison in result.estimates.comparisons:
        one = told[comparison.id]
        assert (one.delta, one.interval) == (comparison.delta, comparison.interval)
        assert one.not_estimable == comparison.not_estimable
    for verdict in result.verdicts:
        assert (told[verdict.comparison].word, told[verdict.comparison].tags) == (
            verdict.word,
            verdict.tags,
        )


def test_each_comparison_says_where_its_section_is() -> None:
    files = render(helpdesk(), {})
    page = files["index.html"].decode()
    for told in decode(files["report.json"], Summary).comparisons:
        name, _, anchor = told.anchor.partition("#")
        assert name == "index.html"
        assert f'<details id="{anchor}"' in page


@pytest.mark.parametrize("kind", [Summary, Counts, Told])
def test_every_field_is_documented(kind: type[msgspec.Struct]) -> None:
    page = Path(__file__).parents[3].joinpath("docs", "reference", "report.md").read_text("utf-8")
    for field in msgspec.structs.fields(kind):
        name = f"counts.{field.encode_name}" if kind is Counts else field.encode_name
        assert f"`{name}`" in page or field.encode_name == "counts", name
