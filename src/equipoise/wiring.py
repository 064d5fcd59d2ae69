"""Names to adapters; the one place with late imports."""

from importlib import import_module
from pathlib import Path

from equipoise.errors import InputError, nearest
from equipoise.ports import LogReader

READERS: dict[str, tuple[str, str]] = {
    "table": (
        "equipoise.adapters.logs.table.reader:TableReader",
        "rows in JSONL, CSV or Parquet, gzip too; the mapping says which column is what",
    ),
    "inspect": (
        "equipoise.adapters.logs.inspect.reader:InspectReader",
        "Inspect AI logs, .eval and .json, one or a folder of them",
    ),
    "promptfoo": (
        "equipoise.adapters.logs.promptfoo.reader:PromptfooReader",
        "results of `promptfoo eval -o results.json`, rows counted",
    ),
    "claude-code": (
        "equipoise.adapters.logs.claude_code.reader:ClaudeCodeReader",
        "Claude Code session transcripts and event streams, one trial per session",
    ),
    "junit": ("equipoise.adapters.logs.junit:JUnitReader", "JUnit XML, one trial per test case"),
    "ldd": (
        "equipoise.adapters.logs.ldd.reader:LddReader",
        "traces of loss-driven development, one trial per session; bundles of skills",
    ),
}
"""Format -> (``module:attribute`` of its reader, what it reads in one line)."""

_TABLES = frozenset({"jsonl", "csv", "tsv", "parquet", "json", "yaml"})
"""Forms of a table; a mapping may name them as its ``format``."""


def reader(name: str) -> LogReader:
    """Gives the reader of a foreign format.

    Raises:
        InputError: there is no such format; the nearest is named.
    """
    if name in _TABLES:
        name = "table"
    if name not in READERS:
        raise InputError(
            f"no format {name!r}",
            wanted=f"one of {', '.join(READERS)}",
            mend=nearest(name, list(READERS)),
            code="unknown_format",
        )
    module, _, attribute = READERS[name][0].partition(":")
    made: LogReader = getattr(import_module(module), attribute)()
    return made


def detect(path: Path) -> str:
    """Gives the name of the format that the file or folder looks like; ``table`` if none other.

    Raises:
        UnreadableSource: there is nothing to look at.
    """
    found: str = import_module("equipoise.adapters.logs.sniffing").detect(path)
    return found
