"""The page `RATING-PLAN.md`: what was promised, for people to read before anybody is asked."""

from collections.abc import Iterable, Sequence

from equipoise.records.counted import counted
from equipoise.records.rating_plan import RatingPlan, SetKind
from equipoise.stages.plan.rating_outlook import AxisOutlook, RatingOutlook, found_said
from equipoise.stats.bws_design import DesignBalance

_ESCAPED = str.maketrans({c: f"\\{c}" for c in "\\`*[]<>|#"} | {"\n": " ", "\r": " "})


def rating_plan_page(plan: RatingPlan, outlook: RatingOutlook) -> str:
    """Gives the page; the same plan and outlook give the same text."""
    blocks = [
        [f"# {_text(plan.title)}", "", _text(plan.question)],
        ["## Promised", "", *_table(("what", "promised"), _facts(plan, outlook))],
        ["## Axes: one task and one ranking each", "", *_axes(plan)],
        ["## What they will be able to tell", "", *_powers(outlook)],
        ["## Balance: smallest and largest count", "", *_balances(outlook)],
        ["## Who is asked", "", *_lists(plan, outlook)],
        *([list(outlook.masked)] if outlook.masked else []),
        *([list(outlook.legal)] if outlook.legal else []),
        ["## Why it might not decide", "", *_listed(outlook.doubts, "Nothing is known.")],
        ["## To be known beside it", "", *_listed(outlook.remarks, "Nothing.")],
    ]
    return "\n".join("\n".join(block) + "\n" for block in blocks)


def _facts(plan: RatingPlan, outlook: RatingOutlook) -> list[tuple[str, str]]:
    is_pair = outlook.is_paired
    asked = "which of two is better" if is_pair else f"best and worst of {plan.set_size}"
    once = f"{plan.raters_per_set} people on {plan.overlap:.0%} of the sets, one on the rest"
    least = plan.agreement_min
    rules = "; ".join(
        f"{rule['arm']} is {rule['is']} on {rule['axis']} (margin {rule['margin']:g})"
        for rule in plan.rules
    )
    facts = [
        ("asked", asked),
        ("arms", ", ".join(plan.arms)),
        ("baseline", plan.baseline),
        ("decides", plan.decides),
        ("mde", _mde(plan)),
        ("alpha, power", f"{plan.alpha:g} over all pairs of arms, {plan.power:g}"),
        ("rules", rules or "none beside the ranking"),
        ("identical texts", _IDENTICAL[plan.identical]),
        ("longest text", f"{plan.longest:,} characters"),
        ("raters", once if plan.annotators else "no people"),
        ("agreement", "no least agreement is registered" if least is None else _least(least)),
        ("checks", outlook.checks or "none"),
        ("outputs", f"{plan.outputs_file}, sha256 {plan.outputs_sha256}"),
        ("seed", str(plan.seed)),
        ("plan.json", f"sha256 {outlook.plan_sha256}"),
    ]
    if plan.threshold:
        parts = [len(plan.threshold[part]) for part in ("calibration", "final")]
        told = f"chosen on {parts[0]:,} units, reported on {parts[1]:,} others"
        facts.insert(7, ("threshold", told))
    if plan.is_simulated:
        facts.insert(0, ("simulated", "the outputs or the people stand in for real ones"))
    return facts


def _mde(plan: RatingPlan) -> str:
    """Says what the smallest difference means; of two arms also as a rate of wins."""
    said = f"{plan.mde:g}, a difference of two scores, from -2 to 2 (a score is -1 to 1)"
    if len(plan.arms) > 2:
        return said
    return f"{said}: one of two arms wins {0.5 + plan.mde / 4:.1%} of the sets"


_IDENTICAL = {
    "credit-both": "shown once; what is chosen is credited to every arm that has the text",
    "drop": "sets with two arms of the same text are dropped",
}


