"""Bad input at the command line: a clear message, a documented exit code, nothing lost or said."""

import gzip
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from every import for_every
from field.runs import SOURCE, both, passes, process, write_rows
from packs.product import compare, run

OK = both([1, 0] * 10)
COLUMNS = ("--set", "unit=unit", "--set", "arm=arm", "--set", "outcome=outcome")
BOMB = "\n".join(["a: &a [x]", *(f"{c}: &{c} [{', '.join(['*' + p] * 9)}]" for p, c in zip("abcdefgh", "bcdefghi", strict=True))])  # fmt: skip # noqa: E501  a bomb is one text


def refused(source: Path, folder: Path, *options: object) -> str:
    """Gives the message of a comparison that is refused with exit code 2 and writes nothing."""
    told = run("compare", source, "--baseline", "base", *options, "-o", folder / "out")
    assert told.code == 2, told.out
    assert told.err.startswith("equipoise: ")
    assert not told.out
    assert not (folder / "out" / "estimates.json").exists()
    return told.err


@for_every("content", [b"", b"\n\n", b"{}\n", b"[]", b"null\n", b"\xff\xfe\x00", b"{"])
def test_empty_data_is_no_result(content: bytes, tmp_path: Path) -> None:
    source = tmp_path / "runs.jsonl"
    source.write_bytes(content)
    refused(source, tmp_path)
    refused(source, tmp_path, *COLUMNS)


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    assert "is not there" in refused(tmp_path / "none.jsonl", tmp_path)
    (tmp_path / "empty").mkdir()
    assert "empty" in refused(tmp_path / "empty", tmp_path)


def test_duplicate_rows_are_told_and_counted_once(tmp_path: Path) -> None:
    rows = [row | {"rep": 1} for row in OK]
    rows += [row | {"outcome": 1 - row["outcome"]} for row in rows[20:25]]
    made = compare(tmp_path / "out", write_rows(tmp_path / "r.jsonl", rows), "--baseline", "base")
    assert made.arm("new")["missing"]["planned"] == 20
    assert made.arm("new")["mean"] == 0.5, "the first row counts, not the second"
    told = [n for n in made.estimates["notices"] if n.get("severity") == "refused"]
    assert sum(n.get("count", 1) for n in told) == 5


def test_repeated_units_without_a_repetition_column_are_told(tmp_path: Path) -> None:
    rows = OK + OK[20:25]
    made = compare(tmp_path / "out", write_rows(tmp_path / "r.jsonl", rows), "--baseline", "base")
    assert made.notice("repetitions_numbered")["count"] == 5
    assert "1 to 2 repetitions" in made.notice("uneven_repetitions")["message"]
    assert made.arm("new")["n_units"] == 20


def test_mixed_models_in_one_arm_are_refused(tmp_path: Path) -> None:
    rows = [row | {"model": "a" if i % 2 else "b"} for i, row in enumerate(OK)]
    message = refused(write_rows(tmp_path / "r.jsonl", rows), tmp_path)
    assert "mixes 2 models ('a', 'b')" in message
    assert "arm: [arm, model]" in message


def test_unequal_unit_sets_are_told_before_the_verdict(tmp_path: Path) -> None:
    rows = passes("base", [1, 0] * 20) + passes("new", [1] * 25)
    made = compare(tmp_path / "out", write_rows(tmp_path / "r.jsonl", rows), "--baseline", "base")
    assert made.comparison()["n_pairs"] == 25
    assert made.comparison()["mean_base"] == pytest.approx(13 / 25), "the same units in both"
    assert "25 in both, 15 only in base, 0 only in new" in made.told.out
    assert "only the 25 in both are compared" in made.notice("unit_sets_differ")["message"]


