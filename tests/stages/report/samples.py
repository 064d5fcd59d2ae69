"""Results made by hand for the report's tests: ordinary, rich, bare, hostile and large."""

from collections.abc import Sequence

from equipoise.records.estimate import (
    ArmEstimate,
    CellKey,
    Comparison,
    Flaky,
    Interval,
    Missing,
    PassK,
    PValue,
    Resource,
    UnitLine,
    UnitSets,
)
from equipoise.records.notice import Headline, Notice, Severity
from equipoise.records.result import (
    CellLines,
    ComparisonFile,
    Estimates,
    HeadlineCheck,
    Result,
)
from equipoise.records.terms import ArmSource, Direction, Terms
from equipoise.records.verdict import Tag, Verdict, Word

HEAD_1 = "4f9d" + "0" * 60
HEAD_2 = "b7c1" + "0" * 60
METHOD = "paired quasi-Wilson MOVER"


def interval(lo: float, hi: float, level: float = 0.95, method: str = METHOD) -> Interval:
    return Interval(lo=lo, hi=hi, level=level, method=method)


def comparison(
    name: str, cell: CellKey, delta: float, half: float, n: int = 200, *, k: int = 6
) -> Comparison:
    level = 0.95 if not cell.label else 1 - 0.05 / k
    return Comparison(
        id=name,
        baseline="release-1",
        arm="release-2",
        cell=cell,
        pairing="paired",
        n_units_new=n,
        n_units_base=n,
        n_pairs=n,
        family="cells" if cell.label else "headline",
        family_size=k if cell.label else 1,
        mean_new=0.25 + delta,
        mean_base=0.25,
        delta=delta,
        gain=-delta,
        se=half / 2,
        correlation=0.61,
        interval=interval(delta - half, delta + half, level),
        interval_single=interval(delta - half * 0.7, delta + half * 0.7),
        interval_equivalence=interval(delta - half * 0.6, delta + half * 0.6, 0.90),
        fixed_interval=interval(delta - half * 0.5, delta + half * 0.5, 0.95, "repetition noise"),
        adjusted_level=level,
        critical_z=2.6 if cell.label else None,
        adjusted_p=0.0004 if abs(delta) > half else 0.31,
        p_values=(PValue(test="sign-flip over unit differences", p=0.00003, n=n),),
        n_better=31,
        n_worse=12,
        n_same=n - 43,
        worst_lo=delta - half * 1.3,
        worst_hi=delta + half * 1.3,
        units_to_show=None if abs(delta) > half else 1340,
        units_to_equate=None if abs(delta) > half else 410,
        reportable=half * 1.4,
        excludable=abs(delta) + half,
    )


def verdict(c: Comparison, word: Word, *, tags: Sequence[Tag] = (), needed: str = "") -> Verdict:
    return Verdict(
        comparison=c.id,
        word=word,
        rule="max-T, k = 6" if c.cell.label else "single comparison",
        level=c.adjusted_level or 0.95,
        why="the interval lies as it lies",
        needed=needed,
        tags=(Tag.MEASURED, *tags, Tag.EXPLORATORY),
        survives_missing=True if word in {Word.BETTER, Word.WORSE} else None,
        is_listed=bool(c.cell.label) and word in {Word.BETTER, Word.WORSE},
    )


def arm(name: str, cell: CellKey, mean: float, n: int = 200, lacking: int = 0) -> ArmEstimate:
    planned = n * 3
    return ArmEstimate(
        arm=name,
        cell=cell,
        n_units=n,
        n_trials=planned - lacking,
        n_attempts_beyond_first=4 if lacking else 0,
        missing=Missing(
            planned=planned,
            evaluable=planned - lacking,
            reasons={"infrastructure_error": lacking - 2, "timed_out": 2} if lacking else {},
            units_without=1 if lacking else 0,
            worst_lo=mean - lacking / planned,
            worst_hi=mean + lacking / planned,
            mean_as_failure=mean + lacking / planned,
        ),
        mean=mean,
        interval=interval(mean - 0.031, mean + 0.033, method="quasi-Wilson"),
        fixed_interval=interval(mean - 0.012, mean + 0.012, method="repetition noise"),
        stddev_between=0.28,
        se=0.02,
        stddev_within=0.11,
        icc=0.71,
        pass_k=(PassK(k=1, at=0.75, hat=0.75, n_units=n), PassK(k=3, at=0.86, hat=0.61, n_units=n)),
        n_flaky=23,
    )


WHOLE = CellKey()
CELLS = (
    ("refund", 0.128, 0.061, Word.WORSE),
    ("cancel", -0.094, 0.052, Word.BETTER),
    ("address", 0.004, 0.071, Word.CANNOT_TELL),
    ("invoice", -0.002, 0.024, Word.EQUIVALENT),
    ("greeting", 0.0, 0.0, Word.NOT_EVALUABLE),
    ("return", 0.201, 0.19, Word.WORSE),
)


