"""``calc --self-test`` holds every topic against an answer from elsewhere, and finds slips."""

import json
from pathlib import Path
from typing import Any

import pytest

import equipoise.examples
from equipoise.cli.topics import load_topics
from every import for_every
from typed import typed

_SHIPPED = Path(equipoise.examples.__path__[0]) / "calc" / "cases.jsonl"
_CASE = {
    "topic": "interval.wilson",
    "input": {"x": 15, "n": 148},
    "value": {"lo": 0.0624, "hi": 0.1605},
    "tolerance": 0.00006,
    "source": "Newcombe (1998), table I",
}


def _cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _SHIPPED.read_text(encoding="utf-8").splitlines()]


def _file(folder: Path, *cases: object) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    return path


@pytest.mark.requirement("PIL-74")
def test_all_shipped_cases_agree_and_every_topic_has_one() -> None:
    told = typed("calc", "--self-test", "--json")
    found = json.loads(told.out)
    assert told.code == 0, found["failed"]
    assert (found["command"], found["vectors"], found["failed"]) == ("calc", "built-in", [])
    assert found["n_passed"] == found["n"] == len(_cases())
    assert {"equipoise", "numpy", "scipy"} == set(found["versions"])
    without = set(load_topics()) - {case["topic"] for case in _cases()}
    assert without == set(), f"give each a case with its source in {_SHIPPED.name}"


def test_every_case_names_where_its_answer_comes_from() -> None:
    sources = [case["source"] for case in _cases()]
    assert [source for source in sources if len(source) < len("by hand: 4/5")] == []
    assert [source for source in sources if "equipoise" in source.casefold()] == []
    assert sum("not_estimable" in case for case in _cases()) > 20


def test_no_shipped_case_would_agree_with_another_answer(tmp_path: Path) -> None:
    wrong = [case | _spoilt(case) for case in _cases()]
    told = typed("calc", "--self-test", "--jsonl", "--cases", _file(tmp_path, *wrong))
    answers = [json.loads(line) for line in told.out.splitlines()]
    assert told.code == 1
    assert len(answers) == len(wrong)
    assert [answer["case"] for answer in answers if answer["agrees"]] == []


def test_a_planted_slip_is_told_with_found_wanted_and_source(tmp_path: Path) -> None:
    slip = _CASE | {"value": {"lo": 0.0624, "hi": 0.1705}}
    told = typed("calc", "--self-test", "--cases", _file(tmp_path, _CASE, slip))
    assert told.code == 1
    assert "intervals    1 topic      2 cases  1 differ" in told.out
    assert "hi: found 0.16048" in told.out
    assert "wanted 0.1705 within 6e-05" in told.out
    assert "source: Newcombe (1998), table I" in told.out
    assert "cases.jsonl:2" in told.out
    assert "cases.jsonl:1" not in told.out
    told = typed("calc", "--self-test", "--json", "--cases", tmp_path / "cases.jsonl")
    (failed,) = json.loads(told.out)["failed"]
    assert told.code == 1
    assert failed["says"] == "Newcombe (1998), table I"
    assert failed["diff"].startswith("hi: found 0.16048")


def test_another_kind_of_answer_differs(tmp_path: Path) -> None:
    refused = _CASE | {"input": {"x": 0, "n": 0}}
    unknown = _CASE | {"topic": "interval.wilsn"}
    shape = _CASE | {"value": {"lo": [0.0624], "no_such_key": 1, "method": None}}
    told = typed("calc", "--self-test", "--cases", _file(tmp_path, refused, unknown, shape))
    assert told.code == 1
    assert "3 differ" in told.out
    assert "found not_estimable 'too_few'" in told.out
    assert "did you mean 'interval.wilson'" in told.out
    assert "no_such_key: found nothing, wanted 1" in told.out


@for_every("only, topics", [("agreement.cohen", 1), ("judging", 10)])
def test_one_topic_or_one_family_can_be_asked_for(only: str, topics: int) -> None:
    told = typed("calc", "--self-test", only)
    assert told.code == 0
    assert f"\n{topics} topic" in told.out


def test_an_unknown_topic_is_refused_with_the_nearest_name() -> None:
    told = typed("calc", "--self-test", "agreement.cohn")
    assert told.code == 2
    assert "agreement.cohen" in told.err


@for_every(
    "bad",
    [
        {"topic": "interval.wilson", "input": {"x": 1}, "value": {"lo": 1}},
        {key: value for key, value in _CASE.items() if key != "value"},
        _CASE | {"value": {}},
        _CASE | {"not_estimable": "too_few"},
        _CASE | {"tolerance": -1},
        _CASE | {"tolerance": float("nan")},
        _CASE | {"value": {"lo": float("inf")}},
        ["interval.wilson"],
    ],
)
def test_a_line_that_is_no_case_is_refused_with_its_number(tmp_path: Path, bad: Any) -> None:
    told = typed("calc", "--self-test", "--cases", _file(tmp_path, _CASE, bad))
    assert told.code == 2
    assert "cases.jsonl:2" in told.err
    assert "Traceback" not in told.err


@for_every(
    "words", [("--cases", "x.jsonl"), ("pass_at_k", "--json"), ("--self-test", "--input", "x")]
)
def test_options_of_the_self_test_alone_are_refused(words: tuple[str, ...]) -> None:
    told = typed("calc", *words)
    assert told.code == 2
    assert "--self-test" in told.err


def test_an_empty_file_is_no_passed_test(tmp_path: Path) -> None:
    told = typed("calc", "--self-test", "--cases", _file(tmp_path))
    assert told.code == 2
    assert "holds no case" in told.err


def _spoilt(case: dict[str, Any]) -> dict[str, Any]:
    """The case with another right answer, in one place."""
    if "value" in case:
        return {"value": _other(case["value"], case.get("tolerance", 1e-9))}
    kind = "error" if "error" in case else "not_estimable"
    return {kind: case[kind] + "_"}


def _other(value: Any, tolerance: float) -> Any:
    if isinstance(value, dict) and value:
        last = list(value)[-1]
        return value | {last: _other(value[last], tolerance)}
    if isinstance(value, list):
        return [*value[:-1], _other(value[-1], tolerance)] if value else ["more"]
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, str):
        return value + "_"
    return value + 3 * tolerance + 1e-6 if isinstance(value, float | int) else {"more": 1}
