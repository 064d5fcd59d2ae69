"""Gates: commands of a definition of done are really run, and their exit codes decide."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from equipoise.ports.suites import Suites
from equipoise.records.brief import Brief
from equipoise.records.codec import digest
from equipoise.records.grade import Grade
from equipoise.records.holdout import Holdout
from equipoise.records.plan import Mode
from equipoise.records.trial import Trial
from equipoise.stages.grade.checking import grade_category, ready
from equipoise.stages.grade.material import Material, Stored
from equipoise.wiring.packs import seeds_of
from equipoise.wiring.suites import suites
from every import for_every
from stages.grade.made_catalogs import catalog, category
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import PROGRAM, SEED, diff_of, write

MENDED = PROGRAM.replace("Sums up.", "Sums up numbers.")
BROKEN = PROGRAM.replace("sum(rows)", "0")
CHECKLIST = ".codestable/features/sums/checklist.yaml"
SUITE = {"id": "own-suite", "command": ["python", "-m", "pytest", "-q", "tests"]}
LOADS = {"id": "loads", "command": ["python", "-c", "import tally"]}
NEWER = {
    "id": "brings-a-test",
    "command": ["sh", "-c", "test $(ls tests | wc -l) -gt 1"],
    "is_core": False,
}
LISTED: list[dict[str, Any]] = [
    {"id": "true", "command": "grep -q numbers tally.py"},
    {"id": "false", "command": ["python3", "-c", "raise SystemExit(3)"]},
    {"id": "odd", "command": "\0"},
    {"id": "missing", "command": ["nowhere-to-be-found"]},
    {"text": "no command"},
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Suites, str]]:
    """What runs commands on the small seed, and the seed's hash."""
    folder = tmp_path_factory.mktemp("study")
    write(folder / "seed", SEED)
    with (
        seeds_of(folder) as seeds,
        suites(lambda: datetime(2026, 1, 1, tzinfo=UTC))(folder) as run,
    ):
        yield run, seeds({"folder": "seed"}).sha256


def graded(
    running: tuple[Suites, str], gate: list[Any], spec: Any = None, **files: str
) -> tuple[Grade, Material]:
    run, sha256 = running
    paths = {CHECKLIST if name == "checklist" else name: text for name, text in files.items()}
    contents = {
        "diff.patch": diff_of(SEED, paths),
        "tree.json": json.dumps(dict.fromkeys(paths, "5e1f")),
        "session.json": json.dumps({"seed": {"of": {"folder": "seed"}, "sha256": sha256}}),
        **{f"artifacts/{path}": text for path, text in paths.items()},
    }
    made = Material(
        trial=Trial(id="t1", unit="u1", arm="a"),
        documents={
            name: Stored(name=name, sha256=digest(text.encode()), read=text.encode)
            for name, text in contents.items()
        },
        brief=Brief(unit="u1", content={}, labels={}),
        holdout=Holdout(unit="u1", expected={"gate": gate}),
        suites=run,
    )
    [only] = ready(catalog(category(check={"dod_gate": spec or {"expect": "{expected.gate}"}})))
    return grade_category(only, made, Mode.A), made


@NEEDS_BWRAP
@for_every(
    "text, gate, value, note",
    [
        (MENDED, [SUITE, LOADS], 0.0, ""),
        (MENDED, [LOADS, NEWER], 0.0, "not core, brings-a-test: exit code 1"),
        (BROKEN, [SUITE, LOADS], 1.0, "own-suite: exit code 1"),
        ("exit(0)\n", [LOADS], 0.0, ""),
        (BROKEN, [{"id": "gone", "command": ["./run.sh"]}], 1.0, "gone: "),
    ],
)
@pytest.mark.requirement("OUT-43")
def test_a_core_command_that_fails_fails_the_gate_and_another_only_tells(
    running: tuple[Suites, str], text: str, gate: list[Any], value: float, note: str
) -> None:
    found, made = graded(running, gate, **{"tally.py": text})
    assert (found.value, bool(found.evidence)) == (value, bool(note)), found
    assert note in found.note
    [kept] = made.made.values()
    assert kept.name.startswith("gate-")
    assert [json.loads(one)["id"] for one in kept.content.splitlines()[1:]] == [
        one["id"] for one in gate
    ]


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-43")
def test_the_commands_of_its_own_checklist_are_run_and_decide_nothing(
    running: tuple[Suites, str],
) -> None:
    text = yaml.safe_dump({"feature": "sums", "steps": LISTED})
    found, made = graded(running, [LOADS], **{"tally.py": MENDED, "checklist": text})
    assert (found.value, found.note) == (0.0, "its own checklist: 1 of 3 commands end with 0")
    [kept] = made.made.values()
    own = [json.loads(one) for one in kept.content.splitlines()[2:]]
    assert [(one["id"], one.get("exit_code")) for one in own] == [
        ("true", 0),
        ("false", 3),
        ("missing", None),
    ]
    assert {one["of"] for one in own} == {CHECKLIST}


@NEEDS_BWRAP
def test_nobody_waits_for_the_commands_of_its_own_checklist(
    running: tuple[Suites, str],
) -> None:
    text = yaml.safe_dump([{"id": str(n), "command": "sleep 60"} for n in range(3)])
    check = {"expect": "{expected.gate}", "own_s": 0.5}
    found, made = graded(running, [LOADS], check, **{"tally.py": MENDED, "checklist": text})
    assert (found.value, found.note) == (0.0, "its own checklist: 0 of 3 commands end with 0")
    [kept] = made.made.values()
    assert [json.loads(one)["how"] for one in kept.content.splitlines()[2:]] == [
        "timed_out",
        "not_run",
        "not_run",
    ]


@NEEDS_BWRAP
def test_a_program_that_is_not_here_is_no_failure_of_the_agent(
    running: tuple[Suites, str],
) -> None:
    gate = [{"id": "make", "command": ["nowhere-to-be-found"]}]
    found, _ = graded(running, gate, **{"tally.py": MENDED})
    assert found.value is None
    assert "'make' of the gate cannot be started here" in found.not_evaluable
