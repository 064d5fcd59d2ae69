"""``equipoise calc --self-test``: the topics held against answers that come from elsewhere."""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from equipoise import __version__
from equipoise.cli.calc_cases import Answer, Case, answered
from equipoise.cli.topics import Topic
from equipoise.errors import InputError, nearest
from equipoise.records.codec import pretty
from equipoise.records.self_test import FailedVector, SelfTest

Families = Mapping[str, Mapping[str, Topic]]


def run_cases(families: Families, cases: Sequence[Case], only: str | None) -> list[Answer]:
    """The answers to all cases, or to those of one topic or family.

    Raises:
        InputError: no case is of that topic or family (code ``unknown_topic``).
    """
    topics = {name: topic for family in families.values() for name, topic in family.items()}
    chosen = [case for case in cases if only in (None, case.topic, _family(families, case.topic))]
    if not chosen:
        hint = nearest(str(only), [*topics, *families]) or "see `equipoise calc --list`"
        found = f"no case of a topic {only!r}"
        raise InputError(found, mend=hint, code="unknown_topic")
    return [answered(topics, case) for case in chosen]


def told(families: Families, answers: Sequence[Answer]) -> str:
    """A line for each family with its counts, then each difference with its source."""
    rows = _counts(families, answers)
    wide = max(len(row["family"]) for row in rows)
    lines = [
        f"{row['family']:<{wide}}  {row['topics']:>3} topic{'s' if row['topics'] != 1 else ' '}  "
        f"{row['cases']:>4} case{'s' if row['cases'] != 1 else ' '}  "
        + (f"{row['differ']} differ" if row["differ"] else "agree")
        for row in rows
    ]
    for answer in answers:
        if answer.differences:
            lines += ["", f"{answer.case.topic} ({answer.case.where})"]
            lines += [f"  {difference}" for difference in answer.differences]
            lines.append(f"  source: {answer.case.source}")
    differ = sum(bool(answer.differences) for answer in answers)
    topics = len({answer.case.topic for answer in answers})
    end = f"{differ} differ" if differ else "all agree"
    total = f"{topics} topic{'s' * (topics != 1)}, {len(answers)} case{'s' * (len(answers) != 1)}"
    return "\n".join([*lines, "", f"{total}: {end}", ""])


def as_json(answers: Sequence[Answer], cases: str) -> str:
    """The record of a self-test, as the other commands print it.

    Args:
        answers: to all cases.
        cases: where they come from: ``built-in`` or a file.
    """
    failed = tuple(
        FailedVector(
            id=f"{answer.case.topic} ({answer.case.where})",
            says=answer.case.source,
            diff="\n".join(answer.differences),
        )
        for answer in answers
        if answer.differences
    )
    found = SelfTest(
        command="calc",
        vectors=cases,
        n=len(answers),
        n_passed=len(answers) - len(failed),
        failed=failed,
        versions={"equipoise": __version__} | {name: version(name) for name in ("numpy", "scipy")},
    )
    return pretty(found).decode()


def as_json_lines(answers: Sequence[Answer]) -> str:
    """One line a case: what was found and wanted, and whether they agree."""
    return "".join(json.dumps(_row(answer), ensure_ascii=False) + "\n" for answer in answers)


def _row(answer: Answer) -> dict[str, Any]:
    case = answer.case
    return {
        "topic": case.topic,
        "case": case.where,
        "agrees": not answer.differences,
        "differences": answer.differences,
        "input": case.given,
        "found": answer.found,
        "wanted": case.wanted,
        "tolerance": case.tolerance,
        "source": case.source,
    }


def _counts(families: Families, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    rows = []
    for family in sorted({_family(families, answer.case.topic) for answer in answers}):
        of = [answer for answer in answers if _family(families, answer.case.topic) == family]
        rows.append(
            {
                "family": family,
                "topics": len({answer.case.topic for answer in of}),
                "cases": len(of),
                "differ": sum(bool(answer.differences) for answer in of),
            }
        )
    return rows


def _family(families: Families, topic: str) -> str:
    return next((name for name, topics in families.items() if topic in topics), "unknown")
