"""Agreement: textbook coefficients, real raters, undefined cases, intervals, the place test."""

# It is one file because all coefficients are held against the same few tables of ratings.

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.agreement import (
    FloatArray,
    brennan_prediger,
    count_ratings,
    fleiss_kappa,
    gwet_ac1,
    observed_agreement,
    unit_agreement,
)
from equipoise.stats.agreement_report import agreement_mode, interval_over_sets, position_test
from equipoise.stats.cohen import cohen_kappa, cross_table
from equipoise.stats.krippendorff import Metric, krippendorff_alpha
from every import for_every
from shared_data import shared

# Krippendorff (2011), example with four observers, twelve units and gaps, unit by unit.
_KRIPPENDORFF: list[list[int | None]] = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, 3, None, None],
]
# Fleiss' kappa: the 14-rater table that circulates as the worked example, kappa 0.210.
_FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ],
    dtype=float,
)


@pytest.mark.parametrize(
    ("metric", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorff_example_gives_the_published_alphas(metric: Metric, published: float) -> None:
    values, counts = count_ratings(_KRIPPENDORFF)
    numbers = [float(value) for value in values]
    assert krippendorff_alpha(counts, numbers, metric=metric) == pytest.approx(published, abs=5e-4)


def test_fleiss_example_gives_the_published_kappa() -> None:
    assert fleiss_kappa(_FLEISS) == pytest.approx(0.210, abs=5e-4)
    assert observed_agreement(_FLEISS) == pytest.approx(0.378, abs=5e-4)


def test_cohen_textbook_and_error_of_fleiss_cohen_everitt() -> None:
    found = cohen_kappa([[20, 5], [10, 15]])
    assert found.value == pytest.approx(0.4)
    assert found.se == pytest.approx(0.12700, abs=5e-6)
    assert (found.agreement, found.chance, found.n) == (0.7, 0.5, 50)
    # Fleiss, Cohen & Everitt (1969), table 1: proportions of 200, weights by their table 2 are not
    # linear, so the unweighted kappa of the same table: 0.429 with standard error 0.054.
    table = 200 * np.array([[0.53, 0.05, 0.02], [0.11, 0.14, 0.05], [0.01, 0.06, 0.03]])
    unweighted = cohen_kappa(table)
    assert unweighted.value == pytest.approx(0.429, abs=5e-4)
    assert unweighted.se == pytest.approx(0.054, abs=5e-4)


def test_quadratic_weights_make_kappa_an_intraclass_correlation() -> None:
    # Fleiss & Cohen (1973): with quadratic weights kappa is 1 - mean squared difference over
    # (variances of both raters + squared difference of their means).
    rng = np.random.default_rng(1)
    a = rng.integers(1, 6, 300)
    b = np.clip(a + rng.integers(-1, 2, 300), 1, 5)
    _, table = cross_table(a.tolist(), b.tolist())
    expected = 1 - ((a - b) ** 2).mean() / (a.var() + b.var() + (a.mean() - b.mean()) ** 2)
    assert cohen_kappa(table, weights="quadratic").value == pytest.approx(expected)
    linear, plain = cohen_kappa(table, weights="linear").value, cohen_kappa(table).value
    assert plain < linear < expected


def test_error_of_kappa_is_its_spread_over_samples() -> None:
    rng = np.random.default_rng(3)
    share = np.array([0.35, 0.05, 0.05, 0.1, 0.2, 0.05, 0.02, 0.08, 0.1])
    tables = rng.multinomial(400, share, size=3000).reshape(-1, 3, 3)
    for weights in ("none", "linear"):
        found = [cohen_kappa(table, weights=weights) for table in tables]
        spread = np.std([kappa.value for kappa in found])
        assert np.mean([kappa.se for kappa in found]) == pytest.approx(spread, rel=0.05)


def test_weights_do_not_matter_for_two_labels() -> None:
    table = [[45, 15], [25, 15]]
    assert cohen_kappa(table, weights="linear").value == pytest.approx(cohen_kappa(table).value)


@pytest.mark.requirement("PIL-38")
def test_pandalm_annotators_agree_as_published() -> None:
    folder = shared("data", "pandalm_judges")
    checks = json.loads((folder / "expected.json").read_text("utf-8"))["checks"]
    expected = {check["id"]: check["value"] for check in checks}
    items = json.loads((folder / "testset-v1.json").read_text("utf-8"))
    ratings = [[item[f"annotator{k}"] for k in (1, 2, 3)] for item in items]
    kappas = [
        cohen_kappa(cross_table([r[i] for r in ratings], [r[j] for r in ratings])[1]).value
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert kappas == pytest.approx(expected["kappa_12_13_23"], abs=1e-6)
    _, counts = count_ratings(ratings)
    assert fleiss_kappa(counts) == pytest.approx(expected["fleiss_kappa"], abs=1e-6)
    majority = [Counter(row).most_common(1)[0][0] for row in ratings]
    for judge, file, key in (
        ("gpt-3.5-turbo", "gpt-3.5-turbo-testset-v1.json", "gpt_result"),
        ("pandalm-7b", "pandalm-7b-testset-v1.json", "pandalm_result"),
    ):
        verdicts = [_verdict(row[key]) for row in json.loads((folder / file).read_text("utf-8"))]
        labels, table = cross_table(majority, verdicts)
        assert labels == (0, 1, 2)
        assert table.tolist() == expected[f"confusion {judge}"]
        found = cohen_kappa(table)
        assert found.value == pytest.approx(expected[f"kappa {judge}"], abs=1e-6)
        assert 100 * found.agreement == pytest.approx(expected[f"accuracy {judge}"], abs=1e-4)


def _verdict(text: str | int) -> int | None:
    return {"1": 1, "2": 2, "0": 0, "Tie": 0}.get(str(text))


def test_wmt23_three_raters_give_the_published_preference_agreement_and_alpha() -> None:
    folder = shared("data", "wmt23_ende_3raters")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    lines = (folder / "ratings.tsv").read_text("utf-8").splitlines()
    score: dict[tuple[str, str, str], float] = defaultdict(float)
    for line in lines[1:]:
        system, _, _, segment, rater, category, severity = line.split("\t")
        score[segment, system, rater] += _penalty(category, severity)
    by_output: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for (segment, system, rater), value in score.items():
        by_output[segment, system][rater] = value
    values, counts = count_ratings([list(raters.values()) for raters in by_output.values()])
    numbers = [float(value) for value in values]
    interval = krippendorff_alpha(counts, numbers, metric="interval")
    assert interval == pytest.approx(expected["alpha_interval_system_segment"], abs=1e-6)
    ordinal = krippendorff_alpha(counts, metric="ordinal")
    assert ordinal == pytest.approx(expected["alpha_ordinal_system_segment"], abs=1e-6)
    preferences = _preferences(by_output)
    assert len(preferences) == expected["pairwise_preference"]["items"]
    _, votes = count_ratings(preferences)
    assert fleiss_kappa(votes) == pytest.approx(0.361933, abs=1e-6)
    assert observed_agreement(votes) == pytest.approx(0.587607, abs=1e-6)


def _penalty(category: str, severity: str) -> float:
    if severity == "Minor":
        return 0.1 if category == "Fluency/Punctuation" else 1.0
    if severity == "Major":
        return 25.0 if category.startswith("Non-translation") else 5.0
    return 0.0


def _preferences(by_output: dict[tuple[str, str], dict[str, float]]) -> list[list[str]]:
    segments: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for (segment, system), raters in by_output.items():
        segments[segment][system] = raters
    return [
        [_prefer(raters - systems[b][name]) for name, raters in systems[a].items()]
        for systems in segments.values()
        for a, b in combinations(sorted(systems), 2)
    ]


def _prefer(gap: float) -> str:
    if abs(gap) < 1e-9:
        return "tie"
    return "first" if gap < 0 else "second"


def test_ruddit_choices_depend_on_the_place() -> None:
    path = shared("data", "ruddit_bws", "annotations.tsv.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = np.loadtxt(file, dtype=np.intp, delimiter="\t", skiprows=1)
    rows = rows[(rows[:, :4] != 0).all(axis=1) & (rows[:, 4] != rows[:, 5])]
    assert len(rows) == 53715
    for column, chosen, chi_square in (
        (4, (11917, 14072, 15416, 12310), 588.3),
        (5, (15224, 15346, 12433, 10712), 1137.2),
    ):
        found = position_test((rows[:, :4] == rows[:, [column]]).argmax(axis=1), 4)
        assert found.chosen == chosen
        assert found.chi_square == pytest.approx(chi_square, abs=0.05)
        assert found.df == 3


@pytest.mark.parametrize("dominance", [0.0, 1.0, 2.0, 3.0])
def test_a_dominant_system_takes_kappa_to_zero_but_not_brennan_prediger(dominance: float) -> None:
    # Three annotators choose the best of four; utilities differ by the dominance of one system.
    rng = np.random.default_rng(8)
    felt = rng.normal(size=(6000, 3, 4))
    felt[:, :, 0] += dominance
    counts = (felt.argmax(axis=2)[:, :, None] == np.arange(4)).sum(axis=1).astype(float)
    published = {0.0: (0.25, 0.0), 1.0: (0.37, 0.16), 2.0: (0.68, 0.58), 3.0: (0.91, 0.88)}
    raw, chance_free = published[dominance]
    assert abs(fleiss_kappa(counts)) < 0.03
    assert abs(krippendorff_alpha(counts)) < 0.03
    assert observed_agreement(counts) == pytest.approx(raw, abs=0.02)
    assert brennan_prediger(counts) == pytest.approx(chance_free, abs=0.02)


def test_brennan_prediger_over_shuffled_places_is_the_same_and_equals_the_kappas() -> None:
    # Labels shuffled within each set: only whether raters agree is kept, so all three coincide.
    rng = np.random.default_rng(5)
    felt = rng.gumbel(size=(8000, 3, 4))
    felt[:, :, 0] += 3.0
    counts = (felt.argmax(axis=2)[:, :, None] == np.arange(4)).sum(axis=1).astype(float)
    shuffled = rng.permuted(counts, axis=1)
    assert brennan_prediger(shuffled) == pytest.approx(brennan_prediger(counts), abs=1e-12)
    assert fleiss_kappa(shuffled) == pytest.approx(brennan_prediger(counts), abs=0.01)


def test_annotators_who_always_click_the_first_place_agree_and_fail_the_place_test() -> None:
    first_place_only = np.array([[3.0, 0.0, 0.0, 0.0]] * 40)
    assert brennan_prediger(first_place_only) == 1.0
    assert position_test(np.zeros(120, dtype=int), 4).p < 1e-60


def test_mixed_set_sizes_have_their_own_chance() -> None:
    counts = np.array([[2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    # chance over the two sets judged twice: (1/4 + 1/3)/2
    chance = (1 / 4 + 1 / 3) / 2
    expected = (0.5 - chance) / (1 - chance)
    assert brennan_prediger(counts, [4, 3, 4]) == pytest.approx(expected)
    assert brennan_prediger(counts, [4, 4, 4]) == pytest.approx(brennan_prediger(counts))
    with pytest.raises(InputError, match="more chosen categories"):
        brennan_prediger(counts, [4, 1, 4])


def test_undefined_is_said_and_never_a_number() -> None:
    one = np.array([[3.0, 0.0], [3.0, 0.0]])
    single = np.array([[1.0, 0.0], [0.0, 1.0]])
    for coefficient in (fleiss_kappa, krippendorff_alpha):
        with pytest.raises(NotEstimable, match="one category") as caught:
            coefficient(one)
        assert caught.value.code == "one_category"
    for coefficient in (fleiss_kappa, krippendorff_alpha, gwet_ac1, brennan_prediger):
        with pytest.raises(NotEstimable, match="two raters") as caught:
            coefficient(single)
        assert caught.value.code == "no_overlap"
    with pytest.raises(NotEstimable, match="two raters"):
        observed_agreement(count_ratings([[None], []])[1])
    with pytest.raises(NotEstimable, match="only one category"):
        gwet_ac1(np.array([[2.0], [2.0]]))
    with pytest.raises(NotEstimable, match="same label"):
        cohen_kappa([[7.0, 0.0], [0.0, 0.0]])
    with pytest.raises(NotEstimable, match="rated by both"):
        cross_table(["a", None], [None, "b"])
    assert cohen_kappa([[5, 0], [0, 5]]).se is None
    assert brennan_prediger(one) == gwet_ac1(one) == 1.0


def test_unequal_raters_have_no_fleiss_kappa_but_an_alpha() -> None:
    _, counts = count_ratings(_KRIPPENDORFF)
    with pytest.raises(InputError) as caught:
        fleiss_kappa(counts)
    assert caught.value.code == "unequal_raters"
    assert len(unit_agreement(counts)) == 11


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        ([1, 2, 1, 2], [0, 1, 0, 1], "label_sets_differ"),
        (["A", "B", "A"], ["A", "B"], "length_differs"),
        (["1", "2"], [1, 2], "mixed_labels"),
        (["A"], ["B"], "label_sets_differ"),
    ],
)
def test_ratings_that_do_not_fit_are_refused(
    a: list[str | int], b: list[str | int], code: str
) -> None:
    with pytest.raises(InputError) as caught:
        cross_table(a, b)
    assert caught.value.code == code


def test_declared_labels_allow_raters_who_use_different_ones() -> None:
    order, table = cross_table(["a", "b"], ["b", "c"], labels=["c", "b", "a"])
    assert order == ("c", "b", "a")
    assert table.sum() == 2
    with pytest.raises(InputError, match="'z'"):
        cross_table(["a"], ["z"], labels=["a"])


@for_every(
    "call, code",
    [
        (lambda: count_ratings([]), "no_units"),
        (lambda: count_ratings([["a", 1]]), "mixed_labels"),
        (lambda: count_ratings([["a", "b"]], n_categories=1), "too_many_categories"),
        (lambda: observed_agreement(np.array([[-1.0, 3.0]])), "out_of_range"),
        (lambda: observed_agreement(np.array([[0.5, 1.5]])), "out_of_range"),
        (lambda: cohen_kappa([[1.0, 2.0]]), "table"),
        (lambda: cohen_kappa([[1.0, 2.0], [1.0]]), "table"),
        (lambda: krippendorff_alpha(_FLEISS, [1.0], metric="interval"), "values"),
        (lambda: krippendorff_alpha(_FLEISS, range(-2, 3), metric="ratio"), "out_of_range"),
        (lambda: position_test([0, 4], 4), "out_of_range"),
        (lambda: agreement_mode(-1, 0), "out_of_range"),
    ],
)
def test_bad_input_is_refused_by_name(call: object, code: str) -> None:
    assert callable(call)
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code


_COUNTS = st.lists(
    st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=12
).map(lambda rows: np.array(rows, dtype=float))


@settings(max_examples=50)
@given(_COUNTS, st.permutations(range(3)))
def test_names_and_order_of_units_are_irrelevant(counts: FloatArray, columns: list[int]) -> None:
    rows = np.arange(len(counts))[::-1]
    for coefficient in (observed_agreement, krippendorff_alpha, gwet_ac1, brennan_prediger):
        try:
            value = coefficient(counts)
        except NotEstimable:
            with pytest.raises(NotEstimable):
                coefficient(counts[rows][:, columns])
            continue
        assert coefficient(counts[rows][:, columns]) == pytest.approx(value)
        assert value <= 1.0 + 1e-12


def _brennan_prediger_of(counts: FloatArray) -> Callable[[npt.NDArray[np.intp]], float]:
    return lambda rows: brennan_prediger(counts[rows])


def test_interval_over_sets_covers_the_truth() -> None:
    # Raters copy a hidden right answer with chance 0.8: raw agreement 0.8^2 + 3 (0.2/3)^2 = 0.6533.
    rng = np.random.default_rng(17)
    truth = 0.8**2 + 3 * (0.2 / 3) ** 2
    expected = (truth - 0.25) / 0.75
    rounds, inside = 150, 0
    for _ in range(rounds):
        right = rng.integers(0, 4, 60)
        given_answers = np.where(
            rng.random((60, 3)) < 0.8,
            right[:, None],
            (right[:, None] + rng.integers(1, 4, (60, 3))) % 4,
        )
        counts = (given_answers[:, :, None] == np.arange(4)).sum(axis=1).astype(float)
        found = interval_over_sets(_brennan_prediger_of(counts), 60, rng, draws=200)
        inside += found.low <= expected <= found.high
    assert 0.90 <= inside / rounds <= 0.98


def test_interval_over_sets_refuses_what_shows_no_spread() -> None:
    rng = np.random.default_rng(1)
    perfect = np.array([[3.0, 0.0], [0.0, 3.0]] * 10)
    with pytest.raises(NotEstimable, match="same value") as caught:
        interval_over_sets(lambda rows: observed_agreement(perfect[rows]), 20, rng)
    assert caught.value.code == "no_spread"
    with pytest.raises(NotEstimable, match="no spread"):
        interval_over_sets(lambda _: 0.5, 1, rng)
    rare = np.array([[3.0, 0.0]] * 9 + [[2.0, 1.0]])
    with pytest.raises(NotEstimable, match="have no coefficient") as caught:
        interval_over_sets(lambda rows: fleiss_kappa(rare[rows]), 10, rng)
    assert caught.value.code == "unstable"
    with pytest.raises(InputError, match="draws 10"):
        interval_over_sets(lambda _: 0.5, 10, rng, draws=10)


def test_place_test_is_right_under_even_choice_with_mixed_sizes() -> None:
    rng = np.random.default_rng(2)
    sizes = np.array([3, 4] * 60)
    below = sum(
        position_test((rng.random(120) * sizes).astype(int), sizes).p < 0.05 for _ in range(2000)
    )
    assert 0.03 <= below / 2000 <= 0.06
    with pytest.raises(NotEstimable, match="no answer"):
        position_test([], 4)
    with pytest.raises(NotEstimable, match="single place"):
        position_test([0], 1)


@pytest.mark.requirement("PIL-38")
def test_no_kappa_mode_is_said_in_words() -> None:
    assert agreement_mode(0, 0).label == "no annotator: agreement cannot be computed"
    assert agreement_mode(2, 40).may_show == "cohen_kappa_as_information"
    assert agreement_mode(2, 0).may_show == ""
    assert agreement_mode(3, 40, least_annotators=4).may_show == "krippendorff_alpha_as_information"
    assert agreement_mode(3, 0).mode == "no_kappa"
    shown = agreement_mode(3, 40)
    assert shown.mode == "kappa"
    assert "40 sets" in shown.label


def test_permuting_raters_of_a_table_transposes_it() -> None:
    for a, b in permutations([["x", "y", "y", "x"], ["x", "y", "x", "x"]]):
        _, table = cross_table(a, b)
        assert cohen_kappa(table).value == pytest.approx(cohen_kappa(table.T).value)
