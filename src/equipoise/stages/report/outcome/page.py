"""The page of an outcome comparison: headline, what was delivered, what it cost, what is odd."""

from collections.abc import Iterator

from equipoise.records.outcome_plan import Control, OutcomePlan
from equipoise.records.outcome_report import Answer, Standing
from equipoise.stages.report.frame import filled
from equipoise.stages.report.glossary import OUTCOME_WORDS, WORDS
from equipoise.stages.report.outcome.cells import cells_section
from equipoise.stages.report.outcome.claims import hypotheses_section
from equipoise.stages.report.outcome.conduct import conduct_section
from equipoise.stages.report.outcome.items import items_section
from equipoise.stages.report.outcome.lists import lists_section
from equipoise.stages.report.outcome.parts import cost_section, parts_section
from equipoise.stages.report.outcome.queue import triage_section
from equipoise.stages.report.outcome.reading import ORIGINS, PROXY, OutcomeReading
from equipoise.stages.report.text import label


def to_outcome_page(reading: OutcomeReading) -> bytes:
    """Gives index.html of an outcome comparison; the bytes depend on what was compared alone."""
    sections = [
        hypotheses_section(reading),
        triage_section(reading),
        cells_section(reading),
        parts_section(reading),
        cost_section(reading),
        items_section(reading),
        lists_section(reading),
        conduct_section(reading),
    ]
    return filled(
        "outcome.html.j2",
        tool_version=reading.plan.tool_version,
        title=label(reading.plan.title, 160),
        question=label(reading.plan.question, 400),
        reading=reading,
        verdict=reading.file.verdict,
        warnings=list(_warnings(reading)),
        facts=list(_facts(reading)),
        claims=[
            (label(one.statement or one.id, 200), _ANSWERS[one.answer])
            for one in reading.file.hypotheses
            if one.primary and reading.file.verdict.standing is Standing.DECIDED
        ],
        sections=[section for section in sections if section is not None],
        notes=[label(note, 400) for note in (*reading.file.notes, *reading.comparison.notes)],
        words=(*OUTCOME_WORDS, *WORDS),
    )


def _warnings(reading: OutcomeReading) -> Iterator[tuple[str, str]]:
    if reading.is_simulated:
        yield "Simulated.", "Stand-ins made these runs: nothing here speaks of real systems."
    if reading.is_proxy:
        yield _split(PROXY)
    if reading.origin in ORIGINS:
        yield _split(ORIGINS[reading.origin])


def _split(text: str) -> tuple[str, str]:
    """Gives what is set in bold of a warning, up to its first colon, and the rest."""
    head, _, rest = text.partition(": ")
    return f"{head}.", f"{rest[:1].upper()}{rest[1:]}"


def _facts(reading: OutcomeReading) -> Iterator[tuple[str, str]]:
    yield "control", _control(reading)
    for arm in reading.pair:
        skill = f"skill {label(arm.skill)}" if arm.skill else "no skill"
        yield label(arm.arm), f"{label(arm.model) if arm.model else 'model not recorded'}, {skill}"
    n_scenarios = len({one.scenario for one in reading.results})
    times = reading.plan.stochastic_repetitions
    yield (
        "scenarios",
        f"{n_scenarios}, {times} times each in every arm; repetitions lie inside them",
    )


_ANSWERS = {
    Answer.CONFIRMED: "confirmed",
    Answer.REJECTED: "rejected",
    Answer.NULL: "neither confirmed nor rejected",
}


def _control(reading: OutcomeReading) -> str:
    """Gives what the pair controls for; where that is nothing known, in what the arms differ."""
    file, plan = reading.file, reading.plan.outcome
    if file.control is not Control.MIXED or not isinstance(plan, OutcomePlan):
        return _CONTROLS[file.control]
    pair = {file.new_arm, file.base_arm}
    for one in plan.contrasts:
        if {one.new, one.base} == pair:
            what = [*one.differs, *([f"skills: {one.skills}"] if one.skills else [])]
            cause = ": none of these alone can be named the cause" if len(what) > 1 else ""
            return label(f"none of its own; the arms differ in {'; '.join(what)}", 300) + cause
    return _CONTROLS[file.control]


_CONTROLS = {
    Control.L1: "L1: two versions of a skill, all else equal",
    Control.L2: "L2: with the skill and without it, all else equal",
    Control.L3: "L3: one model with the skill against another without it",
    Control.MIXED: "none of its own",
    None: "not told by the plan",
}
