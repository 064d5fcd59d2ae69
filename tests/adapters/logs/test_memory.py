"""Readers stream: ten times the input takes hardly more memory, in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_READ = """
import resource, sys
from pathlib import Path
from equipoise.wiring import reader
n = sum(1 for _ in reader(sys.argv[1]).read(Path(sys.argv[2]), {}))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(n, peak // (1024 * 1024 if sys.platform == "darwin" else 1024))
"""


def read(form: str, path: Path) -> tuple[int, int]:
    """How many readings came, and the largest memory of the process in MB."""
    done = subprocess.run(
        [sys.executable, "-c", _READ, form, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[3] / "src")},
    )
    n, peak = done.stdout.split()
    return int(n), int(peak)


def write(path: Path, lines: Iterator[str]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)
    return path


def rows(n: int) -> Iterator[str]:
    return (f'{{"unit": "u{i}", "arm": "a", "outcome": {i % 2}, "cost": 0.5}}\n' for i in range(n))


def session(n: int) -> Iterator[str]:
    """A transcript of n answers of some 20 kB each, every one written in two lines."""
    text = "x" * 10_000
    for i in range(2 * n):
        usage = {"input_tokens": 1, "output_tokens": 2}
        message = {"id": f"m{i // 2}", "usage": usage, "content": [{"type": "text", "text": text}]}
        yield json.dumps({"type": "assistant", "sessionId": "s", "message": message}) + "\n"


def test_a_table_is_never_held_whole(tmp_path: Path) -> None:
    _, small = read("table", write(tmp_path / "small.jsonl", rows(4_000)))
    n, large = read("table", write(tmp_path / "large.jsonl", rows(40_000)))
    assert n >= 80_000
    assert large - small < 12, "40,000 trials held in memory would take some 40 MB"


def test_a_json_array_is_never_held_whole(tmp_path: Path) -> None:
    def array(n: int) -> Iterator[str]:
        yield "["
        for i, row in enumerate(rows(n)):
            yield row if i == 0 else f",{row}"
        yield "]"

    _, small = read("table", write(tmp_path / "small.json", array(4_000)))
    n, large = read("table", write(tmp_path / "large.json", array(30_000)))
    assert n >= 60_000
    assert large - small < 12


def test_a_transcript_of_60_mb_is_never_held_whole(tmp_path: Path) -> None:
    _, small = read("claude-code", write(tmp_path / "small.jsonl", session(100)))
    path = write(tmp_path / "large.jsonl", session(3_000))
    assert path.stat().st_size > 60_000_000
    _, large = read("claude-code", path)
    assert large - small < 20
