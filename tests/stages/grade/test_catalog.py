"""A loss catalog is read as written, or every fault in it is named."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError
from equipoise.records.grade import Grade
from equipoise.stages.grade.catalog import read_catalog
from equipoise.stages.grade.check_specs import SPECS, read_spec
from equipoise.stages.grade.unit_loss import loss_grade
from every import for_every
from stages.grade.made_catalogs import catalog, category, content

SEED = """{"version":"v3","categories":[
 {"id":"tool_call_wrong_arg","weight":0.30,"type":"deterministic","max":1},
 {"id":"tone_off","weight":0.10,"type":"model_judged","max":1}]}"""


def refusal(text: bytes | str, name: str = "loss-catalog.v1.json") -> str:
    with pytest.raises(InputError) as caught:
        read_catalog(text.encode() if isinstance(text, str) else text, name)
    return str(caught.value)


def test_the_example_of_the_requirements_is_read() -> None:
    read = read_catalog(SEED.encode(), "catalogs/loss-catalog.v3.json")
    assert read.version == "v3"
    assert [(c.id, c.weight, c.type, c.max) for c in read.categories] == [
        ("tool_call_wrong_arg", 0.30, "deterministic", 1.0),
        ("tone_off", 0.10, "model_judged", 1.0),
    ]


@pytest.mark.requirement("E2E-30")
@pytest.mark.parametrize("field", ["version", "categories"])
def test_e2e_30_a_missing_field_of_the_catalog_is_named(field: str) -> None:
    whole = json.loads(SEED)
    del whole[field]
    assert f"{field} is missing" in refusal(json.dumps(whole), "loss-catalog.v3.json")


@pytest.mark.requirement("E2E-30")
@pytest.mark.parametrize("field", ["id", "weight", "type", "max"])
def test_e2e_30_a_missing_field_of_a_category_is_named(field: str) -> None:
    whole = json.loads(SEED)
    del whole["categories"][1][field]
    told = refusal(json.dumps(whole), "loss-catalog.v3.json")
    assert f"categories[1].{field} is missing" in told


@pytest.mark.requirement("E2E-31")
@for_every(
    "judged, rest, is_fine",
    [
        ("0.30", "0.70", True),
        ("0.31", "0.69", False),
        ("0.3", "0.7", True),
        ("0.3000000000000000001", "0.7", False),
        ("0.1", "0.2333333333333333333", False),
        ("0.1", "0.2333333333333333334", True),
        ("0.06", "0.14", True),
    ],
)
def test_e2e_31_the_judged_share_is_at_most_30_percent_exactly(
    judged: str, rest: str, *, is_fine: bool
) -> None:
    text = (
        '{"version":"v1","categories":['
        f'{{"id":"a","weight":{rest},"type":"deterministic","max":1}},'
        f'{{"id":"b","weight":{judged},"type":"model_judged","max":1}}]}}'
    )
    if is_fine:
        assert len(read_catalog(text.encode(), "loss-catalog.v1.json").categories) == 2
    else:
        assert "at most 30 %" in refusal(text)


@pytest.mark.requirement("E2E-31")
def test_e2e_31_several_judged_categories_are_added_up() -> None:
    rest, judged = category("a", weight=0.6), {"type": "model_judged", "weight": 0.2}
    told = refusal(content(rest, category("b", **judged), category("c", **judged)))
    assert "(b, c) weigh 0.4 of 1, 40 %" in told


@pytest.mark.requirement("E2E-32")
def test_e2e_32_another_type_is_refused_with_the_nearest() -> None:
    told = refusal(content(category(type="model-judged")))
    assert "wanted 'deterministic' or 'model_judged'; did you mean 'model_judged'?" in told


@for_every(
    "field, value",
    [
        ("weight", 1.0001),
        ("weight", -0.1),
        ("weight", "0.5"),
        ("weight", True),
        ("weight", None),
        ("max", 0),
        ("max", -1),
        ("max", [1]),
        ("id", ""),
        ("id", "tone off"),
        ("id", 7),
        ("is_reexecuted", "yes"),
        ("needs", "journal"),
        ("needs", [""]),
        ("about", 3),
        ("check", []),
        ("check", {}),
        ("check", {"regex": {}, "json_path": {}}),
        ("check", {"regex": "x"}),
    ],
)
def test_a_wrong_value_is_named_with_its_place(field: str, value: Any) -> None:
    assert f"categories[0].{field}" in refusal(content(category(**{field: value})))


@for_every("weight", ["NaN", "Infinity", "-Infinity", "1e-400", "1e999999999"])
def test_what_is_no_number_is_no_weight(weight: str) -> None:
    refusal(content(category()).decode().replace("0.5", weight))


def test_all_faults_are_named_at_once() -> None:
    check = {"regex": {"pattern": "(", "lostwhen": "found"}}
    told = refusal(
        content(
            category(weight=2, maximum=1), category(type="x"), category("ok", check=check)
        ).replace(b"v1", b"v2")
    )
    for part in (
        "6 faults",
        "version is 'v2' and the file is called 'loss-catalog.v1.json'",
        "categories[0].weight is 2; wanted a number from 0 to 1",
        "categories[0].maximum is no field of a category; did you mean 'max'?",
        "categories[1].type is 'x'",
        "categories[1].id 'wrong' is that of categories[0] already",
        "categories[2].check.regex.lostwhen is no field of this check; did you mean 'lost_when'?",
    ):
        assert part in told


@for_every(
    "check, part",
    [
        ({"regx": {"pattern": "a"}}, "no kind of check 'regx'; did you mean 'regex'?"),
        ({"regex": {}}, "check.regex.pattern is missing"),
        ({"regex": {"pattern": "(a"}}, "no regular expression"),
        ({"regex": {"pattern": "a", "lost_when": "absent", "count": True}}, "count goes with"),
        ({"json_path": {"path": "$.a[", "exists": True}}, "no JSONPath (RFC 9535)"),
        ({"json_path": {"path": "$.a"}}, "exactly one of"),
        ({"json_path": {"path": "$.a", "equals": 1, "exists": True}}, "exactly one of"),
        ({"json_path": {"path": "$.a", "matches": "["}}, "no regular expression"),
        ({"exit_code": {"one_of": []}}, "check.exit_code.one_of"),
    ],
)
def test_a_faulty_check_is_refused_when_the_catalog_is_read(
    check: dict[str, Any], part: str
) -> None:
    assert part in refusal(content(category(check=check)))


def test_a_judged_category_has_no_check() -> None:
    judged = category("b", type="model_judged", weight=0.1, check={"regex": {"pattern": "a"}})
    assert "categories[1].check: a model_judged category" in refusal(content(category(), judged))


@pytest.mark.parametrize(
    "name", ["catalog.json", "loss-catalog.v01.json", "loss-catalog.v1.yaml", "loss-catalog.1.json"]
)
def test_another_file_name_is_refused(name: str) -> None:
    assert "wanted loss-catalog.vN.json" in refusal(content(category()), name)


@for_every(
    "text",
    [
        b"",
        b"[]",
        b"nonsense",
        b"\xff\xfe",
        b'{"version":"v1","version":"v1","categories":[]}',
        b"[" * 100_000,
        b'{"version":"v1","categories":[1]}',
        b'{"version":"v1","categories":[]}',
        b'{"version":"v1","categories":{}}',
        b'{"version":1,"categories":[]}',
    ],
)
def test_what_is_no_catalog_is_refused(text: bytes) -> None:
    assert "loss-catalog.v1.json" in refusal(text)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    refusal(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(["id", "weight", "type", "max", "check", "needs", "about"]), json_values)
def test_any_value_in_any_field_is_read_or_refused(field: str, value: Any) -> None:
    with suppress(InputError):
        read = catalog(category(**{field: value}))
        assert 0 < read.categories[0].weight <= 1
        assert read.categories[0].max > 0


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "loss-catalog.v1.json"
    file.write_bytes(b"\xef\xbb\xbf" + content(category()))
    assert read_catalog(file.read_bytes(), str(file)).version == "v1"


_PROGRAM = re.compile(
    r"valid (string|int|number|dict|tuple|list|bool)|dictionary|tuple|instance of|None"
)


@for_every("kind", list(SPECS))
def test_no_fault_of_a_check_names_a_type_of_the_program(kind: str) -> None:
    for field in SPECS[kind].model_fields:
        for value in (7, [], [None], {}, {"a": [1]}, None, True, ""):
            _, faults = read_spec({kind: {field: value}}, "categories[0].check")
            assert not [fault for fault in faults if _PROGRAM.search(fault)], field


def test_a_category_of_weight_0_is_a_diagnostic_and_one_category_has_to_weigh() -> None:
    shown = category(id="shown", weight=0)
    assert "every category has the weight 0" in refusal(content(shown))
    read = read_catalog(content(category(), shown), "loss-catalog.v1.json")
    grades = {
        "wrong": Grade(trial="t", criterion="wrong", value=0.25),
        "shown": Grade(trial="t", criterion="shown", value=1.0),
    }
    found = loss_grade(read, "t", grades)
    assert (found.value, found.note) == (0.25, "")
    assert loss_grade(read, "t", {"shown": grades["shown"]}).value is None
