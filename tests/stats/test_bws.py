"""Best-worst answers: scores, ranks, faults, implied pairs, designs, plans."""

import gzip
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.bws import (
    FAULTS,
    BwsAnswers,
    check_answers,
    closed_form_logit,
    count_scores,
    faults,
    read_answers,
)
from equipoise.stats.bws_design import balance
from equipoise.stats.bws_differences import score_differences
from equipoise.stats.bws_pairs import implied_pairs, implied_votes
from equipoise.stats.bws_plan import pass_probability, sets_needed
from equipoise.stats.choice import fit_votes
from equipoise.stats.choice_counts import tabulate
from every import for_every
from shared_data import shared


def _ruddit() -> tuple[BwsAnswers, dict[int, float]]:
    folder = shared("data", "ruddit_bws")
    with gzip.open(folder / "annotations.tsv.gz", "rt", encoding="utf-8") as file:
        rows = np.loadtxt(file, dtype=np.intp, delimiter="\t", skiprows=1)
    published = np.loadtxt(folder / "published_scores.tsv", delimiter="\t", skiprows=1)
    answers = BwsAnswers(
        items=tuple(str(i) for i in range(int(rows.max()) + 1)),
        sets=rows[:, :4],
        best=rows[:, 4],
        worst=rows[:, 5],
    )
    return answers, {int(item): score for item, score in published}


@pytest.mark.requirement("PIL-22")
def test_ruddit_scores_are_the_published_ones_over_all_rows() -> None:
    answers, published = _ruddit()
    scores = count_scores(answers, faulty="count")
    mine = [scores.score[item] for item in published]
    assert len(mine) == 6000
    assert mine == pytest.approx(list(published.values()), abs=0.000501)


def test_ruddit_faulty_rows_are_counted_and_named_not_dropped_silently() -> None:
    answers, published = _ruddit()
    with pytest.raises(InputError, match="3455 of 78639") as caught:
        count_scores(answers)
    assert caught.value.code == "duplicate_item"
    assert int((answers.best == answers.worst).sum()) == 557
    dropped = count_scores(answers, faulty="drop")
    assert dropped.refused == {"duplicate_item": 3455}
    assert dropped.n_answers == 78639 - 3455
    only_equal = answers.take(answers.best != answers.worst)
    changed = count_scores(only_equal, faulty="count")
    gaps = [abs((changed.score[i] or 0.0) - published[i]) for i in published]
    assert sum(gap > 0.000501 for gap in gaps) == 543
    assert max(gaps) == pytest.approx(0.0618, abs=0.0006)


@for_every(
    "items, best, worst, code",
    [
        ("A", "A", "A", "set_too_small"),
        ("AB", "A", "B", "set_too_small"),
        ("AAB", "A", "B", "duplicate_item"),
        ("AAB", "A", "A", "duplicate_item"),
        ("ABC", "A", None, "incomplete_choice"),
        ("ABC", None, None, "incomplete_choice"),
        ("ABC", "A", "X", "choice_not_in_set"),
        ("ABC", "D", "A", "choice_not_in_set"),
        ("ABC", "A", "A", "best_equals_worst"),
    ],
)
@pytest.mark.requirement("PIL-22")
def test_each_fault_is_refused_by_its_name(
    items: str, best: str | None, worst: str | None, code: str
) -> None:
    sound = (list("BCD"), "B", "C")
    answers = read_answers([sound, (list(items), best, worst)])
    with pytest.raises(InputError, match="set 2") as caught:
        check_answers(answers)
    assert caught.value.code == code
    assert FAULTS[code] in str(caught.value)
    assert faults(answers).tolist() == ["", code]
    assert count_scores(answers, faulty="drop").refused == {code: 1}


def test_unknown_items_and_empty_studies_are_refused() -> None:
    for bad, code in (
        ({"answers": []}, "no_answers"),
        ({"answers": [("ABC", "A", "B")], "items": "AB"}, "unknown_item"),
        ({"answers": [("ABC", "A", "B")], "items": "ABCC"}, "duplicate_item"),
    ):
        with pytest.raises(InputError) as caught:
            read_answers(**bad)
        assert caught.value.code == code


def test_never_shown_has_no_score_and_no_rank_and_level_items_share_a_rank() -> None:
    scores = count_scores(
        read_answers([("ABC", "A", "C"), ("ABC", "C", "A")], items=["A", "B", "C", "Z"])
    )
    assert scores.score == (0.0, 0.0, 0.0, None)
    assert scores.rank == (2.0, 2.0, 2.0, None)
    assert scores.shown.tolist() == [2, 2, 2, 0]


_NAMES = "ABCDEF"


@st.composite
def _studies(draw: st.DrawFn) -> list[tuple[list[str], str, str]]:
    study = []
    for _ in range(draw(st.integers(1, 12))):
        shown = draw(st.permutations(_NAMES))[: draw(st.integers(3, 6))]
        best, worst = draw(st.permutations(shown))[:2]
        study.append((list(shown), best, worst))
    return study


