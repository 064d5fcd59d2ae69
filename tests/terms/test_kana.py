"""A matcher of kana keys says what the oracles say, whatever stands next to a key."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError
from equipoise.terms.kana import (
    Boundary,
    Truth,
    built_in_traps,
    disposition,
    fires,
    length_of,
    read_traps,
)
from shared_data import shared

_KANA = st.text(st.sampled_from("かきくカキクー・漢、a\u3099\u200b"), max_size=8)


@pytest.mark.requirement("PIL-56")
def test_each_public_case_is_found_as_stated() -> None:
    lines = shared("oracles", "human_public.jsonl").read_text(encoding="utf-8").split("\n")
    cases = [case for case in map(json.loads, filter(None, lines)) if case["topic"] == "kana_trap"]
    assert len(cases) == 37
    for case in cases:
        key, text, wanted = case["input"]["key"], case["input"]["text"], case["expected"]
        length = length_of(key)
        found = {least: fires(key, text) and length >= least for least in (2, 3, 4)}
        assert {str(least): one for least, one in found.items()} == wanted["substring_fires"], case
        done = {str(m): disposition(length, m).value for m, is_found in found.items() if is_found}
        assert done == wanted["disposition_if_fires"], case
        assert fires(key, text, Boundary.KATAKANA) is wanted["katakana_run_boundary_fires"], case


@given(_KANA, _KANA)
def test_a_boundary_only_takes_away(key: str, text: str) -> None:
    plain, katakana, kana = (fires(key, text, rule) for rule in Boundary)
    assert plain or not katakana
    assert katakana or not kana


def test_the_built_in_traps_are_of_all_kinds() -> None:
    traps = read_traps(built_in_traps(), where="built-in")
    assert len(traps) >= 40
    assert {one.truth for one in traps} == set(Truth)
    assert {min(length_of(one.key), 4) for one in traps} == {2, 3, 4}
    assert all(fires(one.key, one.text) and one.note for one in traps)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"id": "1", "key": "カイ", "text": "貝", "truth": "substring"}', "does not stand in"),
        ('{"id": "1", "key": "Kai", "text": "Kai", "truth": "name"}', "not of kana alone"),
        ('{"id": "1", "key": "", "text": "x", "truth": "name"}', "not of kana alone"),
        ('{"id": "1", "key": "カイ", "text": "カイ", "truth": "nmae"}', "Invalid enum value"),
        ('{"id": "1", "key": "カイ", "text": "カイ"}', "truth"),
        ('{"id": "0", "key": "カイ", "text": "カイ", "truth": "name"}', "'0' stands twice"),
        ('{"id": "1", "key": "リ\u200bン", "text": "リンだ", "truth": "name"}', "those of line 1"),
        ("[" * 9_999, "no trap"),
    ],
)
def test_a_bad_trap_is_refused_by_its_line(line: str, says: str) -> None:
    good = '{"id": "0", "key": "リン", "text": "リンだ", "truth": "name"}\n\n'
    with pytest.raises(InputError, match=r"mine\.jsonl:3") as refused:
        read_traps((good + line).encode(), where="mine.jsonl")
    assert says in str(refused.value)
    for nothing in (b"", b"\n\n"):
        with pytest.raises(InputError, match="no traps"):
            read_traps(nothing, where="mine.jsonl")