def test_units_without_a_label_are_named(tmp_path: Path) -> None:
    rows = [row | ({"topic": "a"} if i % 20 else {}) for i, row in enumerate(OK)]
    message = refused(write_rows(tmp_path / "r.jsonl", rows), tmp_path, "--partition", "topic")
    assert "'u000'" in message
    assert "no label 'topic'" in message


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_units_for_an_interval(n: int, tmp_path: Path) -> None:
    rows = passes("base", [1, 0]) + passes("new", [1, 0][:n] or [None, None])
    made = compare(tmp_path / "out", write_rows(tmp_path / "r.jsonl", rows), "--baseline", "base")
    one = made.comparison()
    assert one["interval"] is None
    assert made.verdict()["word"] == ("not evaluable" if n == 0 else "cannot tell")
    assert made.told.code == (5 if n == 0 else 0)
    assert one["not_estimable"]


@pytest.mark.parametrize(
    ("options", "nearest"),
    [
        (("--set", "unitt=unit", "--set", "outcome=outcome"), "did you mean 'unit'?"),
        (("--criterion", "outcom"), "did you mean 'outcome'?"),
        (("--arm", "neww"), "did you mean 'new'?"),
        (("--partition", "topik"), "did you mean 'topic'?"),
    ],
)
def test_unknown_names_get_the_nearest_valid_one(
    options: tuple[str, ...], nearest: str, tmp_path: Path
) -> None:
    rows = [row | {"topic": "a"} for row in OK]
    source = write_rows(tmp_path / "r.jsonl", rows)
    mapping = tmp_path / "m.yaml"
    mapping.write_text("unit: unit\narm: arm\noutcome: outcome\nlabels: [topic]\n")
    more = ("--map", mapping) if "--partition" in options else ()
    assert nearest in refused(source, tmp_path, *more, *options)


def test_an_option_of_the_command_line_is_checked(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "r.jsonl", OK)
    for options in (("--level", "1.5"), ("--margin", "-1"), ("--equivalence", "nan"),
                    ("--where", "topic"), ("--max-missing", "inf")):  # fmt: skip
        told = run("compare", source, "--baseline", "base", *options, "-o", tmp_path / "out")
        assert told.code == 2, options
    assert run("compare", source, "--baseline", "bas", "-o", tmp_path / "out").code == 2
    assert not (tmp_path / "out" / "estimates.json").exists()


def test_a_line_of_ten_megabytes_is_read(tmp_path: Path) -> None:
    rows = [dict(row) for row in OK]
    rows[3]["note"] = "x" * 10_000_000
    source = write_rows(tmp_path / "r.jsonl", rows)
    made = compare(tmp_path / "out", source, *COLUMNS, "--baseline", "base")
    assert made.arm("base")["missing"]["evaluable"] == 20


def test_invalid_utf8_costs_its_line_and_is_told(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "r.jsonl", OK)
    lines = source.read_bytes().splitlines(keepends=True)
    lines[30] = lines[30].replace(b"u010", b"u\xff\xfe10")
    source.write_bytes(b"".join(lines))
    made = compare(tmp_path / "out", source, *COLUMNS, "--baseline", "base")
    told = [n for n in made.estimates["notices"] if n.get("severity") in ("lost", "refused")]
    assert len(told) == 1
    assert "r.jsonl:31" in told[0]["where"]
    assert made.arm("new")["n_units"] == 19


@for_every(
    "text, named",
    [
        ("unit: unit\nunit: other\noutcome: outcome\n", "a second time"),
        (BOMB, "anchor"),
        ("unit: !!python/object/apply:os.system [id]\n", "tag"),
        ("unit: [unit\n", "m.yaml"),
        ("- unit\n", "no mapping"),
        ("unit: \xff\n", "m.yaml"),
        ("unit: unit\noutcome: outcome\nscale: [1, 0]\n", "scale"),
    ],
)
def test_a_mapping_that_is_no_mapping(text: str, named: str, tmp_path: Path) -> None:
    mapping = tmp_path / "m.yaml"
    mapping.write_bytes(text.encode("latin-1"))
    source = write_rows(tmp_path / "r.jsonl", OK)
    assert named in refused(source, tmp_path, "--map", mapping)


