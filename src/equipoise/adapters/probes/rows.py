"""Rows that a query gives, kept as JSON Lines, or the reason why there are none to keep."""

import base64
from typing import Any

import msgspec

MOST_ROWS = 10_000


class Unseen(Exception):
    """Why a probe saw nothing that could be kept."""


def as_lines(columns: list[str], rows: list[Any]) -> bytes:
    """Gives rows as JSON Lines; bytes become ``{"base64": "..."}``.

    Raises:
        Unseen: the query gives no rows at all, too many, or two columns of one name.
    """
    if not columns:
        raise Unseen("the query gives no rows; mend: write a SELECT")
    if len(set(columns)) < len(columns):
        raise Unseen(f"two columns of one name in {', '.join(columns)}; mend: rename with AS")
    if len(rows) > MOST_ROWS:
        raise Unseen(f"more than {MOST_ROWS} rows; mend: let the query choose those of :trial")
    return b"".join(
        _LINE.encode({c: _kept(v) for c, v in zip(columns, row, strict=True)}) + b"\n"
        for row in rows
    )


def _kept(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return {"base64": base64.b64encode(value).decode()}
    return value


_LINE = msgspec.json.Encoder(enc_hook=str)
