"""A rating study from its answers to ranking.json and its pages."""

from pathlib import Path

import pytest

from equipoise.records.rating_plan import ChecksPlan, RatingSet, SetKind
from equipoise.studies.rating.comparing import RatingCompared, compare
from studies.rating.rated import ARMS, Rated, always, checks, feeling, first_and_second

WORTH = dict(zip(ARMS, (0.0, 0.4, 1.2, 2.4), strict=True))


def _by_hand() -> Rated:
    """Three people on six units, every answer written down."""
    made = Rated(n_units=6)
    told = {"ann": "C3 C0", "bo": "C3 C0", "cy": "C2 C0"}
    for who, text in told.items():
        best, worst = text.split()
        made.asks(who, always(best, worst))
    return made


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> RatingCompared:
    """Three careful annotators and one who guesses, with silent checks and a retest."""
    plan = {"checks": ChecksPlan(n_silent=8, need=6)}
    made = Rated(n_units=40, plan=plan)
    again = [
        RatingSet(
            id=f"again-{n}",
            axis="style",
            unit=f"u{n:03d}",
            arms=ARMS,
            kind=SetKind.RETEST,
            of=f"style-{n:03d}",
        )
        for n in range(4)
    ]
    made.sets += [*checks(8), *again]
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling(WORTH))
    made.asks("guess", first_and_second())
    return compare(made.write(tmp_path_factory.mktemp("rated") / "study"))


@pytest.mark.requirement("PIL-31")
def test_scores_are_those_counted_by_hand(tmp_path: Path) -> None:
    axis = compare(_by_hand().write(tmp_path / "study")).ranking.axis("style")
    assert axis.people is not None
    scores = {arm.arm: (arm.best, arm.worst, arm.shown, arm.score) for arm in axis.people.arms}
    assert scores == {
        "C0": (0, 18, 18, -1.0),
        "C1": (0, 0, 18, 0.0),
        "C2": (6, 0, 18, pytest.approx(1 / 3)),
        "C3": (12, 0, 18, pytest.approx(2 / 3)),
    }
    pair = {(p.arm, p.against): p for p in axis.people.pairs}["C3", "C0"]
    assert pair.delta == pytest.approx(5 / 3)
    assert pair.word == "better"
    # every unit says the same: the limits are guarded and never of zero width
    assert pair.lo is not None
    assert pair.hi is not None
    assert pair.hi - pair.lo > 0.5
    assert (pair.won, pair.lost) == (18.0, 0.0)
    # always worst: no finite strength, and no big number in its place
    assert pair.logit is None
    assert "never" in pair.logit_why
    assert axis.agreement[0].raw.value == pytest.approx(1 / 3)
    assert axis.agreement[0].primary.value == pytest.approx((1 / 3 - 1 / 4) / (3 / 4))
    assert axis.agreement[1].raw.value == 1.0


@pytest.mark.requirement("PIL-31")
def test_planted_order_is_found_and_what_cannot_be_told_is_said(found: RatingCompared) -> None:
    axis = found.ranking.axis("style")
    assert axis.people is not None
    assert [arm.arm for arm in sorted(axis.people.arms, key=lambda a: -(a.score or 0))] == [
        "C3",
        "C2",
        "C1",
        "C0",
    ]
    words = {(p.arm, p.against): p.word for p in axis.people.pairs}
    assert words["C3", "C0"] == words["C2", "C0"] == words["C3", "C2"] == "better"
    assert ("C3",) in axis.people.groups
    for pair in axis.people.pairs:
        assert "registered mde 0.3" in pair.said


def test_who_fails_the_checks_is_left_out_and_shown_with_and_without(found: RatingCompared) -> None:
    axis = found.ranking.axis("style")
    out = {one.annotator: one for one in axis.annotators}
    assert [name for name, one in out.items() if one.is_excluded] == ["guess"]
    assert (out["ann"].silent_right, out["ann"].silent_seen) == (8, 8)
    assert axis.people is not None
    assert axis.people_all is not None
    assert (axis.people.n_answers, axis.people_all.n_answers) == (120, 160)
    assert out["guess"].n_retest == 4
    assert out["ann"].retest_best is not None
    assert axis.people_all.places[0].chosen[0] > axis.people.places[0].chosen[0]
