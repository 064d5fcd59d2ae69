"""Numbers in print: true minus, enough digits, no zero that is none, no limit on a wrong side."""

from hypothesis import assume, given
from hypothesis import strategies as st

from equipoise.records.counted import counted
from equipoise.records.estimate import Interval
from equipoise.stages.report.numbers import (
    compact,
    count,
    fixed,
    p_value,
    percent,
    places_of,
    plain,
    quantity,
    span,
)
from every import for_every

_FINITE = st.floats(-1, 1, allow_nan=False)


def _read(shown: str) -> float:
    return float(shown.replace("−", "-").replace(",", "").lstrip("+"))


@given(_FINITE, st.integers(0, 6))
def test_what_is_not_zero_never_shows_as_zero(value: float, places: int) -> None:
    shown = fixed(value, places)
    assert any(digit in shown for digit in "123456789") == (value != 0)
    assert "-" not in shown


@for_every(
    "value, places, shown",
    [
        (-0.031, 3, "−0.031"),
        (0.0004, 3, "0.00040"),
        (1234567.0, 0, "1,234,567"),
        (0.0, 3, "0.000"),
        (3.1e-9, 3, "3.1×10⁻⁹"),
        (-3.1e-9, 3, "−3.1×10⁻⁹"),
    ],
)
def test_fixed(value: float, places: int, shown: str) -> None:
    assert fixed(value, places) == shown


def test_signs_are_written_where_wanted() -> None:
    assert fixed(0.2, 2, sign=True) == "+0.20"
    assert fixed(0.0, 2, sign=True) == "0.00"


@for_every(
    "half_width, places", [(0.2, 3), (0.012, 3), (0.0012, 4), (0.005, 3), (1e-9, 6), (0.0, 3)]
)
def test_decimals_follow_the_half_width(half_width: float, places: int) -> None:
    assert places_of(half_width) == places


@given(_FINITE, _FINITE, st.floats(0, 0.5))
def test_printed_limits_stay_on_their_side_of_each_margin(
    one: float, other: float, margin: float
) -> None:
    lo, hi = sorted((one, other))
    assume(all(abs(limit - mark) > 1e-5 for limit in (lo, hi) for mark in (0, margin, -margin)))
    shown = span(None, Interval(lo=lo, hi=hi, level=0.95, method=""), marks=(margin, -margin))
    for limit, text in ((lo, shown.lo), (hi, shown.hi)):
        for mark in (0.0, margin, -margin):
            assert (_read(text) > mark) == (limit > mark)


def test_a_limit_just_above_the_margin_is_not_printed_as_the_margin() -> None:
    just_above = Interval(lo=0.05004, hi=0.2, level=0.95, method="")
    assert span(0.1, just_above, marks=(0.05,)).brackets == "[+0.05004, +0.20000]"


@for_every(
    "share, shown",
    [
        (0.95, "95 %"),
        (0.99872, "99.87 %"),
        (0.98979, "98.98 %"),
        (0.0, "0 %"),
        (0.003, "0.3 %"),
        (0.00001, "0.001 %"),
        (0.9999999, "99.99999 %"),
        (1.0, "100 %"),
    ],
)
def test_percent_reaches_its_ends_only_where_they_are_true(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_counts_p_values_and_quantities() -> None:
    assert count(1234) == "1,234"
    assert counted(1, "unit") == "1 unit"
    assert counted(0, "unit") == "0 units"
    assert p_value(0.0000001) == "p < 0.0001"
    assert p_value(0.0123) == "p = 0.012"
    assert p_value(0.0004) == "p = 0.0004"
    assert quantity(1450.9) == "1,451"
    assert quantity(0.00123) == "0.00123"
    assert plain(0.05) == "0.05"
    assert plain(0.0) == "0"
    assert compact(1.0) == "1"
    assert compact(1 / 3) == "0.333"
