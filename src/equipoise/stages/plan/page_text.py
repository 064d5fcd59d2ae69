"""Text and tables of a plan's page: Markdown in which nothing that a study says is markup."""

from collections.abc import Iterable, Sequence

_ESCAPED = str.maketrans({c: f"\\{c}" for c in "\\`*[]<>|#"} | {"\n": " ", "\r": " "})


def escaped(text: str) -> str:
    """Gives a text on one line, with what would be markup escaped."""
    return text.translate(_ESCAPED)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Gives the lines of a table; its cells are escaped."""
    lines = [_row(head), _row(["---"] * len(head))]
    return [*lines, *(_row([escaped(cell) for cell in row]) for row in rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
