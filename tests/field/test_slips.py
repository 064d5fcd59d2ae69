"""Slips of a first user: each is named with its mend, and none ends in a verdict."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.made_comparison import run


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _pair(folder: Path) -> tuple[Path, Path]:
    rows = [{"task_name": f"t{i}", "ok": i % 2 == 0, "topic": "ab"[i % 2]} for i in range(40)]
    return _write(folder / "before.jsonl", rows), _write(folder / "after.jsonl", rows)


def test_naming_unit_and_outcome_leaves_the_arms_recognised(tmp_path: Path) -> None:
    """Four models in one file are four arms, never repetitions of one."""
    rows = [
        {"task": f"t{i}", "fine": (i + m) % 3 > 0, "model": f"m{m}"}
        for i in range(60)
        for m in range(4)
    ]
    path = _write(tmp_path / "arms.jsonl", rows)
    named = ("--unit", "task", "--set", "outcome=fine", "--baseline", "m0")
    code, out, err = run("compare", path, *named, "-o", tmp_path / "o")
    assert code == 0, err
    assert all(f"{arm}: " in out for arm in ("m1", "m2", "m3"))
    assert "60 units in both" in out


def test_naming_unit_and_outcome_leaves_the_status_recognised(tmp_path: Path) -> None:
    def rows(n_errors: int) -> list[dict[str, Any]]:
        return [
            {"task": f"t{i}", "fine": i % 3 > 0, "status": "api_error" if i < n_errors else "ok"}
            for i in range(60)
        ]

    files = (_write(tmp_path / "a.jsonl", rows(2)), _write(tmp_path / "b.jsonl", rows(3)))
    _, out, _ = run(
        "compare", *files, "--unit", "task", "--set", "outcome=fine", "-o", tmp_path / "o"
    )
    assert "missing in a: 2 of 60 (2 infrastructure_error)" in out
    assert "missing in b: 3 of 60 (3 infrastructure_error)" in out


@pytest.mark.parametrize(
    ("options", "slip", "meant"),
    [
        (("--unit", "taskname", "--set", "outcome=ok"), "taskname", "task_name"),
        (("--unit", "task_name", "--set", "outcome=okay"), "okay", "ok"),
        (("--partition", "topics"), "topics", "topic"),
    ],
)
def test_a_misspelt_column_is_named_with_the_nearest(
    tmp_path: Path, options: tuple[str, ...], slip: str, meant: str
) -> None:
    code, out, err = run("compare", *_pair(tmp_path), *options, "-o", tmp_path / "o")
    assert code == 2
    assert f"there is no column '{slip}'" in err
    assert f"did you mean '{meant}'" in err
    assert out == ""


def test_percent_scores_are_one_reason_with_one_mend(tmp_path: Path) -> None:
    rows = [{"id": f"t{i}", "score": 40.5 + i / 10} for i in range(300)]
    files = (_write(tmp_path / "a.jsonl", rows), _write(tmp_path / "b.jsonl", rows))
    code, out, _ = run("compare", *files, "-o", tmp_path / "o")
    assert code == 5
    assert out.count("outside the scale") < 8
    assert "scale=[0,100]" in out
    assert len(out) < 3000
    code, out, _ = run("compare", *files, "--set", "scale=[0,100]", "-o", tmp_path / "o2")
    assert code == 0
    assert "0.5545" in out


def test_a_missing_second_file_leaves_no_folder_and_names_its_neighbour(tmp_path: Path) -> None:
    before, _ = _pair(tmp_path)
    code, _, err = run("compare", before, tmp_path / "aftr.jsonl", "-o", tmp_path / "o")
    assert code == 2
    assert "did you mean 'after.jsonl'" in err
    assert not (tmp_path / "o").exists()


def test_a_line_that_cannot_be_read_is_told_with_file_and_line(tmp_path: Path) -> None:
    before, after = _pair(tmp_path)
    after.write_text(after.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    _, out, _ = run("compare", before, after, "-o", tmp_path / "o")
    assert "not read: " in out
    assert "after.jsonl:41" in out


def test_another_comparison_in_the_same_folder_is_told_and_what_is_left_is_named(
    tmp_path: Path,
) -> None:
    before, after = _pair(tmp_path)
    half = _write(tmp_path / "half.jsonl", [{"task_name": "t0", "ok": True}] * 1)
    out = tmp_path / "o"
    assert run("compare", before, after, "-o", out)[2] == ""
    assert run("compare", before, after, "-o", out)[2] == ""
    assert "it is replaced" in run("compare", before, half, "-o", out)[2]
    code, told, _ = run("verify", out)
    assert code == 0
    assert "is no part of this comparison" in told
    assert "archives/after-" in told
