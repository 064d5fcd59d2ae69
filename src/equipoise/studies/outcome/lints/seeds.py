"""Holds a seed against what a real small project is: size, past, age, coverage, time of its suite.

What is measured is told whatever it is. A seed whose own suite is not green is refused: nothing
could be said of harm. All else is a warning: verdicts hold, for a less real project.
"""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from equipoise.ports.agents import Seed
from equipoise.ports.probes import Covered, Probes
from equipoise.records.counted import counted
from equipoise.records.lint import ModuleFacts, SeedFacts, SeedLint
from equipoise.records.notice import Notice, Severity
from equipoise.studies.outcome.lints.sources import (
    Source,
    deprecated,
    drift,
    foreign,
    markers,
    sources,
)

OWN_TESTS = ("tests/**/*.py",)
"""Where the own suite of a seed lies."""
ONBOARDED = (".codestable", "AGENTS.md", "CLAUDE.md")
"""A folder or file of these in a seed says how work is done there."""

LEAST_LINES, MOST_LINES = 500, 2000
"""A thousand lines of Python or so, with tests: less is a toy, more is no small project."""
MOST_SUITE_S = 10.0
"""Tests within seconds."""
LEAST_COMMITS, LEAST_AUTHORS, LEAST_DAYS = 3, 2, 14
"""A past in several stages, by more than one person, over more than an afternoon."""
LEAST_SPREAD = 0.15
"""Between the module that the own suite runs most of and the one that it runs least of."""
_LEAST_RUNNABLE = 5
"""A module with fewer lines that can be run says nothing of coverage."""
_MOST_NAMED = 5


def lint_seed(name: str, seed: Seed, probes: Probes) -> SeedLint:
    """Measures a seed as it is without a bug, and says what is unlike a real small project.

    Raises:
        Blocked: no sandbox works here, so that the own suite cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="equipoise-seed-") as folder:
        place = Path(folder, "seed")
        seed.copy(place)
        files = sources(place)
        is_onboarded = any(place.joinpath(name).exists() for name in ONBOARDED)
    covered = probes.covered(seed, OWN_TESTS)
    facts = _facts(files, seed, probes, covered, is_onboarded=is_onboarded)
    return SeedLint(
        sha256=seed.sha256,
        facts=facts,
        notices=tuple(_notices(f"seed {name}", facts, covered)),
    )


def _facts(
    files: tuple[Source, ...], seed: Seed, probes: Probes, covered: Covered, *, is_onboarded: bool
) -> SeedFacts:
    commits = probes.commits(seed)
    at = sorted(datetime.fromtimestamp(one.at, UTC).date().isoformat() for one in commits)
    code = [one for one in files if not one.is_test]
    modules = {
        one.path: ModuleFacts(n_lines=one.n_lines, coverage=_coverage(one, covered))
        for one in code
        if one.n_lines
    }
    return SeedFacts(
        n_commits=len(commits),
        n_authors=len({one.author for one in commits}),
        first_at=at[0] if at else "",
        last_at=at[-1] if at else "",
        n_python=sum(len(one.text.splitlines()) for one in files),
        n_lines=sum(one.n_lines for one in modules.values()),
        n_test_lines=sum(one.n_lines for one in files if one.is_test),
        is_onboarded=is_onboarded,
        modules=modules,
        foreign=tuple(foreign(files)),
        markers=tuple(markers(files)),
        deprecated=tuple(deprecated(files)),
        drift=tuple(drift(files)),
        suite_s=None if covered.why else round(covered.seconds, 1),
        n_tests=None if covered.why else len(covered.tests),
        unmeasured=covered.why,
    )


def _coverage(one: Source, covered: Covered) -> float | None:
    runnable = one.runnable()
    if covered.why or len(runnable) < _LEAST_RUNNABLE:
        return None
    return round(len(runnable & covered.lines(one.path)) / len(runnable), 3)


def _notices(where: str, facts: SeedFacts, covered: Covered) -> Iterator[Notice]:
    def told(code: str, message: str, severity: Severity = Severity.WARNING) -> Notice:
        return Notice(code=code, message=message, severity=severity, where=where)

    if covered.why or not covered.tests:
        why = covered.why or "no test was found"
        yield told("own_suite", f"its own suite cannot be run: {why}", severity=Severity.REFUSED)
    elif covered.failed:
        names = ", ".join(covered.failed[:_MOST_NAMED])
        yield told("own_suite", f"its own suite is not green: {names}", severity=Severity.REFUSED)
    if not LEAST_LINES <= facts.n_python <= MOST_LINES:
        yield told(
            "seed_size",
            f"{facts.n_python:,} lines of Python; a small project has {LEAST_LINES:,} to "
            f"{MOST_LINES:,}",
        )
    if facts.suite_s is not None and facts.suite_s > MOST_SUITE_S:
        yield told(
            "slow_suite", f"its own suite takes {facts.suite_s} s; wanted: at most {MOST_SUITE_S} s"
        )
    if facts.foreign:
        yield told(
            "third_party",
            f"imports from outside the standard library: {', '.join(facts.foreign[:_MOST_NAMED])}",
        )
    yield from (told(code, message) for code, message in _past(facts))
    yield from (told(code, message) for code, message in _age(facts))


def _past(facts: SeedFacts) -> Iterator[tuple[str, str]]:
    if facts.n_commits < LEAST_COMMITS or facts.n_authors < LEAST_AUTHORS:
        found = f"{counted(facts.n_commits, 'commit')} by {counted(facts.n_authors, 'author')}"
        yield "thin_history", f"{found}; wanted: at least {LEAST_COMMITS} by {LEAST_AUTHORS}"
    days = _days(facts)
    if days < LEAST_DAYS:
        yield "short_history", f"all commits within {days} days; wanted: at least {LEAST_DAYS}"
    if not facts.is_onboarded:
        names = f"{', '.join(ONBOARDED[:-1])} or {ONBOARDED[-1]}"
        yield (
            "no_onboarding",
            f"there is no {names}: a skill is out of the environment it was made for",
        )


def _age(facts: SeedFacts) -> Iterator[tuple[str, str]]:
    if not facts.markers:
        yield "no_markers", "no TODO or FIXME anywhere: nobody's project is that finished"
    if not facts.deprecated:
        yield "nothing_deprecated", "nothing in it is called deprecated"
    if not facts.drift:
        yield "no_drift", "every file has the same habits of style"
    known = [one.coverage for one in facts.modules.values() if one.coverage is not None]
    if known and max(known) - min(known) < LEAST_SPREAD:
        found = f"its own suite runs {min(known):.0%} to {max(known):.0%} of every module"
        yield "even_coverage", f"{found}; wanted: a spread of at least {LEAST_SPREAD:.0%}"


def _days(facts: SeedFacts) -> int:
    if not facts.first_at:
        return 0
    return (datetime.fromisoformat(facts.last_at) - datetime.fromisoformat(facts.first_at)).days
