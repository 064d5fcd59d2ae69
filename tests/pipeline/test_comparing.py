"""A comparison follows from its archives, byte for byte, and `verify` finds what does not."""

import json
import os
import shutil
from pathlib import Path

import pytest

from every import for_every
from pipeline.made_comparison import made, run, write_runs


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parts[len(folder.parts)] != "archives"
    }


@pytest.mark.requirement("E2E-01")
def test_comparing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    first = _files(made(tmp_path))
    again = _files(made(tmp_path))
    assert first == again
    assert {"comparison.json", "estimates.json", "verdicts.json", "report/index.html"} <= set(first)


def test_another_folder_and_another_order_of_rows_give_the_same_numbers(tmp_path: Path) -> None:
    one = made(tmp_path)
    other = tmp_path / "elsewhere"
    other.mkdir()
    for name in ("base.jsonl", "new.jsonl"):
        lines = (tmp_path / name).read_text(encoding="utf-8").splitlines()
        (other / name).write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    out = other / "comparison"
    names = (other / "base.jsonl", other / "new.jsonl")
    assert run("compare", *names, "-o", out, "--partition", "topic")[0] == 0

    def numbers(folder: Path) -> dict[str, object]:
        found = json.loads((folder / "estimates.json").read_bytes())
        return {key: found[key] for key in ("arms", "comparisons", "unit_sets", "resources")}

    assert numbers(one) == numbers(out)
    assert (one / "verdicts.json").read_bytes() == (out / "verdicts.json").read_bytes()


def test_no_file_holds_a_path_of_the_machine(tmp_path: Path) -> None:
    for name, content in _files(made(tmp_path)).items():
        assert str(tmp_path).encode() not in content, name


def test_a_comparison_is_verified_wherever_it_is_moved(tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.move(made(tmp_path), moved)
    code, out, _ = run("verify", moved)
    assert code == 0
    assert "verified" in out


@for_every(
    "name",
    [
        "comparison.json",
        "estimates.json",
        "verdicts.json",
        "report/index.html",
        "report/report.md",
        "report/report.json",
        "report/junit.xml",
    ],
)
def test_one_changed_byte_in_any_derived_file_is_found(tmp_path: Path, name: str) -> None:
    out = made(tmp_path)
    path = out / name
    content = bytearray(path.read_bytes())
    place = content.index(b"0.") + 2 if b"0." in content else len(content) // 2
    content[place] = ord("7") if content[place] != ord("7") else ord("8")
    path.write_bytes(bytes(content))
    code, told, err = run("verify", out)
    assert code in {1, 2}, told
    assert name.rsplit("/", maxsplit=1)[-1] in told + err


def test_an_estimate_that_does_not_follow_is_named_with_both_values(tmp_path: Path) -> None:
    out = made(tmp_path)
    path = out / "estimates.json"
    found = json.loads(path.read_bytes())
    honest = found["comparisons"][0]["delta"]
    path.write_bytes(path.read_bytes().replace(str(honest).encode(), b"0.5", 1))
    code, told, _ = run("verify", out)
    assert code == 1
    assert "estimates.json" in told
    assert str(honest) in told


def test_a_verdict_turned_round_is_found(tmp_path: Path) -> None:
    out = made(tmp_path)
    path = out / "verdicts.json"
    assert b'"better"' in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(b'"better"', b'"worse"'))
    code, told, _ = run("verify", out)
    assert code == 1
    assert "verdicts.json" in told


def test_a_trial_changed_in_an_archive_is_found_and_nothing_is_derived_from_it(
    tmp_path: Path,
) -> None:
    out = made(tmp_path)
    grades = next(out.glob("archives/new-*/grades.jsonl"))
    grades.write_bytes(grades.read_bytes().replace(b'"value":0.0', b'"value":1.0', 1))
    code, told, _ = run("verify", out)
    assert code == 1
    assert "grades.jsonl" in told
    assert "not derived again" in told


