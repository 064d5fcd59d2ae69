"""The page `E2E-PLAN.md`: what was promised, for people to read before anything is executed."""

from collections.abc import Iterator, Sequence

from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Batch, Limits, Mode, Plan, Provenance, Stopping
from equipoise.records.rating_plan import PanelPlan
from equipoise.stages.plan.outlook import Outlook
from equipoise.stages.plan.page_text import escaped, table

_TRUNCATION = {
    Batch.TRIAL: "voids its trial (truncation: trial)",
    Batch.UNIT: "voids every execution of its unit in that arm (truncation: unit)",
    Batch.RUN: "voids the whole run of that arm (truncation: run)",
}


def plan_page(plan: Plan, outlook: Outlook, first: Sequence[list[str]] = ()) -> str:
    """Gives the page; the same plan and outlook give the same text.

    Args:
        plan: the plan.
        outlook: what it will be able to tell.
        first: blocks of lines that stand before everything that is common to all studies.
    """
    blocks = [
        [f"# {escaped(plan.title)}", "", escaped(plan.question)],
        *first,
        _facts(plan, outlook),
        ["## Trace: one signal a hop", "", *_hops(plan)],
        ["## Partitions", "", *_partitions(plan)],
        ["## What it will be able to tell", "", *_cells(outlook)],
        ["## Arms, sandbox and teardown", "", *_arms(plan, outlook)],
        ["## Units", "", *_units(plan)],
        [f"## {_doubtful(plan)}", "", *_doubts(outlook)],
        ["## To be known beside it", "", *_listed(outlook.remarks, "Nothing.")],
    ]
    return "\n".join("\n".join(block) + "\n" for block in blocks)


def _facts(plan: Plan, outlook: Outlook) -> list[str]:
    stopping = (
        "none: every unit is executed"
        if plan.stopping is Stopping.NONE
        else f"{plan.stopping.value}, {plan.looks} looks, alpha {plan.alpha:g}"
    )
    rows = [
        ("mode", " and ".join(mode.value for mode in outlook.modes) + " (follows from the arms)"),
        ("provenance", plan.provenance.value),
        ("mde", f"{plan.mde:g}. {outlook.sentence}"),
        ("that is", outlook.can_tell),
        ("sample budget", f"{plan.sample_budget:,} units, the sum of n_min over the partitions"),
        ("catalog", f"{plan.catalog_version} ({plan.catalog_file}, sha256 {plan.catalog_sha256})"),
        ("rule", outlook.rule_text),
        ("arms", "unit by unit (paired)" if plan.paired else "as independent samples"),
        ("early stopping", stopping),
        ("baseline", plan.baseline),
        ("an answer that meets its token limit", _TRUNCATION[plan.truncation]),
        ("double rating", f"{plan.double_rating_share:.0%} of the units of judged categories"),
        *_judges(plan),
        ("reference set", plan.reference_set or "none"),
        ("seed", str(plan.seed)),
        ("plan.json", f"sha256 {outlook.plan_sha256}"),
    ]
    return ["## Promised", "", *table(("what", "promised"), rows)]


