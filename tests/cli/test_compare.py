"""The verb `compare`: arms, options, exit codes, what is printed."""

import json
from pathlib import Path

from every import for_every
from pipeline.made_comparison import made, run, write_runs


def _pair(folder: Path, base: list[bool], new: list[bool]) -> tuple[Path, Path]:
    return (
        write_runs(folder / "base.jsonl", {f"u{i}": p for i, p in enumerate(base)}),
        write_runs(folder / "new.jsonl", {f"u{i}": p for i, p in enumerate(new)}),
    )


@for_every(
    "base, new, options, code, word",
    [
        ([False, True] * 30, [True, True] * 30, (), 0, "BETTER"),
        ([True, True] * 30, [False, True] * 30, (), 1, "WORSE"),
        ([True, False, True, True], [True, True, False, True], (), 0, "CANNOT TELL"),
        ([True, False, True, True], [True, True, False, True], ("--strict",), 4, "CANNOT TELL"),
        ([True, False] * 400, [True, False] * 400, (), 0, "EQUIVALENT"),
    ],
)
def test_word_and_exit_code(
    tmp_path: Path,
    base: list[bool],
    new: list[bool],
    *,
    options: tuple[str, ...],
    code: int,
    word: str,
) -> None:
    files = _pair(tmp_path, base, new)
    exit_code, out, err = run("compare", *files, "-o", tmp_path / "out", *options)
    assert (exit_code, err) == (code, "")
    assert word in out
    assert "[exploratory]" in out


def test_a_cannot_tell_says_what_would_tell(tmp_path: Path) -> None:
    files = _pair(tmp_path, [True, False] * 20, [True, False] * 19 + [True, True])
    _, out, _ = run("compare", *files, "-o", tmp_path / "out")
    assert "CANNOT TELL" in out
    assert "more units" in out


def test_one_file_of_several_arms_needs_the_baseline_named(tmp_path: Path) -> None:
    rows = [
        {"id": f"u{i}", "arm": arm, "passed": i % 2 == 0 or arm == "c"}
        for i in range(40)
        for arm in "abc"
    ]
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    code, _, err = run("compare", path, "-o", tmp_path / "o1")
    assert code == 2
    assert "'a', 'b', 'c'" in err
    assert "--baseline" in err
    code, out, _ = run("compare", path, "--baseline", "a", "-o", tmp_path / "o2")
    assert code == 0
    assert "c: BETTER than a" in out
    assert "b: " in out
    code, out, _ = run("compare", f"{path}::a", f"{path}::c", "-o", tmp_path / "o3")
    assert code == 0
    assert "b: " not in out
    code, _, err = run("compare", path, "--baseline", "aa", "-o", tmp_path / "o4")
    assert code == 2
    assert "did you mean 'a'" in err


def test_arms_of_the_same_name_are_named_by_their_files(tmp_path: Path) -> None:
    for name in ("before", "after"):
        rows = [{"id": f"u{i}", "arm": "agent", "passed": i % 2 == 0} for i in range(10)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    _, out, _ = run(
        "compare", tmp_path / "before.jsonl", tmp_path / "after.jsonl", "-o", tmp_path / "out"
    )
    assert "after: " in out
    assert "before" in out


def test_a_source_against_itself_is_refused(tmp_path: Path) -> None:
    base, _ = _pair(tmp_path, [True, False], [True, True])
    code, _, err = run("compare", base, base, "-o", tmp_path / "out")
    assert code == 2
    assert "given twice" in err


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    files = _pair(tmp_path, [True, False], [True, True])
    out = tmp_path / "out"
    out.mkdir()
    (out / "precious.txt").write_text("mine", encoding="utf-8")
    code, _, err = run("compare", *files, "-o", out)
    assert code == 2
    assert "precious.txt" in err
    assert (out / "precious.txt").read_text(encoding="utf-8") == "mine"
    assert not (out / "comparison.json").exists()


@for_every(
    "option, wanted",
    [
        (("--level", "1.5"), "--level"),
        (("--margin", "-0.1"), "--margin"),
        (("--equivalence", "0"), "--equivalence"),
        (("--where", "topic"), "KEY=VALUE"),
        (("--partition", "topik"), "topik"),
        (("--criterion", "nothing"), "nothing"),
        (("--where", "topic=zzz"), "matches"),
    ],
)
def test_a_wrong_option_is_named_and_makes_no_report(
    tmp_path: Path, option: tuple[str, str], wanted: str
) -> None:
    files = _pair(tmp_path, [True, False] * 5, [True, True] * 5)
    code, out, err = run("compare", *files, "-o", tmp_path / "out", *option)
    assert code == 2
    assert wanted in err
    assert "Traceback" not in err + out
    assert not (tmp_path / "out" / "report").exists()


def test_json_prints_the_machine_summary_alone(tmp_path: Path) -> None:
    out = made(tmp_path)
    files = (tmp_path / "base.jsonl", tmp_path / "new.jsonl")
    code, printed, _ = run("compare", *files, "-o", out, "--partition", "topic", "--json")
    assert code == 0
    assert json.loads(printed) == json.loads((out / "report" / "report.json").read_bytes())


def test_rule_seed_takes_a_margin_when_none_is_given(tmp_path: Path) -> None:
    out = made(tmp_path, "--rule", "seed")
    terms = json.loads((out / "comparison.json").read_bytes())["terms"]
    assert (terms["rule"], terms["margin"]) == ("seed", 0.05)