@given(_studies())
def test_scores_add_up_and_swapping_best_and_worst_flips_them(
    study: list[tuple[list[str], str, str]],
) -> None:
    scores = count_scores(read_answers(study, items=list(_NAMES)))
    flipped = count_scores(read_answers([(s, w, b) for s, b, w in study], items=list(_NAMES)))
    weighted = [n * (s or 0.0) for n, s in zip(scores.shown, scores.score, strict=True)]
    assert sum(weighted) == pytest.approx(0.0)
    assert [None if s is None else -s for s in scores.score] == list(flipped.score)
    votes = implied_votes(read_answers(study, items=list(_NAMES)), range(len(study)))
    assert len(votes.first) == sum(2 * len(shown) - 3 for shown, _, _ in study)
    table = tabulate(votes)
    assert table.n_votes == len(votes.first)


@given(st.permutations(_NAMES), st.integers(3, 6))
def test_implied_pairs_of_one_set_and_of_many_are_the_same(order: list[str], size: int) -> None:
    shown = order[:size]
    best, worst = shown[-1], shown[0]
    one = implied_pairs(shown, best, worst)
    assert len(one.pairs) == 2 * size - 3
    assert one.of_possible == size * (size - 1) // 2
    votes = implied_votes(read_answers([(shown, best, worst)]), [0])
    pairs = {
        (votes.systems[a], votes.systems[b]) if o == 1 else (votes.systems[b], votes.systems[a])
        for a, b, o in zip(votes.first, votes.second, votes.outcome, strict=True)
    }
    assert pairs == set(one.pairs)


