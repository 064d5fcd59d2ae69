"""What ``equipoise prove`` shows: how far it is, a table of scenarios, what there is to mend."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from equipoise.cli.screen import write
from equipoise.records.codec import pretty
from equipoise.records.counted import counted
from equipoise.records.lint import PackLint, SeedLint
from equipoise.records.notice import Notice, Severity
from equipoise.records.proof import Proof
from equipoise.records.suite_run import TestOutcome
from equipoise.studies.outcome.proving_all import Proved

_HEAD = ("scenario", "kind", "tier", "explicit", "implicit", "own suite", "bug lies", "noticed", "")
_MOST_SURVIVORS = 3


def table(lint: PackLint, proved: tuple[Proved, ...]) -> str:
    """Gives the seeds, a line for each scenario, and below it what stands against which."""
    lines = [_seed(name, seed) for name, seed in lint.seeds.items()]
    lines += _columns([_HEAD, *(_row(one) for one in proved)])
    for one in proved:
        lines += [f"{one.scenario.id}: not proved: {fault}" for fault in one.proof.faults]
    for notice in lint.told:
        lines.append(_notice(notice))
    for one in proved:
        lines += [_notice(notice, one.scenario.id) for notice in one.proof.notices]
    for one in proved:
        lines += _survivors(one.scenario.id, one.proof)
    n_proved = sum(one.proof.is_proved for one in proved)
    n_new = sum(one.is_new for one in proved)
    lines.append(
        f"{n_proved} of {counted(len(proved), 'scenario')} proved; {n_new} of the proofs made now"
    )
    return "".join(f"{line}\n" for line in lines)


def json_of(lint: PackLint, proved: tuple[Proved, ...]) -> str:
    """Gives the same for programs."""
    told: dict[str, Any] = {
        "pack": lint,
        "proofs": [one.proof for one in proved],
        "made_now": [one.scenario.id for one in proved if one.is_new],
        "is_proved": not lint.faults and all(one.proof.is_proved for one in proved),
    }
    return pretty(told).decode()


def lint_lines(seen: Mapping[str, tuple[Notice, ...]], whys: list[str]) -> str:
    """Gives what was seen of scenarios, a line each, and why which may not be run as it stands."""
    lines = [_notice(one, name) for name, notices in seen.items() for one in notices]
    lines += [f"not runnable: {why}" for why in whys]
    told = [one for notices in seen.values() for one in notices]
    n_refused = sum(one.severity is Severity.REFUSED for one in told)
    lines.append(
        f"{counted(len(seen), 'scenario')} looked at: {counted(n_refused, 'fault')}, "
        f"{counted(len(told) - n_refused, 'warning')}"
    )
    return "".join(f"{line}\n" for line in lines)


def is_refused(seen: Mapping[str, tuple[Notice, ...]]) -> bool:
    """Says whether something was seen that stands against a scenario."""
    return any(one.severity is Severity.REFUSED for told in seen.values() for one in told)


class Shown:
    """Tells of runs and scenarios as they end; a bar where there is a terminal."""

    def __init__(self, bar: Any, total: int) -> None:
        """Takes the bar, if there is one."""
        self._bar = bar
        self._task = bar.add_task("proving", total=total, note="") if bar else None

    def done(self, what: str) -> None:
        """Shows what has just been done."""
        if self._bar:
            self._bar.update(self._task, note=what)

    def proved(self, one: Proved) -> None:
        """Shows that a scenario is through."""
        if self._bar:
            self._bar.advance(self._task)
        elif one.is_new:
            word = "proved" if one.proof.is_proved else "not proved"
            write(f"{one.scenario.id}: {word}\n", to_stderr=True)


@contextmanager
def progress(total: int) -> Iterator[Shown]:
    """Shows how far the proving is."""
    if not sys.stderr.isatty():
        yield Shown(None, total)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Shown(bar, total)


def _seed(name: str, seed: SeedLint) -> str:
    facts = seed.facts
    known = [one.coverage for one in facts.modules.values() if one.coverage is not None]
    spread = f", {min(known):.0%} to {max(known):.0%} of a module" if known else ""
    suite = (
        f"{facts.n_tests} own tests in {facts.suite_s} s{spread}"
        if facts.suite_s is not None
        else f"own suite not measured: {facts.unmeasured}"
    )
    past = f"{counted(facts.n_commits, 'commit')} by {counted(facts.n_authors, 'author')}"
    return (
        f"seed {name}: {facts.n_python:,} lines, {facts.n_lines:,} of them code, {past} from "
        f"{facts.first_at} to {facts.last_at}, {suite}"
    )


def _row(one: Proved) -> tuple[str, ...]:
    scenario, proof = one.scenario, one.proof
    word = "proved" if proof.is_proved else "NOT PROVED"
    return (
        scenario.id,
        scenario.kind.value,
        scenario.difficulty or "-",
        _group(proof, "explicit"),
        _group(proof, "implicit"),
        _group(proof, "regression", "own suite"),
        _corner(proof),
        _noticed(proof),
        word if one.is_new else f"{word}, as before",
    )


def _group(proof: Proof, group: str, what: str = "reference") -> str:
    for run in proof.runs:
        if run.what == what and run.group == group:
            n_passed = sum(found is TestOutcome.PASSED for found in run.tests.values())
            return f"{n_passed} of {len(run.tests)}" if run.tests else "not run"
    return "-"


def _corner(proof: Proof) -> str:
    corner = proof.corner
    if corner is None:
        return "-"
    if corner.unmeasured:
        return "not measured"
    tests = {name for line in corner.lines for name in line.tests or ()}
    return f"run by {len(tests)} of {corner.n_tests}" if tests else "run by none"


def _noticed(proof: Proof) -> str:
    near = [run for run in proof.runs if run.what.startswith("near-miss")]
    told = f"{sum(not run.faults for run in near)}/{len(near)}"
    if proof.mutation is not None:
        told += f" + {proof.mutation.n_caught}/{proof.mutation.n_run}"
    return told


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _notice(notice: Notice, whose: str = "") -> str:
    where = " ".join(one for one in (whose, notice.where) if one)
    more = f" ({notice.count} times)" if notice.count > 1 else ""
    return f"{notice.severity.value}: {where}: {notice.message}{more}"


def _survivors(name: str, proof: Proof) -> Iterator[str]:
    found = proof.mutation.survivors if proof.mutation is not None else ()
    for one in found[:_MOST_SURVIVORS]:
        changed = [
            line
            for line in one.diff.splitlines()
            if line[:1] in "+-" and not line.startswith(("+++", "---"))
        ]
        yield f"warning: {name}: no hidden test notices {one.where}: {one.what}"
        yield from (f"    {line}" for line in changed)
    if len(found) > _MOST_SURVIVORS:
        yield f"    … and {len(found) - _MOST_SURVIVORS} more: equipoise prove … --json"
