"""The coverage certificate as a program: parts of it in small, and the page it writes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def certificate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.certificate", *arguments],
        cwd=_ROOT,
        env={"PYTHONPATH": "src", "PATH": "/usr/bin:/bin", "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_small_run_writes_the_same_page_twice(tmp_path: Path) -> None:
    pages = [tmp_path / "one.md", tmp_path / "two.md"]
    runs = [
        certificate(
            *["--quick", "--seed", "2", "--part"],
            "A/A worlds",
            "--out",
            str(page),
            "--processes",
            str(n),
        )
        for n, page in enumerate(pages, start=1)
    ]
    assert [run.returncode for run in runs] == [0, 0], runs[0].stdout + runs[0].stderr
    texts = [page.read_text(encoding="utf-8") for page in pages]
    assert texts[0] == texts[1]
    assert "**passed**" in texts[0]
    assert "paired t:" in texts[0]
    assert "[14/14]" in runs[0].stdout


@pytest.mark.slow
def test_a_bound_not_kept_is_named_and_ends_with_1(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    run = certificate("--quick", "--part", "power", "--seed", "3", "--out", str(page))
    text = page.read_text(encoding="utf-8")
    broken = text.split("## Out of bounds")[1:] if "## Out of bounds" in text else []
    assert run.returncode == (1 if broken else 0)
    assert ("**FAILED**" in text) == bool(broken)
    assert ("out of bounds: power" in run.stdout) == bool(broken)
    assert broken, "1,000 draws were thought to break a bound by chance"


def test_the_committed_certificate_is_of_a_full_run_that_passed() -> None:
    text = (_ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
    assert "result: **passed**" in text
    assert re.search(r"coverage 20,000, families 10,000", text)


@pytest.mark.slow
def test_the_whole_certificate_in_small(tmp_path: Path) -> None:
    run = certificate("--quick", "--out", str(tmp_path / "page.md"))
    assert re.search(r"\d+ numbers, \d+ out of bounds", run.stdout), run.stderr
