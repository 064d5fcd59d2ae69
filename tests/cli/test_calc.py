"""``calc``: one topic, many lines, bad lines, the list."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from equipoise.cli import commands
from equipoise.cli.topics import load_topics
from every import for_every


def _calc(*args: str, given: str | bytes = "") -> tuple[int, list[str], str]:
    done = CliRunner().invoke(commands, ["calc", *args], input=given)
    return done.exit_code, done.stdout.splitlines(), done.stderr


def _lines(*cases: Any) -> str:
    return "\n".join(json.dumps(case) for case in cases)


def test_one_topic_prints_its_value() -> None:
    code, out, _ = _calc("power.n_min", given='{"s": "0.3", "mde": "0.05"}')
    assert code == 0
    assert json.loads("".join(out)) == {"n_min": 576}


def test_one_topic_takes_a_whole_case() -> None:
    case = {"id": "x", "topic": "power.n_min", "input": {"s": "0.28", "mde": "0.05"}}
    code, out, _ = _calc("power.n_min", given=json.dumps(case))
    assert code == 0
    assert json.loads("".join(out)) == {"n_min": 502}


def test_what_cannot_be_estimated_is_said_and_ends_with_2() -> None:
    code, out, err = _calc("multiplicity.seed_z", given='{"k": 0}')
    assert code == 2
    assert "no cell" in json.loads("".join(out))["not_estimable"]
    assert err.startswith("equipoise: no cell")


def test_jsonl_answers_each_line_and_goes_on_after_bad_ones() -> None:
    given = "\n".join(
        [
            _lines({"id": 1, "topic": "power.n_min", "input": {"s": 0.3, "mde": 0.1}}),
            "",
            _lines({"id": 2, "topic": "power.n_mn", "input": {}}),
            _lines({"id": 3, "topic": "power.n_min", "input": {"s": 0.3, "mde_": 0.1}}),
            _lines({"id": 4, "topic": "power.n_min", "input": {"s": [1], "mde": 0.1}}),
            _lines({"id": 5, "topic": "multiplicity.seed_z", "input": {"k": 0}}),
            '{"id": 6, "topic": "power.n_min", "input": {"s": NaN, "mde": 0.1}}',
            _lines({"id": 7, "topic": "multiplicity.seed_z", "input": {"k": 1}}),
        ]
    )
    code, out, _ = _calc("--jsonl", given=given)
    answers = [json.loads(line) for line in out]
    assert code == 0
    assert [answer["id"] for answer in answers] == [1, 2, 3, 4, 5, 6, 7]
    assert answers[0] == {"id": 1, "topic": "power.n_min", "value": {"n_min": 144}}
    assert answers[1]["error"] == "unknown_topic"
    assert "'power.n_min'" in answers[1]["message"]
    assert answers[2]["error"] == "input"
    assert "mde_" in answers[2]["message"]
    assert "field 's'" in answers[3]["message"]
    assert "no cell" in answers[4]["not_estimable"]
    assert answers[5]["error"] == "not_a_number"
    assert "field 's'" in answers[5]["message"]
    assert answers[6]["value"]["z"] == 2.0


@for_every("bad", [b"{", b"\xff\xfe{}", b"[1]", b"null", b"{}", b"[" * 100_000, b'{"topic": 3}'])
def test_an_unreadable_line_is_an_error_line_and_exit_2(bad: bytes) -> None:
    good = _lines({"id": 1, "topic": "power.n_min", "input": {"s": 0.3, "mde": 0.1}}).encode()
    code, out, err = _calc("--jsonl", given=bad + b"\n" + good)
    assert code == 2
    assert json.loads(out[0])["error"] == "unreadable"
    assert json.loads(out[1])["value"] == {"n_min": 144}
    assert err.startswith("equipoise: 1 line(s) could not be read")


def test_a_slip_in_an_optional_key_is_not_ignored() -> None:
    given = {"x": 1, "n": 9, "note": "kept"}
    slip = _lines({"topic": "interval.wilson", "input": given | {"levl": 0.9}})
    code, out, _ = _calc("--jsonl", given=slip)
    assert code == 0
    assert "did you mean 'level'" in json.loads(out[0])["message"]
    _, out, _ = _calc("--jsonl", given=_lines({"topic": "interval.wilson", "input": given}))
    assert "value" in json.loads(out[0])


@pytest.mark.requirement("E2E-05")
def test_unbewertbar_is_not_0() -> None:
    weights, values = {"a": 0.3, "b": 0.1}, {"a": 1, "b": "unbewertbar"}
    given = {"category_weights": weights, "category_values_over_max": values}
    _, out, _ = _calc("suite.unit_loss", given=json.dumps(given))
    assert json.loads("".join(out))["loss_normalised"] == 1.0


def test_list_names_every_topic_with_its_keys() -> None:
    code, out, _ = _calc("--list")
    assert code == 0
    assert set(load_topics()) <= set(out)
    assert "    in:  s, mde" in out


def test_no_topic_says_what_to_do() -> None:
    code, _, err = _calc()
    assert code == 2
    assert "calc --list" in err


@for_every("name", sorted(load_topics()))
@for_every("given", ["{}", "[]", '{"x": null}'])
def test_every_topic_refuses_an_input_without_its_keys(name: str, given: str) -> None:
    code, out, _ = _calc("--jsonl", given=f'{{"id": 1, "topic": "{name}", "input": {given}}}')
    answer = json.loads(out[0])
    assert code == 0
    assert "error" in answer
    assert "message" in answer