def helpdesk() -> Result:
    """An ordinary result: one arm, six partitions, every word, repetitions, missing outcomes."""
    whole = comparison("whole", WHOLE, -0.031, 0.010, 1000)
    cells = []
    for value, delta, half, word in CELLS:
        key = CellKey(label="intent", value=value)
        made = comparison(f"intent-{value}", key, delta, half or 0.01)
        if word is Word.NOT_EVALUABLE:
            made = Comparison(
                id=made.id,
                baseline="release-1",
                arm="release-2",
                cell=key,
                pairing="paired",
                n_units_new=1,
                n_units_base=1,
                n_pairs=1,
                family="cells",
                family_size=6,
                not_estimable="one unit has no spread; an interval needs at least two",
            )
        cells.append((made, word))
    comparisons = (whole, *(c for c, _ in cells))
    words = [(whole, Word.BETTER), *cells]
    return Result(
        file=ComparisonFile(
            terms=_terms(),
            sources=(
                ArmSource(name="release-1", archive="20261130-a", arm="release-1", head=HEAD_1),
                ArmSource(name="release-2", archive="20261130-b", arm="release-2", head=HEAD_2),
            ),
            tool_version="0.1.0",
            title="Helpdesk, release 2 against release 1",
        ),
        estimates=Estimates(
            arms=_arms(),
            comparisons=comparisons,
            unit_sets=(
                UnitSets(
                    baseline="release-1",
                    arm="release-2",
                    n_shared=1000,
                    n_only_base=2,
                    n_only_new=0,
                    only_base=("u-0017", "u-0301"),
                ),
            ),
            resources=_resources(),
            flaky=tuple(
                Flaky(
                    arm="release-2",
                    unit=f"u-{i:04}",
                    rate=1 / 3,
                    n=3,
                    modal="fail",
                    any_pass=True,
                    all_pass=False,
                )
                for i in range(12)
            ),
            n_flaky_beyond=11,
            lines=tuple(_lines(c) for c in comparisons if not c.not_estimable),
            headlines=_declared(),
            notices=_notices(),
        ),
        verdicts=tuple(
            verdict(
                c,
                word,
                tags=(Tag.UNDERPOWERED,) if word is Word.CANNOT_TELL else (),
                needed="about 1,340 more units would show a difference of this size (80 % power)"
                if word is Word.CANNOT_TELL
                else "",
            )
            for c, word in words
        ),
    )


def _terms() -> Terms:
    return Terms(
        baseline="release-1",
        arms=("release-2",),
        criterion="loss",
        direction=Direction.LOWER,
        partitions=("intent",),
        margin=0.0,
        equivalence=0.05,
        defaulted=("margin", "equivalence", "rule"),
    )


def _arms() -> tuple[ArmEstimate, ...]:
    made = [arm("release-1", WHOLE, 0.25, 1000), arm("release-2", WHOLE, 0.219, 1000, 9)]
    for value, delta, _, word in CELLS:
        key = CellKey(label="intent", value=value)
        if word is Word.NOT_EVALUABLE:
            made += [_single("release-1", key), _single("release-2", key)]
        else:
            made += [arm("release-1", key, 0.25), arm("release-2", key, 0.25 + delta)]
    return tuple(made)


def _single(name: str, key: CellKey) -> ArmEstimate:
    return ArmEstimate(
        arm=name,
        cell=key,
        n_units=1,
        n_trials=1,
        n_attempts_beyond_first=0,
        missing=Missing(planned=1, evaluable=1),
        not_estimable="one unit has no spread",
    )


def _lines(c: Comparison) -> CellLines:
    lines = tuple(
        UnitLine(
            unit=f"u-{i:04}",
            base=0.0,
            new=1.0 if i % 2 else 1 / 3,
            labels={"intent": c.cell.value or "refund", "language": "de"},
            trials=(f"{i:016x}", f"{i + 1:016x}"),
            quotes=(
                f'{{"level":"error","hop":"billing","msg":"refund {i} rejected: wrong currency"}}',
            ),
        )
        for i in range(8)
    )
    return CellLines(comparison=c.id, lines=lines, n_more=35)


def _resources() -> tuple[Resource, ...]:
    return (
        Resource(
            baseline="release-1",
            arm="release-2",
            kind="tokens",
            unit="tokens",
            total_new=1_203_220.0,
            total_base=1_450_881.0,
            n_missing_new=3,
            mean_new=1203.2,
            mean_base=1450.9,
            n_pairs=997,
            delta=-247.7,
            interval=interval(-300.0, -195.2),
            ratio=0.829,
            ratio_interval=interval(0.79, 0.87),
        ),
        Resource(
            baseline="release-1",
            arm="release-2",
            kind="cost",
            unit="USD",
            n_missing_new=3000,
            n_missing_base=3000,
            not_comparable="no price is recorded for 6,000 of 6,000 trials",
        ),
    )


def _declared() -> tuple[HeadlineCheck, ...]:
    return (
        HeadlineCheck(
            headline=Headline(metric="mean", value=0.199, arm="release-2", where="b.jsonl:1"),
            from_rows=0.219,
            follows=False,
            note="off by 0.02",
        ),
        HeadlineCheck(
            headline=Headline(metric="mean", value=0.25, arm="release-1"),
            from_rows=0.25,
            follows=True,
        ),
    )


def _notices() -> tuple[Notice, ...]:
    return (
        Notice(
            code="torn_line",
            message="the last line is cut off and was set aside",
            severity=Severity.LOST,
            where="b.jsonl:3001",
        ),
    )
