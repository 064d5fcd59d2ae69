"""The table of scenarios: what each gained or lost, and how each of its cells ended."""

from equipoise.records.counted import counted
from equipoise.records.outcome import Kept, OutcomeResult
from equipoise.stages.report.numbers import fixed
from equipoise.stages.report.outcome.reading import LEAST_GAIN, Moved, OutcomeReading
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label


def cells_section(reading: OutcomeReading) -> Section:
    """Gives each scenario's cells, arm by arm, repetition by repetition."""
    arms = [arm.arm for arm in reading.pair]
    rows = []
    moved = {one.scenario: one for one in reading.moved}
    for scenario in _worst_first(reading):
        kept = [one for one in reading.results if one.scenario == scenario]
        cells = [_cells([one for one in kept if one.arm == arm]) for arm in arms]
        kind = f"{kept[0].kind}, {kept[0].tier}" if kept[0].tier != "none" else kept[0].kind
        gain = (_gain(moved.get(scenario)),) if moved else ()
        rows.append((named(scenario), Cell(text=kind), *gain, *cells))
    heads = ("Scenario", "Kind", *(("#Gain",) if moved else ()))
    columns = (*heads, *(label(arm) for arm in arms))
    return Section(
        anchor="scenarios",
        title="Scenario by scenario",
        short="Scenarios",
        leads=(
            (
                "A line for each repetition, or one for all that ended alike: hidden tests that "
                "passed, explicit + implicit; then the seed's own suite. Test by test they stand "
                "in outcome-results.jsonl; `equipoise triage STUDY SCENARIO --show` lists the "
                "cells, and shows what an agent did in one."
            ),
            *_balance(reading),
        ),
        tables=(table("Repetitions of each scenario", columns, rows),),
    )


def _worst_first(reading: OutcomeReading) -> list[str]:
    """Gives the scenarios, those that lost most first, and those that nobody can tell last."""
    gains = {one.scenario: one.gain for one in reading.moved}
    names = dict.fromkeys(one.scenario for one in reading.results)
    return sorted(names, key=lambda name: (gains.get(name) is None, gains.get(name) or 0.0))


def _balance(reading: OutcomeReading) -> tuple[str, ...]:
    """Gives how many scenarios gained and lost in their main metric, in one sentence."""
    if not reading.moved:
        return ()
    gains = [one.gain for one in reading.moved]
    known = [gain for gain in gains if gain is not None]
    more, less = (sum(sign * gain > LEAST_GAIN for gain in known) for sign in (1, -1))
    untold = f", {len(gains) - len(known)} cannot be told" if len(known) < len(gains) else ""
    said = (
        f"In the main metric {label(reading.file.new_arm)} gains in {more} of "
        f"{counted(len(gains), 'scenario')}, loses in {less} and is the same in "
        f"{len(known) - more - less}{untold}; what lost most stands first. One scenario by itself "
        "is a lead, and no finding."
    )
    return (said,)


def _gain(one: Moved | None) -> Cell:
    if one is None or one.gain is None or one.new is None or one.base is None:
        return Cell(text="cannot be told")
    shown = fixed(one.gain, 2, sign=True) if abs(one.gain) > LEAST_GAIN else fixed(0.0, 2)
    note = f"{fixed(one.base, 2)} to {fixed(one.new, 2)} [{one.tag}]"
    return Cell(text=shown, note=note, is_whole=True)


def _cells(results: list[OutcomeResult]) -> Cell:
    lines = tuple(_line(one) for one in results)
    if len(lines) > 1 and len(set(lines)) == 1:
        lines = (f"{len(lines)} times {lines[0]}",)
    return Cell(lines=lines, is_code=True) if lines else Cell(text="not recorded")


def _line(one: OutcomeResult) -> str:
    if not one.has_outcome:
        return f"{one.ending}: {label(one.why, 60) if one.why else 'no outcome'}"
    groups = (one.hidden_explicit, one.hidden_implicit)
    names = ("hidden_explicit", "hidden_implicit")
    counted = [
        f"{group.passed}/{group.total}" if group is not None and name in one.rates else "n/a"
        for name, group in zip(names, groups, strict=True)
    ]
    hidden = [] if counted == ["n/a", "n/a"] else [" + ".join(counted)]
    own = {Kept.PASS: "suite green", Kept.FAIL: "suite broken"}.get(one.regression, "suite n/a")
    more = [
        f"{name} {word.value}"
        for name, word in (("contracts", one.artifact), ("checkpoint", one.checkpoint))
        if word in {Kept.PASS, Kept.FAIL}
    ]
    if "end_state" in one.rates:
        more.append(f"end state {'right' if one.rates['end_state'] >= 1 else 'wrong'}")
    odd = [f"! {kind}" for kind in dict.fromkeys(found.kind.value for found in one.found)]
    return ", ".join([*hidden, own, *more, *odd])
