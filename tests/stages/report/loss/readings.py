"""Loss comparisons as the pages are given them: one ordinary, one with hostile names."""

from equipoise.records.event import Amendment
from equipoise.records.plan import (
    ArmPlan,
    CellPlan,
    Mode,
    PartitionPlan,
    Plan,
    Provenance,
    SpreadSource,
    UnitPlan,
)
from equipoise.records.suite import (
    LossCitation,
    LossComparison,
    LossRow,
    PartitionScore,
    Suite,
    SuiteFlaky,
)
from equipoise.stages.report.loss.reading import LossReading

CATEGORIES = ("wrong_amount", "wrong_invoice", "tone_off")
INTENTS = ("refund", "invoice", "greeting")


def ordinary(text: str = "") -> LossReading:
    """Release 2 loses refunds and wins invoices; `text` is put into every foreign name."""
    plan = _plan(text)
    return LossReading(
        comparison=_comparison(text),
        base=_suite("release-1", 0.08, text),
        new=_suite("release-2", 0.13, text),
        plan=plan,
        amendments=(
            Amendment(at="2026-01-02T00:00:00Z", by="operator", reason=f"two typos{text}"),
        ),
    )


def _plan(text: str) -> Plan:
    partitions = tuple(
        PartitionPlan(
            labels={"intent": intent + text},
            frequency=share,
            severity=severity,
            weight=weight,
            s=0.3,
            s_source=SpreadSource.DEFAULT if intent == "greeting" else SpreadSource.PILOT,
            n_min=576,
            n_available=900,
            n_drawn=576,
            draw_probability=0.64,
        )
        for intent, share, severity, weight in zip(
            INTENTS, (0.2, 0.5, 0.3), (3, 1, 1), (0.43, 0.36, 0.21), strict=True
        )
    )
    cells = tuple(
        CellPlan(partition=part.text, category=category)
        for part in partitions
        for category in CATEGORIES
    )
    return Plan(
        kind="loss",
        title=f"Help desk{text}",
        question=f"Does release 2 lose more?{text}",
        seed=7,
        provenance=Provenance.SYNTHETIC,
        hops=(),
        axes={"intent": INTENTS},
        by=("intent",),
        partitions=partitions,
        units_file="units.jsonl",
        units_sha256="a" * 64,
        units=(UnitPlan(id="u1", partition="intent=refund", sha256="b" * 64, repetitions=3),),
        stochastic_repetitions=3,
        adversarial_cap=0.1,
        mde=0.05,
        sample_budget=1728,
        catalog_version="v1",
        catalog_sha256="c" * 64,
        catalog_file="catalogs/loss-catalog.v1.json",
        cells=cells,
        k=len(cells),
        arms=(ArmPlan(name="release-1", mode=Mode.A, system={"http": {}}),),
        baseline="release-1",
        tool_version="0.1.0",
    )


def _suite(arm: str, loss: float, text: str) -> Suite:
    return Suite(
        catalog_version="v1",
        mode=Mode.A,
        provenance=Provenance.SYNTHETIC,
        mde=0.05,
        suite_score=loss,
        se=0.006,
        completion_rate=0.994,
        coverage=0.98,
        covered_weight=0.79,
        partitions=tuple(
            PartitionScore(
                labels={"intent": intent + text},
                weight=weight,
                n=n,
                n_min=576,
                loss=loss if n > 1 else None,
                stddev_between=0.28 if n > 1 else None,
                se=0.0117 if n > 1 else None,
                stddev_within=0.05 if n > 1 else None,
                coverage=0.98,
                status="scored" if n >= 576 else "unterbelegt",
                by_category=dict.fromkeys(CATEGORIES, loss),
                by_category_stats={},
                n_planned=576,
                n_executions=3 * n,
                achieved_mde=0.047 if n > 1 else None,
            )
            for intent, weight, n in zip(INTENTS, (0.43, 0.36, 0.21), (576, 600, 31), strict=True)
        ),
        run_id=f"{arm}-0123abcd-1",
        created_at="2026-01-01T00:00:00Z",
        plan_sha256="d" * 64,
        sample_budget=1728,
        arm=arm + text,
        seal="signed",
        results_sha256="e" * 64,
        harness_errors={f"infrastructure_error: connection refused{text}": 12},
        incomplete_units=("u7",),
        flaky=(SuiteFlaky(unit=f"u9{text}", rate=1 / 3, n=3),),
        clipped={"wrong_amount": 2},
    )


def _comparison(text: str) -> LossComparison:
    citation = LossCitation(
        unit=f"u-0417{text}",
        trial="0" * 16,
        document="f" * 64,
        name="journal.jsonl",
        line=3,
        start=10,
        end=60,
        quote=f'{{"hop":"refund","cents":125000,"asked":"12,50 €"}}{text}',
        n_further=141,
    )
    rows = [
        _row(intent + text, category, index)
        for index, intent in enumerate(INTENTS)
        for category in CATEGORIES
    ]
    rows[0] = _listed(rows[0], 0.31, 0.02, citation)
    rows[4] = _listed(rows[4], -0.14, 0.02, citation)
    return LossComparison(
        run_id="release-2-0123abcd-1",
        base_run_id="release-1-0123abcd-1",
        catalog_version="v1",
        mode=Mode.A,
        provenance=Provenance.SYNTHETIC,
        mde=0.05,
        k=9,
        z=3.0986,
        paired=False,
        rows=tuple(rows),
        verdict="worse",
        why="release-2 loses more than release-1: intent=refund / wrong_amount by 0.310, "
        f"lower bound 0.247 above the margin 0.05{text}",
        tags=("measured",),
        notes=("normal and bootstrap limits disagree in one cell",),
    )


def _row(intent: str, category: str, index: int) -> LossRow:
    if index == 2:
        return LossRow(
            partition=f"intent={intent}",
            category=category,
            status="unterbelegt",
            n_new=31,
            n_base=31,
            n_min=576,
            delta=0.11,
            se_delta=0.07,
            literal_lo=-0.107,
            literal_hi=0.327,
            guarded_lo=-0.12,
            guarded_hi=0.34,
            loss_new=0.2,
            loss_base=0.09,
            reportable=0.32,
            excludable=0.34,
            failed=("literal", "guarded", "n_min"),
        )
    if category == "tone_off":
        return LossRow(
            partition=f"intent={intent}",
            category=category,
            status="unbewertbar",
            n_new=0,
            n_base=0,
            n_min=576,
            failed=("not evaluable",),
        )
    return LossRow(
        partition=f"intent={intent}",
        category=category,
        status="scored",
        n_new=576,
        n_base=576,
        n_min=576,
        delta=0.004,
        se_delta=0.0117,
        literal_lo=-0.032,
        literal_hi=0.04,
        guarded_lo=-0.035,
        guarded_hi=0.042,
        loss_new=0.084,
        loss_base=0.08,
        reportable=0.098,
        excludable=0.042,
        failed=("literal", "guarded"),
    )


def _listed(row: LossRow, delta: float, se: float, citation: LossCitation) -> LossRow:
    half = 3.0986 * se
    return LossRow(
        partition=row.partition,
        category=row.category,
        status="scored",
        n_new=576,
        n_base=576,
        n_min=576,
        delta=delta,
        se_delta=se,
        literal_lo=delta - half,
        literal_hi=delta + half,
        guarded_lo=delta - half - 0.004,
        guarded_hi=delta + half + 0.003,
        loss_new=0.4,
        loss_base=0.4 - delta,
        reportable=0.13,
        excludable=delta + half,
        is_listed=True,
        is_improvement=delta < 0,
        citation=citation,
    )