def test_strengths_from_implied_pairs_rank_as_the_scores_do() -> None:
    rng = np.random.default_rng(4)
    worth = np.array([0.0, 0.5, 1.0, 1.5])
    study, segments = [], []
    for segment in range(150):
        shown = rng.permutation(4)
        felt = worth + rng.gumbel(size=4)
        study.append(
            ([_NAMES[i] for i in shown], _NAMES[int(felt.argmax())], _NAMES[int(felt.argmin())])
        )
        segments.append(segment // 3)
    answers = read_answers(study)
    fit = fit_votes(implied_votes(answers, segments))
    assert fit.n_prompts == 50
    assert fit.ability.argsort().tolist() == [0, 1, 2, 3]
    scores = count_scores(answers)
    assert scores.rank == (4.0, 3.0, 2.0, 1.0)
    with pytest.raises(InputError, match="one segment"):
        implied_votes(answers, [1, 2])


def _paragraph_study(rng: np.random.Generator, paragraphs: int) -> tuple[BwsAnswers, list[int]]:
    """Four equal systems that differ by paragraph; three annotators share each paragraph."""
    local = rng.normal(0.0, 1.0, (paragraphs, 1, 4))
    felt = local + rng.normal(0.0, 1.0, (paragraphs, 3, 4))
    answers = BwsAnswers(
        items=tuple("ABCD"),
        sets=np.tile(np.arange(4), (paragraphs * 3, 1)),
        best=felt.argmax(axis=2).ravel(),
        worst=felt.argmin(axis=2).ravel(),
    )
    return answers, np.repeat(np.arange(paragraphs), 3).tolist()


def test_score_differences_hold_over_segments_where_pooled_answers_do_not() -> None:
    rng = np.random.default_rng(21)
    rounds, joint, pooled = 600, 0, 0
    for _ in range(rounds):
        answers, segments = _paragraph_study(rng, 40)
        found = score_differences(answers, segments, rng=rng, draws=2000)
        joint += bool(((found.low <= 0) & (found.high >= 0)).all())
        alone = score_differences(answers, range(120), rng=rng, draws=2000)
        pooled += bool(((alone.low <= 0) & (alone.high >= 0)).all())
    assert 0.93 <= joint / rounds <= 0.975
    assert pooled / rounds < 0.85


def test_score_differences_of_complete_sets_are_paired_differences_of_segment_means() -> None:
    answers, segments = _paragraph_study(np.random.default_rng(3), 25)
    found = score_differences(answers, segments)
    gap = (answers.best == 0) * 1.0 - (answers.worst == 0)
    gap -= (answers.best == 1) * 1.0 - (answers.worst == 1)
    means = gap.reshape(25, 3).mean(axis=1)
    assert found.value[0] == pytest.approx(means.mean())
    assert found.se[0] == pytest.approx(means.std(ddof=1) / 5)
    assert found.df == 24


def test_score_differences_refuse_what_shows_no_spread() -> None:
    always = read_answers([("ABC", "A", "B")] * 5)
    for segments, code in (([1] * 5, "one_cluster"), (range(5), "no_spread")):
        with pytest.raises(NotEstimable) as caught:
            score_differences(always, segments)
        assert caught.value.code == code
    with pytest.raises(NotEstimable, match="'Z' was never shown"):
        score_differences(read_answers([("ABC", "A", "B")] * 5, items=list("ABCZ")), range(5))
    with pytest.raises(InputError, match="one segment"):
        score_differences(always, [1])


def test_closed_form_logit_of_the_published_example() -> None:
    # bwsTools vignette, issue "abortion": -0.071458964
    assert closed_form_logit(302, 352, 1400) == pytest.approx(-0.071458964, abs=1e-9)
    assert closed_form_logit(0, 0, 40) == 0.0
    for counts, code in (((10, 0, 10), "separation"), ((0, 0, 0), "never_shown")):
        with pytest.raises(NotEstimable) as caught:
            closed_form_logit(*counts)
        assert caught.value.code == code
    with pytest.raises(InputError, match="best 6"):
        closed_form_logit(6, 6, 10)


def test_known_designs_are_recognised() -> None:
    fano = [[1, 2, 4], [2, 3, 5], [3, 4, 6], [4, 5, 7], [5, 6, 1], [6, 7, 2], [7, 1, 3]]
    plane = [[(b + s) % 13 for b in (0, 1, 3, 9)] for s in range(13)]
    for sets, label in ((fano, "BIBD(7,3) lambda 1"), (plane, "BIBD(13,4) lambda 1")):
        found = balance([[str(i) for i in row] for row in sets])
        assert found.label == label
        assert found.position == (1, 1)
    latin = balance(["ABCD", "BCDA", "CDAB", "DABC"])
    assert (latin.label, latin.position, latin.follows) == ("positions", (1, 1), (0, 3))
    everything = balance(["".join(order) for order in permutations("ABC")])
    assert everything.label == "positions and neighbours"
    assert balance(["ABC", "ABD"]).label == "none"
    assert balance(["ABC", "ABD"]).pair == (0, 2)
    assert balance(["ABC"], items="ABCD").shown == (0, 1)
    assert balance(["ABC", "ABCD"]).set_sizes == (3, 4)


@pytest.mark.parametrize(
    ("sets", "items", "code"),
    [
        ([], None, "no_sets"),
        (["A"], None, "set_too_small"),
        (["AAB"], None, "duplicate_item"),
        (["ABC"], "AB", "unknown_item"),
    ],
)
def test_impossible_designs_are_refused(sets: list[str], items: str | None, code: str) -> None:
    with pytest.raises(InputError) as caught:
        balance(sets, items=items)
    assert caught.value.code == code


@pytest.mark.parametrize("k", [3, 4, 5])
def test_variance_behind_the_plan_is_that_of_all_answers_equally_likely(k: int) -> None:
    gaps = [
        (best == 0) - (worst == 0) - ((best == 1) - (worst == 1))
        for best, worst in permutations(range(k), 2)
    ]
    assert sets_needed(0.2, k).variance_of_difference == pytest.approx(np.var(gaps))


@pytest.mark.requirement("PIL-29")
def test_the_planned_power_is_met_by_simulation() -> None:
    # In 15 % of sets the first item is best, else the choice is random: the difference is
    # 0.15 (1 + 1/3) = 0.2.
    rng = np.random.default_rng(11)
    n = sets_needed(0.2, 4).n
    order = rng.random((4000, n, 4)).argsort(axis=2)
    best, worst = order[:, :, 0], order[:, :, 3]
    forced = rng.random(best.shape) < 0.15
    worst = np.where(forced, rng.integers(1, 4, best.shape), worst)
    best = np.where(forced, 0, best)
    gap = (best == 0) * 1.0 - (worst == 0) - (best == 1) + (worst == 1)
    assert gap.mean() == pytest.approx(0.2, abs=0.005)
    z = gap.mean(axis=1) / (gap.std(axis=1, ddof=1) / np.sqrt(n))
    assert float((z > 1.96).mean()) == pytest.approx(0.8, abs=0.04)


def test_plan_grows_with_comparisons_and_refuses_nonsense() -> None:
    assert sets_needed(0.3, 4, comparisons=6).n == 180
    assert sets_needed(0.2, 4, design_effect=1.8).n == 471
    for bad in ({"difference": 0.0}, {"difference": 3.0}, {"set_size": 1}, {"power": 1.0}):
        with pytest.raises(InputError, match="difference"):
            sets_needed(**({"difference": 0.2, "set_size": 4} | bad))


def test_attention_checks_let_few_guessers_and_most_honest_people_pass() -> None:
    assert pass_probability(8, 6, 0.25) == pytest.approx(0.0042, abs=5e-5)
    assert 1 - pass_probability(8, 6, 0.95) == pytest.approx(0.006, abs=5e-4)
    assert pass_probability(4, 0, 0.25) == 1.0
    with pytest.raises(InputError, match="9 of 8"):
        pass_probability(8, 9, 0.25)