def _least(value: float) -> str:
    return f"below {value:g} beyond chance no ranking is given, but more people or sets asked for"


def _axes(plan: RatingPlan) -> list[str]:
    rows = [
        (
            axis.name,
            axis.ask,
            ", ".join([*axis.shows, *(["prompt"] if axis.shows_prompt else [])]) or "nothing",
            ", ".join(axis.languages) or "all",
        )
        for axis in plan.axes
    ]
    return _table(("axis", "asked", "shown beside the texts", "languages"), rows)


def _powers(outlook: RatingOutlook) -> list[str]:
    rows = [
        (
            one.axis,
            f"{one.power.n_sets:,}",
            f"{one.power.n_clusters:,}",
            f"{one.power.n_answers:,}",
            f"{one.power.n_overlapping:,}",
            f"{one.power.n_needed:,}",
            f"{one.power.power_reached:.3f}",
            found_said(one.power),
            f"{one.power.design_effect:.3f}",
            one.no_kappa or "can be told",
        )
        for one in outlook.axes
    ]
    head = (
        *("axis", "sets", "clusters", "answers", "sets with two or more people", "answers needed"),
        *("power for the mde", "found with the planned power", "design effect", "agreement"),
    )
    return [
        *_table(head, rows),
        "",
        _POWER_OF,
        "",
        *(f"- {_text(one.axis)}: {_text(one.power.design)}" for one in outlook.axes),
    ]


_POWER_OF = (
    "The power is that of limits over clusters (texts, or what texts share), for all pairs "
    "together, where one arm is best in a share of the sets and choices among the others are by "
    "chance. Where it is a little better in every set the power is a little higher."
)


def _balances(outlook: RatingOutlook) -> list[str]:
    rows = []
    for one in outlook.axes:
        rows.append((one.axis, "sets as made", *_balance(one.designed)))
        if one.answered is not None:
            rows.append((one.axis, "answers as planned", *_balance(one.answered)))
    return _table(("axis", "of", "shown", "pair", "place", "follows", "design"), rows)


def _balance(found: DesignBalance) -> tuple[str, ...]:
    counts = (found.shown, found.pair, found.position, found.follows)
    return (*(f"{low}-{high}" for low, high in counts), found.label)


def _lists(plan: RatingPlan, outlook: RatingOutlook) -> list[str]:
    if not outlook.lists:
        return ["No people."]
    kinds = [kind.value for kind in SetKind]
    of = {person.name: person for person in plan.annotators}
    rows = [
        (
            one.annotator,
            ", ".join(of[one.annotator].axes) or "all",
            ", ".join(of[one.annotator].languages) or "all",
            f"{one.n:,}",
            *(f"{one.kinds.get(kind, 0):,}" for kind in kinds),
        )
        for one in outlook.lists
    ]
    return _table(("annotator", "axes", "languages", "sets", *kinds), rows)


def _listed(lines: Sequence[str], nothing: str) -> list[str]:
    return [f"- {_text(line)}" for line in lines] or [nothing]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(head)} |",
        f"| {' | '.join('---' for _ in head)} |",
        *(f"| {' | '.join(_text(cell) for cell in row)} |" for row in rows),
    ]


def _text(text: str) -> str:
    return text.translate(_ESCAPED)


def told_axis(one: AxisOutlook) -> str:
    """Gives one axis in a line, as the terminal has it."""
    power = one.power
    sets = counted(power.n_sets, "set")
    if 0 < power.n_clusters < power.n_sets:
        sets += f" of {counted(power.n_clusters, 'cluster')}"
    needed = f"{counted(power.n_needed, 'answer')} needed for the mde"
    if not power.n_answers:
        return f"{one.axis}: {sets}, no people are asked; of people {needed}"
    return (
        f"{one.axis}: {sets}, {counted(power.n_answers, 'answer')} of people, {needed}; power "
        f"{power.power_reached:.2f} for the mde, finds {found_said(power)}"
    )
