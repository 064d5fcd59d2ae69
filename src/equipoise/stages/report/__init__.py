"""Gives the files of a report for a result: a page, Markdown, JSON and JUnit."""

from collections.abc import Mapping

from equipoise.records.result import Result
from equipoise.stages.report.junit import to_junit
from equipoise.stages.report.machine import to_json
from equipoise.stages.report.markdown import to_markdown
from equipoise.stages.report.page import to_html
from equipoise.stages.report.reading import read


def render(result: Result, heads: Mapping[str, str]) -> dict[str, bytes]:
    """Gives the files of the report, by name relative to ``report/``.

    Args:
        result: terms, estimates and verdicts of one comparison.
        heads: run id of an archive -> its head as it stands now; where it differs from the head the
            comparison cites, the page says so.

    Returns:
        ``index.html``, ``report.md``, ``report.json`` and ``junit.xml``. The bytes depend on the
        arguments alone: no clock, no path, no locale.
    """
    reading = read(result, heads)
    return {
        "index.html": to_html(reading),
        "report.md": to_markdown(reading),
        "report.json": to_json(reading),
        "junit.xml": to_junit(reading),
    }