def test_paths_out_of_a_zip_and_bombs_are_refused(tmp_path: Path) -> None:
    climbing = tmp_path / "log.eval"
    with zipfile.ZipFile(climbing, "w") as file:
        file.writestr("../escaped.json", "{}")
        file.writestr("header.json", "{}")
    told = run("import", "inspect", climbing, "-o", tmp_path / "made")
    assert told.code == 2
    assert not (tmp_path / "escaped.json").exists()
    assert not (tmp_path.parent / "escaped.json").exists()
    bomb = tmp_path / "bomb.jsonl.gz"
    with gzip.open(bomb, "wb") as packed:
        for _ in range(300):
            packed.write(b" " * 1_000_000)
    started = time.monotonic()
    assert run("import", "table", bomb, *COLUMNS, "-o", tmp_path / "made").code == 2
    assert time.monotonic() - started < 60
    assert not (tmp_path / "made").exists()


def test_two_processes_on_one_comparison_and_one_archive(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "r.jsonl", both([1, 0] * 1_000))
    command = [sys.executable, "-m", "equipoise", "compare", str(source), "--baseline", "base",
               "-o", str(tmp_path / "out")]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    both_at_once = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    told = [(one.communicate(timeout=120), one.returncode) for one in both_at_once]
    for (_, err), code in told:
        assert b"Traceback" not in err, err.decode()
        assert code in (0, 3), err.decode()
    assert 0 in [code for _, code in told]
    checked = process("verify", tmp_path / "out", cwd=tmp_path)
    assert checked.code == 0, checked.out + checked.err


def test_files_of_another_time_change_nothing(tmp_path: Path) -> None:
    """A clock set back: no name, order or number hangs on the time."""
    source = write_rows(tmp_path / "r.jsonl", OK)
    compare(tmp_path / "now", source, "--baseline", "base")
    os.utime(source, (0, 0))
    compare(tmp_path / "then", source, "--baseline", "base")
    for name in ("comparison.json", "estimates.json", "verdicts.json", "report/index.html"):
        assert (tmp_path / "now" / name).read_bytes() == (tmp_path / "then" / name).read_bytes()
    again = run("compare", source, "--baseline", "base", "-o", tmp_path / "then")
    assert again.code == 0, again.err


def test_a_taken_folder_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    source = write_rows(tmp_path / "r.jsonl", OK)
    told = run("compare", source, "--baseline", "base", "-o", tmp_path / "out")
    assert told.code == 2
    assert "thesis.txt" in told.err
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"


@for_every("key, value", [
        ("cost_usd", 1e300), ("cost_usd", -1), ("cost_usd", "free"), ("duration_ms", 1e300),
        ("output_tokens", 10**30), ("output_tokens", -5), ("repetition", -3),
        ("repetition", 10**30), ("attempt", 0), ("attempt", "x"), ("unit", ""), ("unit", None),
        ("unit", {"a": 1}),
        ("unit", "'; DROP TABLE t; --"), ("unit", "\u0000"), ("unit", "x" * 100_000),
        ("arm", 'new"; --'), ("outcome", 10**400), ("outcome", [1]), ("outcome", "1e999"),
    ])  # fmt: skip
def test_one_strange_field_costs_at_most_its_row(key: str, value: Any, tmp_path: Path) -> None:
    names = ("cost_usd", "duration_ms", "output_tokens", "repetition", "attempt")
    plain = dict.fromkeys(names, 1)
    rows = [row | plain for row in OK]
    rows[25][key] = value
    source = write_rows(tmp_path / "r.jsonl", rows)
    columns = [x for name in names for x in ("--set", f"{name}={name}")]
    made = compare(
        tmp_path / "out", source, *COLUMNS, *columns, "--baseline", "base", "--arm", "new"
    )
    assert made.arm("new")["missing"]["evaluable"] >= 19
    assert made.arm("base")["missing"]["evaluable"] == 20
    text = (tmp_path / "out" / "estimates.json").read_text(encoding="utf-8")
    assert "NaN" not in text
    assert "Infinity" not in text
    json.loads(text)