def test_a_tampered_cache_of_columns_is_found_and_never_used(tmp_path: Path) -> None:
    out = made(tmp_path)
    honest = (out / "estimates.json").read_bytes()
    parquet = next(out.glob("archives/new-*/columns/results.parquet"))
    content = bytearray(parquet.read_bytes())
    content[len(content) // 2] ^= 1
    parquet.write_bytes(bytes(content))
    code, told, _ = run("verify", out)
    assert code == 1
    assert "columns" in told
    assert made(tmp_path) == out
    assert (out / "estimates.json").read_bytes() == honest
    assert run("verify", out)[0] == 0


def test_a_rebuilt_archive_under_the_same_name_is_not_the_one_cited(tmp_path: Path) -> None:
    out = made(tmp_path)
    archive = next(out.glob("archives/new-*"))
    shutil.rmtree(archive)
    forged = write_runs(tmp_path / "forged.jsonl", {f"u{i:02}": True for i in range(60)})
    assert run("import", "table", forged, "-o", archive)[0] == 0
    code, told, _ = run("verify", out)
    assert code == 1
    assert "cites another" in told


def test_verify_writes_nothing(tmp_path: Path) -> None:
    out = made(tmp_path)
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*") if p.is_file()}
    assert run("verify", out)[0] == 0
    assert {p: p.stat().st_mtime_ns for p in out.rglob("*") if p.is_file()} == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    code, _, err = run("compare", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "c")
    assert code == 2
    assert "equipoise:" in err


def test_a_seal_that_no_plan_bears_out_is_refused(tmp_path: Path) -> None:
    """Nobody turns an exploratory comparison into a promised one by a word in a file."""
    out = made(tmp_path)
    path = out / "comparison.json"
    path.write_bytes(path.read_bytes().replace(b'"is_sealed": false', b'"is_sealed": true'))
    code, told, _ = run("verify", out)
    assert code == 1
    assert "no sealed plan" in told


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (b'"archive": "archives/', b'"archive": "/etc/archives/', "not there"),
        (b'"family_size": null', b'"family_size": 1000000000000', "at most"),
    ],
)
def test_a_made_up_comparison_file_is_a_fault_and_no_traceback(
    tmp_path: Path, was: bytes, now: bytes, said: str
) -> None:
    out = made(tmp_path)
    path = out / "comparison.json"
    assert was in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(was, now))
    code, told, err = run("verify", out)
    assert code == 1, err
    assert said in told


def test_a_changed_word_in_the_facts_of_the_columns_is_found(tmp_path: Path) -> None:
    out = made(tmp_path)
    for was, now in ((b'"criteria"', b'"critesia"'), (b'"topic": 2', b'"topiq": 2')):
        facts = next(out.glob("archives/new-*/columns/columns.json"))
        honest = facts.read_bytes()
        assert was in honest
        facts.write_bytes(honest.replace(was, now))
        code, told, _ = run("verify", out)
        assert code == 1
        assert "columns" in told
        facts.write_bytes(honest)
    assert run("verify", out)[0] == 0


@pytest.mark.parametrize(
    ("was", "now"),
    [(b'"level": 0.95', b'"level": 1.95'), (b'"margin": 0.0', b'"margin": 9.0')],
)
def test_terms_out_of_their_range_are_a_fault(tmp_path: Path, was: bytes, now: bytes) -> None:
    out = made(tmp_path)
    path = out / "comparison.json"
    path.write_bytes(path.read_bytes().replace(was, now))
    code, told, _ = run("verify", out)
    assert code == 1
    assert "wanted: a number from" in told


def test_a_comparison_file_that_is_no_json_is_a_fault(tmp_path: Path) -> None:
    out = made(tmp_path)
    (out / "comparison.json").write_text("{", encoding="utf-8")
    code, told, _ = run("verify", out)
    assert code == 1
    assert "comparison.json: cannot be read" in told
