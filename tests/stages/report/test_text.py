"""Foreign text on the page: everything seen, nothing turned around, nothing endless."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from equipoise.stages.report.text import isolated, label, quotation, shorten, visible, visible_lines
from every import for_every

_ANY = st.text(st.characters(exclude_categories=()), max_size=200)


@given(_ANY)
def test_no_control_format_or_surrogate_character_is_left(text: str) -> None:
    joins_or_selects_emoji = {"\ufe0f"}
    for char in visible(text):
        if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            assert char in joins_or_selects_emoji or char in _HARMLESS, hex(ord(char))


_HARMLESS = {chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) == "Cf"} & set(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    + "".join(map(chr, [*range(0x13430, 0x13440), *range(0x1BCA0, 0x1BCA4)]))
)
"""Format characters that are drawn as a sign of their own (Arabic number signs and the like)."""


@given(_ANY)
def test_spelling_out_is_done_once_and_for_all(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@for_every(
    "text, shown",
    [
        ("safe\u202egnp.exe", "safe⟨U+202E⟩gnp.exe"),
        ("a\x00b\x1b[31m", "a⟨U+0000⟩b⟨U+001B⟩[31m"),
        ("ad\u200bmin", "ad⟨U+200B⟩min"),
        ("one\ntwo", "one⟨U+000A⟩two"),
        ("half \ud83d", "half ⟨U+D83D⟩"),
        ("z" + "\u0301" * 5, "z\u0301⟨4 more combining marks⟩"),
        ("naïve 漢字 emoji 👍️", "naïve 漢字 emoji 👍️"),
    ],
)
def test_unseen_characters_are_spelt_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_quote_keeps_its_lines() -> None:
    assert visible_lines("one\r\ntwo\tthree\x07") == "one\ntwo\tthree⟨U+0007⟩"
    assert quotation("x" * 1000, 100).startswith("x" * 100 + "…")
    assert quotation("x" * 1000, 100).endswith("[900 more characters]")


@given(_ANY, st.integers(20, 80))
def test_shortened_text_fits_and_short_text_is_unchanged(text: str, limit: int) -> None:
    shown = shorten(text, limit)
    assert len(shown) <= limit
    assert (shown == text) == (len(text) <= limit)


def test_long_names_that_begin_and_end_alike_stay_apart() -> None:
    one, other = ("x" * 5000 + middle + "y" * 5000 for middle in ("1", "2"))
    assert shorten(one) != shorten(other)
    assert label(one).startswith("xxxx")


def test_right_to_left_names_do_not_turn_the_line_around() -> None:
    assert isolated("שלום 7") == "\u2068שלום 7\u2069"
    assert isolated("plain") == "plain"


def test_an_empty_name_says_so() -> None:
    assert label("") == "(empty name)"