def _judges(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yields who judges, where models do."""
    panel = plan.judges
    if isinstance(panel, PanelPlan):
        named = ", ".join(
            f"{one.name} ({one.model['model']}, family {one.family})" for one in panel.judges
        )
        yield "judges", f"policy {panel.policy.value}: {named}; [soft] until held against people"
        for judge in panel.judges:
            if (record := judge.validation) is not None:
                of = ", ".join(record.categories)
                told = f"{judge.name} was validated before, {record.said} ({record.file})"
                yield f"validation for {of}", f"{told}, sha256 {record.sha256}"


def _hops(plan: Plan) -> list[str]:
    rows = [(hop.id, hop.signal, hop.correct, hop.flake, hop.error) for hop in plan.hops]
    return table(("hop", "signal", "correct", "flake", "error"), rows)


def _partitions(plan: Plan) -> list[str]:
    axes = [(key, ", ".join(values)) for key, values in plan.axes.items()]
    rows = [
        (
            one.text,
            f"{one.frequency:g}",
            f"{one.severity:g}",
            f"{one.weight:.4f}",
            f"{one.s:g}",
            one.s_source.value,
            f"{one.n_min:,}",
            f"{one.n_available:,}",
            f"{one.n_drawn:,}",
            "none drawn" if one.draw_probability is None else f"{one.draw_probability:.4f}",
        )
        for one in plan.partitions
    ]
    head = (
        *("partition", "frequency", "severity", "weight", "s", "source of s", "n_min"),
        *("available", "drawn", "draw probability"),
    )
    return [
        *table(("axis", "values"), axes),
        "",
        "Weight = frequency × severity, as a share of the sum; n_min = ceil(16 s² / mde²).",
        "",
        *table(head, rows),
    ]


def _cells(outlook: Outlook) -> list[str]:
    rows = [
        (
            one.partition,
            one.category or "(loss)",
            f"{one.n:,}",
            f"{one.n_min:,}",
            _number(one.achieved_mde),
            f"{one.margin:g}",
            _number(one.reportable),
            _number(one.reportable_at_worst),
            _number(one.excludable),
            "none is enough" if one.advisory_n is None else f"{one.advisory_n:,}",
        )
        for one in outlook.cells
    ]
    head = (
        *("partition", "category", "n", "n_min", "achieved mde", "margin", "reportable"),
        *("reportable at worst", "excludable", "advisory n"),
    )
    return [
        (
            "Margin: the smallest change that counts. Reportable: the smallest true change that is "
            "listed with 80 %; at worst: where units lose all or nothing. Excludable: the largest "
            "change still possible where nothing is listed. Achieved mde = 4 s / √n. Advisory n: "
            "units in each arm that list a change of two margins with 80 %."
        ),
        "",
        *table(head, rows),
    ]


def _arms(plan: Plan, outlook: Outlook) -> Iterator[str]:
    rows = [
        (
            arm.name,
            arm.mode.value,
            next(iter(arm.system)),
            f"{told.n_executions:,}" if arm.mode is Mode.A else "none (frozen logs)",
        )
        for arm, told in zip(plan.arms, outlook.arms, strict=True)
    ]
    yield from table(("arm", "mode", "system", "executions"), rows)
    if Mode.A in outlook.modes:
        state = plan.state
        kept = f"{state.kind} {state.target}, put back per {state.scope}" if state else "none"
        limits = plan.limits
        yield ""
        yield from table(
            ("mode A", "promised"),
            [
                ("sandbox: variables let through", ", ".join(plan.environment) or "none"),
                ("variables that must be absent", ", ".join(plan.forbidden_environment) or "none"),
                ("teardown: state put back", kept),
                ("time limit of an attempt", f"{limits.cell_timeout_s:g} s"),
                ("attempts at most", f"{limits.max_attempts}"),
                ("at the same time", _at_once(limits)),
                ("minutes at most", _limit(limits.max_minutes)),
                ("US dollars at most", _limit(limits.max_usd)),
            ],
        )


def _at_once(limits: Limits) -> str:
    bounds = [f"{most} with a {name}" for name, most in sorted(limits.resources.items())]
    return f"{limits.concurrency}" + (f", of these {', '.join(bounds)}" if bounds else "")


def _units(plan: Plan) -> Iterator[str]:
    anchors = sum(unit.repetitions == 1 for unit in plan.units)
    hostile = sum(unit.is_adversarial for unit in plan.units)
    yield from table(
        ("units", "promised"),
        [
            ("file", f"{plan.units_file}, sha256 over its units {plan.units_sha256}"),
            ("drawn", f"{len(plan.units):,}"),
            ("deterministic anchors", f"{anchors:,}, executed once"),
            (
                "stochastic units",
                f"{len(plan.units) - anchors:,}, {plan.stochastic_repetitions} repetitions",
            ),
            (
                "adversarial units",
                f"{hostile:,}; cap {plan.adversarial_cap:.0%} of all units; reported apart",
            ),
        ],
    )
    yield ""
    if plan.provenance is Provenance.CORPUS:
        yield (
            "PII rule: every unit has a retention date and says whether it may be quoted; an "
            "expired unit is not used; names are replaced by pseudonyms in everything that is "
            "shown; a unit without permission never supplies a quote."
        )
    else:
        yield "PII rule: not needed, the units are invented."


def _listed(sentences: Sequence[str], otherwise: str) -> list[str]:
    return [f"- {escaped(sentence)}" for sentence in sentences] or [otherwise]


def _doubtful(plan: Plan) -> str:
    if isinstance(plan.outcome, OutcomePlan):
        return "What the rule of losses will not list, whatever becomes of the hypotheses"
    return "Why it might not decide"


def _doubts(outlook: Outlook) -> list[str]:
    none = "No reason is known beside what it will be able to tell (above)."
    return _listed(outlook.doubts, none)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _limit(value: float | None) -> str:
    return "no limit" if value is None else f"{value:g}"
