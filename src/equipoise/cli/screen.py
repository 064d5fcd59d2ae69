"""Writes to the terminal as UTF-8, whatever the locale says and whatever stands in the text."""

import re

import click

_ESCAPED = r"\u{:04x}"


def write(text: str, *, to_stderr: bool = False) -> None:
    """Writes text for people; what would act on a terminal unseen is spelt out."""
    from equipoise.stages.report.text import visible_lines

    click.echo(_utf8(visible_lines(text)), nl=False, err=to_stderr)


def write_json(text: str) -> None:
    """Writes JSON that means the same; what would act on a terminal unseen is escaped in it."""
    from equipoise.records.unseen import UNSEEN

    click.echo(_utf8(re.sub(f"(?!\n){UNSEEN.pattern}", _escaped, text)), nl=False)


def _escaped(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(
        _ESCAPED.format(int.from_bytes(units[i : i + 2], "big")) for i in range(0, len(units), 2)
    )


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
