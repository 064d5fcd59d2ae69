"""Drives of the help desk for its tests, and how their rows are read."""

import json
from pathlib import Path
from typing import Any

from equipoise.examples.helpdesk.drive.driver import Drive, drive

Row = dict[str, Any]


def rows_of(folder: Path) -> list[Row]:
    """The rows of a finished drive."""
    text = (folder / "runs.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def driven(
    out: Path, release: int, *, units: int = 900, desks: int = 4, own_dice: bool = False
) -> list[Row]:
    """Drives a release for real and gives its rows."""
    what = Drive(release=release, out=out, units=units, desks=desks, own_dice=own_dice)
    assert drive(what).runs == out / "runs.jsonl"
    return rows_of(out)


def without(rows: list[Row], *keys: str) -> list[Row]:
    """The rows without some of their columns, in findings as well."""
    slim = [{k: v for k, v in row.items() if k not in keys} for row in rows]
    for row in slim:
        row["findings"] = [{k: v for k, v in f.items() if k not in keys} for f in row["findings"]]
    return slim


def answered(rows: list[Row]) -> dict[tuple[str, int], Row]:
    """The completed trials by unit and repetition."""
    return {(r["unit"], r["repetition"]): r for r in rows if r["status"] == "completed"}
