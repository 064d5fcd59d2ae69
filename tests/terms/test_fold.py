"""Both sides of a match are folded alike, by a table that OpenCC bears out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.terms.fold import APOSTROPHES, built_in, fold, folded
from equipoise.terms.opencc import opencc_table
from equipoise.terms.scripts import Script, is_kana, script_of, scripts_of, significant_length

_SIGNS = st.text(
    st.one_of(
        st.sampled_from([*built_in().pairs, *APOSTROPHES, *"\u200b\u202e\ufeff\u3099\ufe0f\u0301"]),
        st.characters(),
    )
)
_WORDS = (
    "乾坤", "乾燥", "慰藉", "藉口", "著作", "看著", "鍾馗", "其餘", "頭髮", "發財", "皇后", "以後",
    "瞭望", "明瞭", "葉公好龍", "憂鬱的臺灣烏龜", "麵條", "裏面", "徵兵", "象徵", "諮詢", "阿Q正傳",
)  # fmt: skip


@given(_SIGNS)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text)
    assert folded(once.text) == once.text
    assert fold(once.text).n_changed == 0
    assert not once.is_composed or once.text != text


@pytest.mark.parametrize("package", ["opencc_purepy", "opencc"])
def test_a_text_and_its_simplification_are_folded_alike(package: str) -> None:
    convert = pytest.importorskip(package).OpenCC("t2s").convert
    alone = [sign for sign in built_in().pairs if folded(convert(sign)) != folded(sign)]
    theirs = opencc_table().pairs
    assert len(theirs) > 4_000
    assert not set(theirs) & set(theirs.values())
    inside = [word for word in _WORDS if folded(convert(word)) != folded(word)]
    assert alone == []
    assert inside == []


def test_what_is_common_is_in_the_table() -> None:
    table = built_in().pairs
    assert len(table) > 2_500
    assert not set(table) & set(table.values())
    assert all(len(old) == len(new) == 1 for old, new in table.items())


def test_scripts_are_told_on_all_planes() -> None:
    han = [0x3400, 0x4E00, 0x9FFF, 0xF900, 0x20000, 0x2A6D6, 0x30000, 0x31350, 0x323AF]
    assert {script_of(chr(code)) for code in han} == {Script.HAN}
    assert {script_of(sign) for sign in "々〇〻"} == {Script.HAN}
    assert {script_of(sign) for sign in "アヶーｱﾞㇰ\U0001b000"} == {Script.KATAKANA}
    assert {script_of(sign) for sign in "あゞ\U0001b001"} == {Script.HIRAGANA}
    assert not any(is_kana(sign) for sign in "・゠漢a、")
    assert scripts_of("阿Qとアリス、Ёж!") == set(Script) - {Script.OTHER}
    assert [significant_length(key) for key in ("アン・シャーリー", "R2-D2", "々ー〇", "")] == [
        7,
        2,
        2,
        0,
    ]
