"""Limits against times: what cannot be is told, and honest sessions are not accused."""

import pytest

from equipoise.stages.estimate.outcome.times import Timed, contradictions


def told(**given: object) -> list[str]:
    known: dict[str, object] = {"limit_s": 600.0, "took_s": 30.0, "is_cut": False}
    return list(contradictions(Timed(what="the session", **(known | given))))  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"took_s": 599.0, "declared_s": (900.0, 600.0)},
        {"took_s": 612.0},  # ending its processes took 12 s
        {"took_s": 600.1, "is_cut": True},
        {"limit_s": 3.0, "took_s": 3.2, "is_cut": True, "clock_s": 3.4},
        {"clock_s": 44.0},
        {"parts_s": 31.0},
        {"limit_s": None, "took_s": 10_000.0},
        {"took_s": None, "is_cut": True},
    ],
)
def test_what_may_be_is_not_accused(given: dict[str, object]) -> None:
    assert told(**given) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"took_s": 700.0}, "said to have ended in time: 700.0 s, of 600 s"),
        ({"is_cut": True}, "ended at its limit of 600 s after 30.0 s"),
        ({"declared_s": (900.0, 1200.0)}, "had 600 s, and 900 s or 1200 s were declared"),
        ({"clock_s": 20.0}, "30.0 s by one clock and 20.0 s by another"),
        ({"clock_s": 300.0}, "30.0 s by one clock and 300.0 s by another"),
        ({"parts_s": 90.0}, "took 30.0 s, and its tests 90.0 s together"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(given: dict[str, object], words: str) -> None:
    (one,) = told(**given)
    assert one.startswith("the session")
    assert words in one
