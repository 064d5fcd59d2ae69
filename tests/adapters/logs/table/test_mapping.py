import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from equipoise.adapters.logs.table.mapping import Mapping, check, load_mapping, mapping_schema
from equipoise.errors import InputError
from every import for_every

SCHEMA = Path(__file__).parents[4] / "schemas" / "mapping.schema.json"
GOOD = """\
unit: {column: task_id, match: '(\\d+)'}
arm: {const: 1.10}
outcome: {column: ok, words: {no: 0, jein: 0.5}}
labels: [lang, intent]
zero_means_missing: [cost_usd]
convention: subset
scale: [0, 10]
is_simulated: true
"""


def load(tmp_path: Path, text: str) -> dict[str, Any]:
    path = tmp_path / "map.yaml"
    path.write_text(text, encoding="utf-8")
    return load_mapping(path)


def faults(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    return str(caught.value).split("\n")


def test_words_stay_words_and_versions_stay_versions(tmp_path: Path) -> None:
    mapping = check(load(tmp_path, GOOD))
    assert mapping.arm is not None
    assert mapping.arm.const == "1.10"
    assert mapping.outcome is not None
    assert mapping.outcome.words == {"no": 0.0, "jein": 0.5}
    assert mapping.labels == {"lang": "lang", "intent": "intent"}
    assert mapping.scale == (0.0, 10.0)
    assert mapping.is_simulated is True


def test_the_command_line_writes_lists_as_texts() -> None:
    said = {"unit": "id", "loss": "l", "labels": "lang, intent", "scale": "0,10", "missing": "-1"}
    mapping = check(said | {"zero_means_missing": "cost_usd"})
    assert mapping.labels == {"lang": "lang", "intent": "intent"}
    assert mapping.scale == (0.0, 10.0)
    assert mapping.missing == ("-1",)
    assert mapping.zero_means_missing == ("cost_usd",)


def test_every_fault_is_told_at_once_with_its_place_and_the_nearest_key(tmp_path: Path) -> None:
    text = "unti: id\nunit: {colum: id}\nloss:\n  column: l\n  scale: [5, 1]\ndirection: up\n"
    found = faults(tmp_path, text)
    assert any(re.match(r"map.yaml:1:7: unti: unknown key; did you mean 'unit'", f) for f in found)
    assert any("map.yaml:2:15: unit.colum: unknown key; did you mean 'column'" in f for f in found)
    assert any(f.startswith("map.yaml:4:3: loss: scale wants the lowest") for f in found)
    assert any("direction" in f and "6:12" in f for f in found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("unit: a\nunit: b\nloss: l\n", "2:1: the key 'unit' a second time"),
        ("unit: &x a\narm: *x\n", "an anchor or alias"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "an anchor or alias"),
        ("unit: !!python/object:os.system a\n", "the tag"),
        ("unit: a\n---\nunit: b\n", "a second document"),
        ("[" * 500, "nesting deeper than"),
        ("unit: [a\n", "map.yaml:2:1"),
        ("- unit\n", "no mapping"),
        ("", "no mapping"),
        ("unit: \x00\n", "map.yaml"),
        ("? [a]\n: b\n", "a key that is no text"),
        ("arm: a\nloss: l\n", "unit: this key is missing"),
        ("unit: a\n", "no outcome: give one of"),
        ("unit: a\nloss: l\noutcome: o\n", "outcome and loss are given"),
        ("unit: {column: a, match: '('}\nloss: l\n", "no regular expression"),
        ("unit: {column: a, const: b}\nloss: l\n", "exactly one of"),
    ],
)
def test_what_the_form_leaves_out_is_refused(tmp_path: Path, text: str, wanted: str) -> None:
    assert wanted in "\n".join(faults(tmp_path, text))


def test_invalid_utf8_and_a_missing_file_are_told(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_bytes(b"unit: \xff\n")
    with pytest.raises(InputError, match="invalid UTF-8"):
        load_mapping(path)
    with pytest.raises(InputError, match="cannot be read"):
        load_mapping(tmp_path / "none.yaml")


def test_the_published_schema_is_current() -> None:
    wanted = json.dumps(mapping_schema(), indent=2, ensure_ascii=False) + "\n"
    assert SCHEMA.read_text(encoding="utf-8") == wanted, (
        "schemas/mapping.schema.json is old; write it again from mapping_schema()"
    )


def test_the_schema_and_the_model_agree() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    good: list[dict[str, Any]] = [
        {"unit": "id", "loss": "l"},
        {"unit": ["a", "b"], "value": {"column": "v", "scale": [0, 10]}, "labels": ["x"]},
        {"unit": {"column": "a"}, "criteria": {"tone": "t"}, "status": {"column": "s"}},
        {"arm": "m", "aggregate": {"passed": "p", "total": "t"}, "labels": {"a": "b"}},
    ]
    for mapping in good:
        jsonschema.validate(mapping, schema)
        Mapping.model_validate(mapping)
    bad: list[dict[str, Any]] = [{"unit": 3}, {"unit": "a", "los": "l"}, {"unit": "a", "scale": 1}]
    for mapping in bad:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(mapping, schema)


_PROGRAM = re.compile(
    r"valid (string|int|number|dict|tuple|list|bool)|dictionary|tuple|instance of"
)
_WRONG = ("[]", "[[]]", "[null]", "{}", "{a: {b: []}}", "7", "''")


@for_every("key", list(Mapping.model_fields))
def test_no_fault_names_a_type_of_the_program(tmp_path: Path, key: str) -> None:
    told = []
    for value in _WRONG:
        text = f"{GOOD}{key}: {value}\n" if key not in GOOD else f"{key}: {value}\n"
        try:
            load(tmp_path, text)
        except InputError as refused:
            told.append(str(refused))
    assert [fault for fault in told if _PROGRAM.search(fault)] == []
