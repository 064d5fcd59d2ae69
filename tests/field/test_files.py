"""Field cases of files: torn, huge, in the way, in any language, counted twice."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from field.runs import SOURCE, both, process, write_rows
from packs.product import compare, run

WORDS = "退款 возврат かえす 🧾 naïve"
TOKENS = {"input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


@pytest.mark.requirement("A3")
def test_a3_a_torn_last_line_costs_that_line_and_is_told(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "runs.jsonl", both([1, 0] * 20))
    source.write_bytes(source.read_bytes()[:-25])
    made = compare(tmp_path / "out", source, "--baseline", "base")
    assert made.arm("base")["n_units"] == 40
    assert made.arm("new")["n_units"] == 39
    lost = [n for n in made.estimates["notices"] if n.get("severity") == "lost"]
    assert len(lost) == 1
    assert "runs.jsonl:80" in lost[0]["where"]
    assert lost[0]["message"] in made.told.out


@pytest.mark.requirement("A3")
def test_a3_a_full_disk_leaves_no_half_archive_and_says_so(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "runs.jsonl", both([1, 0] * 5_000))
    mapping = tmp_path / "m.yaml"
    mapping.write_text("unit: unit\narm: arm\noutcome: outcome\n")
    done = process("import", "table", source, "--map", mapping, "-o", "made",
                   cwd=tmp_path, before="ulimit -f 600")  # fmt: skip
    assert done.code == 3
    assert "disk full" in done.err.lower() or "no space" in done.err.lower()
    assert not (tmp_path / "made").exists()
    again = process("import", "table", source, "--map", mapping, "-o", "made", cwd=tmp_path)
    assert again.code == 0, "nothing stands in the way of a second try"


@pytest.mark.requirement("A4")
def test_a4_two_runs_of_the_same_second_never_share_a_name(tmp_path: Path) -> None:
    one = write_rows(tmp_path / "a" / "runs.jsonl", both([1, 0]))
    two = write_rows(tmp_path / "b" / "runs.jsonl", both([0, 1]))
    for source in (one, two, one):
        assert process("import", "table", source, cwd=tmp_path).code == 0
    assert len(list((tmp_path / "archives").iterdir())) == 2
    head = next((tmp_path / "archives").glob("*/head.json")).read_bytes()
    taken = process("import", "table", two, "-o", next((tmp_path / "archives").iterdir()),
                    cwd=tmp_path)  # fmt: skip
    other = process("import", "table", one, "-o", next((tmp_path / "archives").iterdir()),
                    cwd=tmp_path)  # fmt: skip
    assert sorted([taken.code, other.code]) == [0, 2], "one of them is in the way of the other"
    assert "nothing is ever overwritten" in taken.err + other.err
    assert next((tmp_path / "archives").glob("*/head.json")).read_bytes() == head


@pytest.mark.requirement("A5")
def test_a5_a_huge_transcript_is_streamed_and_the_report_stays_small(tmp_path: Path) -> None:
    rows = both([1, 0] * 10)
    rows[0]["transcript"] = "tool call " * 6_000_000
    rows[1]["transcript"] = [{"tool": "bash", "id": i, "out": "ok"} for i in range(7_000)]
    source = write_rows(tmp_path / "runs.jsonl", rows)
    assert source.stat().st_size > 60_000_000
    mapping = tmp_path / "m.yaml"
    mapping.write_text("unit: unit\narm: arm\noutcome: outcome\n")
    words = ["compare", source, "--map", mapping, "--baseline", "base", "-o", "out"]
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, *map(str, words)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out" / "estimates.json").read_text())["arms"][0]["n_units"] == 20
    assert (tmp_path / "out" / "report" / "index.html").stat().st_size < 2_000_000
    peak_mb = int(done.stderr.rsplit("peak ", 1)[1]) / 1024
    assert 20 < peak_mb < 900


_WATCHED = """\
import resource, subprocess, sys
code = subprocess.run([sys.executable, "-m", "equipoise", *sys.argv[1:]]).returncode
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.requirement("A16")
def test_a16_tokens_are_counted_once_per_message(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"type": "user", "sessionId": "s1", "uuid": "u0", "timestamp": "2026-01-01T00:00:00Z",
         "message": {"role": "user", "content": "fix it"}}
    ]  # fmt: skip
    for i, out in enumerate((1, 1, 250)):
        lines.append({
            "type": "assistant", "sessionId": "s1", "uuid": f"a{i}",
            "timestamp": f"2026-01-01T00:00:0{i + 1}Z",
            "message": {
                "id": "msg_1", "role": "assistant", "model": "m", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": f"part {i}"}],
                "usage": TOKENS | {"output_tokens": out},
            },
        })  # fmt: skip
    source = write_rows(tmp_path / "sessions" / "s1.jsonl", lines)
    told = run("import", "claude-code", source.parent, "-o", tmp_path / "made", "--json")
    assert told.code == 0, told.err
    trials = (tmp_path / "made" / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    (usage,) = (json.loads(line)["body"]["usage"] for line in trials)
    assert (usage["input_tokens"], usage["output_tokens"]) == (100, 250)


@pytest.mark.requirement("A17")
@pytest.mark.parametrize(("convention", "plain"), [("subset", 1647), ("extra", 117231)])
def test_a17_cached_input_is_added_once(convention: str, plain: int, tmp_path: Path) -> None:
    rows = both([1, 1], input_tokens=117231, cached=115584, out=10)
    source = write_rows(tmp_path / "runs.jsonl", rows)
    mapping = tmp_path / "m.yaml"
    mapping.write_text(
        "unit: unit\narm: arm\noutcome: outcome\ninput_tokens: input_tokens\n"
        f"cache_read_tokens: cached\noutput_tokens: out\nconvention: {convention}\n"
    )
    made = compare(tmp_path / "out", source, "--map", mapping, "--baseline", "base")
    assert made.arm("new")["tokens"] == 2 * (plain + 115584 + 10)


@pytest.mark.requirement("A18")
def test_a18_any_language_under_any_locale(tmp_path: Path) -> None:
    rows = [
        {"arm": arm, "unit": f"{WORDS} {i}", "outcome": (i + len(arm)) % 2, "тема": WORDS,
         "findings": [{"category": "дефект", "log": "log.txt", "line": 1, "quote": WORDS}]}
        for arm in ("基", "новый") for i in range(30)
    ]  # fmt: skip
    source = write_rows(tmp_path / "запуски.jsonl", rows)
    (tmp_path / "log.txt").write_text(f"{WORDS}\n", encoding="utf-8")
    mapping = tmp_path / "карта.yaml"
    mapping.write_text(
        "unit: unit\narm: arm\noutcome: outcome\nlabels: [тема]\nfindings: findings\n",
        encoding="utf-8",
    )
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0",
             "PYTHONCOERCECLOCALE": "0"}  # fmt: skip
    asked = ("compare", source.name, "--map", mapping.name, "--baseline", "基",
             "--partition", "тема")  # fmt: skip
    done = process(*asked, "-o", "ascii", cwd=tmp_path, **plain)
    assert done.code in (0, 1), done.err
    assert process(*asked, "-o", "utf8", cwd=tmp_path, LC_ALL="C.UTF-8").code == done.code
    for name in ("estimates.json", "verdicts.json", "report/index.html", "report/report.md"):
        one, other = (tmp_path / folder / name for folder in ("ascii", "utf8"))
        assert one.read_bytes() == other.read_bytes(), name
    assert WORDS in (tmp_path / "ascii" / "estimates.json").read_text(encoding="utf-8")
    checked = process("verify", "ascii", cwd=tmp_path, **plain)
    assert checked.code == 0, checked.err + checked.out
