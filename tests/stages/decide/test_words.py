"""The five words at their boundaries, and what stands beside them."""

import msgspec
import pytest

from equipoise.records.estimate import ArmEstimate, CellKey, Comparison, Interval, Missing
from equipoise.records.result import Estimates
from equipoise.records.terms import Direction, Rule, Terms
from equipoise.records.verdict import Tag, Word
from equipoise.stages.decide.verdicts import decide
from equipoise.stages.decide.words import word_of
from every import for_every

TERMS = Terms(
    baseline="base", arms=("new",), criterion="outcome", direction=Direction.HIGHER, margin=0.05
)


def _interval(lo: float, hi: float, level: float = 0.95) -> Interval:
    return Interval(lo=lo, hi=hi, level=level, method="given")


def _comparison(
    lo: float, hi: float, *, equal: tuple[float, float] | None = None, cell: CellKey | None = None
) -> Comparison:
    middle = (lo + hi) / 2
    return Comparison(
        id="c",
        baseline="base",
        arm="new",
        cell=cell or CellKey(),
        family="cells" if cell else "headline",
        pairing="paired",
        n_units_new=100,
        n_units_base=100,
        n_pairs=100,
        delta=middle,
        gain=middle,
        se=0.01,
        interval=_interval(lo, hi),
        interval_single=_interval(lo, hi),
        interval_equivalence=_interval(*(equal or (lo, hi)), level=0.9),
        critical_z=2.0,
        reportable=0.2,
    )


@for_every(
    "lo, hi, word",
    [
        (0.051, 0.3, Word.BETTER),
        (0.05, 0.3, Word.CANNOT_TELL),
        (-0.3, -0.051, Word.WORSE),
        (-0.3, -0.05, Word.CANNOT_TELL),
        (-0.049, 0.049, Word.EQUIVALENT),
        (-0.05, 0.049, Word.CANNOT_TELL),
        (-0.2, 0.2, Word.CANNOT_TELL),
    ],
)
@pytest.mark.requirement("E2E-45")
def test_the_word_follows_strictly_from_the_interval(lo: float, hi: float, word: Word) -> None:
    assert word_of(_comparison(lo, hi), TERMS) is word


def test_lower_is_better_turns_the_interval_round() -> None:
    lower = msgspec.structs.replace(TERMS, direction=Direction.LOWER)
    assert word_of(_comparison(0.1, 0.3), lower) is Word.WORSE
    assert word_of(_comparison(-0.3, -0.1), lower) is Word.BETTER


@pytest.mark.requirement("E2E-45")
def test_the_seed_rule_wants_both_bounds_beyond_the_margin() -> None:
    """Loss rises by 0.30: the literal bound is delta - z se, the guarded one the interval's."""
    seed = msgspec.structs.replace(TERMS, rule=Rule.SEED, direction=Direction.LOWER)
    cell = CellKey(label="intent", value="refund")
    guarded = msgspec.structs.replace(_comparison(0.051, 0.549, cell=cell), se=0.1)
    assert word_of(guarded, seed) is Word.WORSE
    literal_fails = msgspec.structs.replace(guarded, se=0.1255)
    assert word_of(literal_fails, seed) is Word.CANNOT_TELL
    guarded_fails = msgspec.structs.replace(_comparison(0.049, 0.551, cell=cell), se=0.1)
    assert word_of(guarded_fails, seed) is Word.CANNOT_TELL


def _arm(name: str, *, evaluable: int) -> ArmEstimate:
    missing = Missing(planned=100, evaluable=evaluable)
    return ArmEstimate(
        arm=name,
        cell=CellKey(),
        n_units=100,
        n_trials=100,
        n_attempts_beyond_first=0,
        missing=missing,
    )


@pytest.mark.parametrize(("worst_lo", "survives"), [(0.06, True), (0.02, False)])
def test_a_verdict_says_whether_it_survives_the_missing_outcomes(
    worst_lo: float, *, survives: bool
) -> None:
    """The interval 0.10 +- 0.03; the worst case moves its middle to `worst_lo`."""
    one = msgspec.structs.replace(_comparison(0.07, 0.13), worst_lo=worst_lo, worst_hi=0.14)
    terms = msgspec.structs.replace(TERMS, margin=0.0)
    estimates = Estimates(
        arms=(_arm("base", evaluable=100), _arm("new", evaluable=95)),
        comparisons=(one,),
        unit_sets=(),
    )
    verdict = decide(terms, estimates, is_simulated=False, is_soft=False)[0]
    assert verdict.word is Word.BETTER
    assert verdict.survives_missing is survives


def test_nothing_missing_needs_no_survival() -> None:
    estimates = Estimates(
        arms=(_arm("base", evaluable=100), _arm("new", evaluable=100)),
        comparisons=(_comparison(0.07, 0.13),),
        unit_sets=(),
    )
    assert decide(TERMS, estimates, is_simulated=False, is_soft=False)[0].survives_missing is None


def test_unsealed_terms_and_simulated_runs_are_tagged() -> None:
    estimates = Estimates(arms=(), comparisons=(_comparison(0.07, 0.13),), unit_sets=())
    tags = decide(TERMS, estimates, is_simulated=True, is_soft=True)[0].tags
    assert set(tags) == {Tag.SOFT, Tag.SIMULATED, Tag.EXPLORATORY}
    sealed = msgspec.structs.replace(TERMS, is_sealed=True)
    assert decide(sealed, estimates, is_simulated=False, is_soft=False)[0].tags == (Tag.MEASURED,)


@pytest.mark.parametrize(
    ("shift", "word"), [(0.0, Word.BETTER), (-0.02, Word.BETTER), (-0.1, Word.CANNOT_TELL)]
)
def test_a_shift_asks_a_p_value_again_and_not_only_the_gain(shift: float, word: Word) -> None:
    """Gain 0.20, single limits 0.12 to 0.28; ten cells: about 0.09 to 0.31."""
    holm = msgspec.structs.replace(TERMS, rule=Rule.HOLM)
    cell = CellKey(label="intent", value="refund")
    one = msgspec.structs.replace(
        _comparison(0.12, 0.28, cell=cell), interval=None, adjusted_p=0.001, family_size=10
    )
    assert word_of(one, holm, shift) is word
