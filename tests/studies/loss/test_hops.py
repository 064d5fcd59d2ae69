"""A boundary that the logs show and the plan does not declare makes the plan incomplete."""

import json
from datetime import date
from pathlib import Path

import pytest

from equipoise.archive.manifest import Manifest
from equipoise.archive.store import Archive
from equipoise.records.plan import Plan
from equipoise.studies.loss.hops import hops_seen, undeclared_hops
from equipoise.studies.loss.planning import plan_study
from studies.loss.made_study import made_study


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_study(made_study(tmp_path / "study"), today=date(2026, 1, 2)).plan


def archived(path: Path, documents: dict[str, bytes]) -> Archive:
    manifest = Manifest(run_id="release-1-01234567-1", kind="run", tool_version="0")
    with Archive.create(path, manifest) as archive:
        for name, content in documents.items():
            archive.attach(name, [content])
    return Archive.open(path)


def lines(*hops: str | None) -> bytes:
    return b"".join(json.dumps({"trace": "t", "hop": hop}).encode() + b"\n" for hop in hops)


@pytest.mark.requirement("E2E-12")
def test_an_undeclared_boundary_is_named_with_its_log(plan: Plan, tmp_path: Path) -> None:
    archive = archived(
        tmp_path / "archive",
        {
            "a1/journal.jsonl": lines("desk", "desk"),
            "b2/journal.jsonl": lines("desk", "cache", "cache"),
            "c3/journal.jsonl": lines("cache"),
        },
    )
    (told,) = undeclared_hops(plan, archive)
    assert told.startswith("the plan is incomplete: the logs show the boundary 'cache'")
    assert "(journal.jsonl of 2 trials)" in told


def test_declared_boundaries_and_logs_without_any_say_nothing(plan: Plan, tmp_path: Path) -> None:
    archive = archived(
        tmp_path / "archive",
        {
            "a1/journal.jsonl": lines("desk", None),
            "a1/actions.jsonl": b'{"tool":"pay_back"}\n[1]\n',
            "a1/stderr": lines("cache"),
        },
    )
    assert undeclared_hops(plan, archive) == ()
    assert set(hops_seen(archive)) == {"desk"}


def test_lines_that_are_no_objects_are_passed_over(plan: Plan, tmp_path: Path) -> None:
    odd = b'{"hop":\n\xff\xfe{"hop":"x"}\n{"hop":7}\n{"hop":null}\n\n"hop"\n' + lines("queue")
    archive = archived(tmp_path / "archive", {"a1/journal.jsonl": odd})
    (told,) = undeclared_hops(plan, archive)
    assert "'queue'" in told
    assert "(journal.jsonl of 1 trials)" in told
