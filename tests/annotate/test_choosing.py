"""Work time is what a person did, pauses capped; nobody can make it up, and haste is noticed."""

import pytest

from annotate.campaigns import packet
from equipoise.annotate.choosing import chosen, complete
from equipoise.annotate.stamps import Stamp, code, read_stamp, signed
from equipoise.annotate.store import Draft
from equipoise.annotate.texts import direction, is_too_fast, shown

SECRET = b"s" * 32


@pytest.mark.parametrize(
    ("told", "since_s", "before_s", "wanted"),
    [
        ("", 8, 0, 8.0),
        ("", 600, 0, 61.0),
        ("", 600, 30, 91.0),
        ("5.5", 8, 0, 5.5),
        ("9999", 8, 3, 11.0),
        ("-3", 8, 0, 8.0),
        ("nan", 8, 0, 8.0),
        ("inf", 8, 0, 8.0),
        ("", -5, 0, 0.0),
    ],
)
def test_time_is_capped_and_never_longer_than_the_page_was_there(
    told: str, since_s: int, before_s: int, wanted: float
) -> None:
    stamp = Stamp(turn=0, shown_ms=1_000_000, spent_ms=before_s * 1000)
    form = {"seconds": told, "best": "0", "worst": "1"}
    draft = chosen(packet("1"), form, stamp, 1_000_000 + since_s * 1000)
    assert draft.seconds == wanted
    assert (draft.best, draft.worst) == (0, 1)


def test_a_pair_has_a_better_text_and_so_a_worse_one() -> None:
    pair = packet("1", "one", "two")
    stamp = Stamp(turn=0, shown_ms=0, spent_ms=0)
    draft = chosen(pair, {"best": "1", "worst": "1"}, stamp, 0)
    found = complete(pair, draft)
    assert isinstance(found, Draft)
    assert (found.best, found.worst) == (1, 0)


def test_a_stamp_is_good_for_its_annotator_and_packet_only() -> None:
    stamp = Stamp(turn=3, shown_ms=5, spent_ms=7)
    text = signed(SECRET, "ann", "p-1", stamp)
    assert read_stamp(SECRET, "ann", "p-1", text) == stamp
    assert read_stamp(SECRET, "bob", "p-1", text) is None
    assert read_stamp(SECRET, "ann", "p-2", text) is None
    assert read_stamp(b"t" * 32, "ann", "p-1", text) is None
    assert read_stamp(SECRET, "ann", "p-1", text.replace("3.5.7", "4.5.7")) is None
    assert read_stamp(SECRET, "ann", "p-1", "") is None
    codes = {code(SECRET, who, passed=is_so) for who in ("ann", "bob") for is_so in (True, False)}
    assert len(codes) == 4


def test_haste_is_measured_by_how_much_there_is_to_read() -> None:
    assert is_too_fast(packet("1", "a", "b"), 1.4)
    assert not is_too_fast(packet("1", "a", "b"), 1.6)
    long = packet("1", *["word " * 100] * 4)
    assert is_too_fast(long, 19)
    assert not is_too_fast(long, 21)
    assert is_too_fast(packet("1", *["川" * 500] * 4), 79)


@pytest.mark.parametrize(
    ("text", "lang", "wanted"),
    [
        ("The word سلام", "en", "ltr"),
        ("قال hello ثم غادر", "", "rtl"),
        ("123 …", "he", "rtl"),
        ("123 …", "zh-Hant", "ltr"),
        ("\u202eevil words", "", "ltr"),
    ],
)
def test_a_text_goes_the_way_most_of_its_letters_go(text: str, lang: str, wanted: str) -> None:
    assert direction(text, lang) == wanted


def test_a_megabyte_of_unseen_characters_is_short_on_the_page() -> None:
    found = shown("\u200b" * 1_000_000 + "<" * 1_000)
    assert found.startswith('<bdi class="unseen" dir="ltr">U+200B×1000000</bdi>&lt;')
    assert len(found) < 5_000


def test_marks_stay_where_scripts_need_them() -> None:
    assert shown("سلام\u200f!") == "سلام\u200f!"
    assert "U+200F" in shown("word\u200f!")
    assert shown("👩\u200d💻") == "👩\u200d💻"
    assert shown("a\r\nb\tc") == "a\nb\tc"
