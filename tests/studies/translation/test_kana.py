"""The table of kana precision: stated counts, built-in traps, boundaries and the downgrade."""

from typing import Any

import pytest
from scipy.stats import binomtest

from equipoise.records.kana import KanaPrecision, KanaRow, TrapShare
from equipoise.studies.translation.kana import kana_precision, row_of
from equipoise.terms.kana import Boundary, Counts, built_in_traps

_STATED = [
    # MIN, TP, FP substring, FP homograph, TP CONFIRMED, FP CONFIRMED, precision, conf-precision
    (2, 15, 26, 14, 13, 22, 0.273, 0.371),
    (3, 13, 8, 14, 6, 8, 0.371, 0.429),
    (4, 6, 1, 7, 0, 0, 0.429, None),
]


@pytest.mark.requirement("PIL-56")
@pytest.mark.parametrize("stated", _STATED)
def test_the_stated_counts_give_the_stated_precision(stated: Any) -> None:
    least, tp, fp_substring, fp_homograph, tp_confirmed, fp_confirmed, precision, confirmed = stated
    counts = Counts(
        tp=tp,
        fp_substring=fp_substring,
        fp_homograph=fp_homograph,
        tp_confirmed=tp_confirmed,
        fp_confirmed=fp_confirmed,
    )
    row = row_of(counts, least=least, ambiguous_to=least)
    assert row.fp_total == {2: 40, 3: 22, 4: 8}[least]
    _holds(row.precision, tp, row.fp_total, precision)
    if confirmed is None:
        found = row.confirmed_precision
        assert (found.value, found.lo, found.hi, found.n) == (None, None, None, 0)
        assert "0 of 0" in found.why
    else:
        _holds(row.confirmed_precision, tp_confirmed, fp_confirmed, confirmed)


def _holds(share: TrapShare, names: int, others: int, wanted: float) -> None:
    limits = binomtest(names, names + others).proportion_ci(method="wilson")
    assert share.value == pytest.approx(wanted, abs=5e-4)
    assert (share.lo, share.hi) == pytest.approx((limits.low, limits.high))
    assert (share.n_names, share.n) == (names, names + others)
    assert share.label == "relative to the trap set"
    assert share.tags == ("underpowered",)


def _of(
    boundary: Boundary = Boundary.NONE,
    ambiguous_to: int | None = None,
    *,
    hiragana_ambiguous: bool = False,
) -> KanaPrecision:
    return kana_precision(
        built_in_traps(),
        where="built-in",
        least=(4, 2, 3),
        boundary=boundary,
        ambiguous_to=ambiguous_to,
        hiragana_ambiguous=hiragana_ambiguous,
    )


def _by_least(found: KanaPrecision, table: int = 0) -> dict[int, KanaRow]:
    return {row.least: row for row in found.tables[table].rows}


@pytest.mark.requirement("PIL-58")
def test_what_is_concluded_of_min_and_the_downgrade_comes_out_of_the_traps() -> None:
    rows = _by_least(_of())
    two, three, four = rows[2], rows[3], rows[4]
    # MIN 3 rids of most parts of longer words and keeps the names of three kana; MIN 4 loses them
    assert three.fp_substring < two.fp_substring / 2
    assert three.tp_fire > 0.75 * two.tp_fire
    assert four.tp_fire < 0.5 * three.tp_fire
    # homographs are as long as names: they go only with the names
    assert three.fp_homograph > 0.75 * two.fp_homograph
    # what is CONFIRMED at one MIN is what is found at the next
    assert (two.tp_confirmed, two.fp_confirmed) == (three.tp_fire, three.fp_total)
    assert (three.tp_confirmed, three.fp_confirmed) == (9, four.fp_total)
    # the downgrade leaves false hits that are handed on, all of length 4
    assert three.fp_confirmed_lengths == {"4": three.fp_confirmed}
    assert three.fp_confirmed_homograph == 6
    fixed = _by_least(_of(ambiguous_to=3))
    assert (fixed[4].fp_confirmed, four.fp_confirmed) == (8, 0)
    assert _by_least(_of(ambiguous_to=0))[2].fp_confirmed == two.fp_total
    # names of hiragana that are AMBIGUOUS at any length take their homographs with them
    doubted = _of(hiragana_ambiguous=True)
    assert (_by_least(doubted)[3].fp_confirmed, _by_least(doubted)[3].fp_total) == (4, 25)
    sure = {case.key for case in doubted.cases if "CONFIRMED" in case.dispositions.values()}
    assert not any("ぁ" <= sign <= "ん" for key in sure for sign in key)


@pytest.mark.requirement("PIL-58")
def test_a_boundary_of_all_kana_loses_the_names_and_one_of_katakana_does_not() -> None:
    found = _of(Boundary.KANA)
    plain, all_kana = _by_least(found), _by_least(found, 1)
    katakana = _by_least(_of(Boundary.KATAKANA), 1)
    assert (plain[2].tp_fire, all_kana[2].tp_fire, all_kana[2].n_lost) == (24, 2, 22)
    assert [katakana[least].tp_fire for least in (2, 3, 4)] == [24, 19, 9]
    assert all(katakana[least].fp_total < plain[least].fp_total for least in (2, 3, 4))
    assert "boundary kana, MIN 2: TP 24 -> 2, FP 48 -> 2" in found.readings


@pytest.mark.requirement("PIL-57")
def test_every_value_says_what_it_is_relative_to() -> None:
    found = _of(Boundary.KATAKANA)
    shares = [
        one
        for table in found.tables
        for row in table.rows
        for one in (row.precision, row.confirmed_precision)
    ]
    assert len(shares) == 12
    assert {one.label for one in shares} == {"relative to the trap set"}
    assert found.scope == "trap set"
