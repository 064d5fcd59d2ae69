"""``equipoise report``: the same bytes as `compare` wrote, or one form of them on stdout."""

import json
from pathlib import Path

import pytest

from typed import typed


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    for name, shift in (("base", 0), ("new", 3)):
        rows = (
            {"unit": f"u{i}", "outcome": int((i * 7 + shift) % 10 < 5), "intent": f"i{i % 2}"}
            for i in range(60)
        )
        text = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    out = folder / "out"
    sources = (folder / "base.jsonl", folder / "new.jsonl")
    done = typed("compare", *sources, "--partition", "intent", "-o", out)
    assert done.code in {0, 1}, done.err
    return out


def test_writes_the_same_bytes_as_compare_did(compared: Path) -> None:
    report = compared / "report"
    before = {path.name: path.read_bytes() for path in report.iterdir()}
    assert set(before) == {"index.html", "report.md", "report.json", "junit.xml"}
    for path in report.iterdir():
        path.unlink()
    done = typed("report", compared)
    assert done.code == 0, done.err
    assert done.out.strip() == str(report / "index.html")
    assert {path.name: path.read_bytes() for path in report.iterdir()} == before


@pytest.mark.parametrize(
    ("form", "name"),
    [("html", "index.html"), ("md", "report.md"), ("json", "report.json"), ("junit", "junit.xml")],
)
def test_prints_one_form(compared: Path, form: str, name: str) -> None:
    done = typed("report", compared, "--format", form)
    assert done.code == 0
    assert done.out.encode() == (compared / "report" / name).read_bytes()


def test_a_folder_that_is_no_comparison_is_refused_with_the_mend(tmp_path: Path) -> None:
    done = typed("report", tmp_path)
    assert done.code == 2
    assert "comparison.json" in done.err
    assert "equipoise compare BASE NEW" in done.err
    assert "Traceback" not in done.err


def test_a_damaged_file_is_named(compared: Path, tmp_path: Path) -> None:
    for name in ("estimates.json", "verdicts.json"):
        (tmp_path / name).write_bytes((compared / name).read_bytes())
    (tmp_path / "comparison.json").write_text('{"terms": 7}')
    done = typed("report", tmp_path)
    assert done.code == 2
    assert "comparison.json" in done.err
    assert "Traceback" not in done.err


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_text("{}")
    done = typed("report", tmp_path / "runs.jsonl")
    assert done.code == 2
    assert "wanted: the folder of a comparison" in done.err
    assert "Traceback" not in done.err


def test_a_place_that_cannot_be_written_is_named(compared: Path, tmp_path: Path) -> None:
    for name in ("comparison.json", "estimates.json", "verdicts.json"):
        (tmp_path / name).write_bytes((compared / name).read_bytes())
    (tmp_path / "report").write_text("a file stands here")
    done = typed("report", tmp_path)
    assert done.code == 2
    assert "cannot go on while making" in done.err
    assert "Traceback" not in done.err
