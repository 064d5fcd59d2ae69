"""The frame of a run in mode A: sandbox, canaries, snapshot, and the state put back, always."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from adapters.systems.asked import variables
from equipoise.errors import Blocked
from equipoise.records.event import EventKind
from equipoise.records.notice import Notice
from equipoise.records.plan import StateSpec
from equipoise.records.trial import EndingKind
from equipoise.wiring import state_store
from studies.loss.desks import DESK, STUB, desk_study
from studies.loss.made_study import made_units
from studies.loss.runs import archive_of, events, outputs, run_here, trials

N_CELLS = 8
"""Of one arm: two intents, one anchor and one unit with three repetitions each."""

SECRET = "sk-live-0123456789"


def rows(study: Path) -> int:
    database = sqlite3.connect(study / "state" / "desk.sqlite")
    try:
        (n,) = database.execute("select count(*) from refunds").fetchone()
    finally:
        database.close()
    return int(n)


def state_of(study: Path) -> str:
    return state_store(StateSpec(kind="sqlite", target="state/desk.sqlite"), study).digest()


def hashes(study: Path, arm: str = "release-1") -> tuple[str, str]:
    (before,) = events(study, arm, EventKind.SNAPSHOT)
    (after,) = events(study, arm, EventKind.TORN_DOWN)
    assert after.outcome == "passed"
    return before.facts["state_sha256"], after.facts["state_sha256"]


@pytest.mark.requirement("E2E-20")
@pytest.mark.parametrize("scope", ["run", "cell"])
def test_the_state_is_afterwards_what_it_was_before(tmp_path: Path, scope: str) -> None:
    agent = DESK + 'print(os.path.getsize("state/desk.sqlite"))\n'
    seen = "with database:"
    counted = agent.replace(
        seen, 'print(database.execute("select count(*) from refunds").fetchone()[0])\n' + seen, 1
    )
    study = desk_study(
        tmp_path / "study",
        agent=counted,
        state=f"{{sqlite: state/desk.sqlite, scope: {scope}}}",
        budget="{cell_timeout_s: 30, concurrency: 1}",  # each sees all that came before
    )
    before = state_of(study)
    run_here(study)
    assert hashes(study) == (before, before)
    assert state_of(study) == before
    assert rows(study) == 0
    found = {int(answer.split(b"\n")[0]) for answer in outputs(study, "release-1").values()}
    assert found == ({0} if scope == "cell" else set(range(N_CELLS)))


@pytest.mark.requirement("E2E-02")
def test_a_stub_with_canned_answers_is_not_run(tmp_path: Path) -> None:
    for number, anti_mock in enumerate(
        (
            '{canary: {text: "{nonce}", cents: 5}, differs: true}',
            '{canary: {text: "{nonce}", cents: 5}, echoes: true}',
            '{canary: {text: "x", cents: 5}, state_changes: true}',
            '{canary: {text: "x", cents: 5}, probe_sees: journal}',
            "",
        )
    ):
        study = desk_study(
            tmp_path / f"study-{number}",
            agent=STUB,
            anti_mock=anti_mock,
            probes='[{name: journal, files: {glob: "logs/*.jsonl", trace: trace}}]',
        )
        with pytest.raises(Blocked, match="anti-mock preflight failed, nothing was run"):
            run_here(study)
        assert trials(study, "release-1") == []
        assert events(study, "release-1", EventKind.PREFLIGHT)[-1].outcome == "failed"
        assert not list(study.rglob("suite.json"))


def test_a_program_that_cannot_start_is_not_called_a_stub(tmp_path: Path) -> None:
    study = desk_study(tmp_path / "study", agent="import no_such_module\n", anti_mock="")
    with pytest.raises(Blocked) as caught:
        run_here(study)
    told = str(caught.value)
    assert "of arm 'release-1'" in told
    assert "ended with exit code 1" in told
    assert "No module named 'no_such_module'" in told
    assert "stub" not in told


@pytest.mark.requirement("E2E-02")
def test_a_real_system_passes_every_kind_of_canary(tmp_path: Path) -> None:
    study = desk_study(
        tmp_path / "study",
        anti_mock='{canary: {text: "{nonce}", cents: 5}, state_changes: true, probe_sees: journal}',
        probes='[{name: journal, files: {glob: "logs/*.jsonl", trace: trace}}]',
    )
    run_here(study)
    told = events(study, "release-1", EventKind.PREFLIGHT)
    assert [(e.facts["preflight"], e.outcome) for e in told] == [
        ("sandbox", "passed"),
        ("anti-mock", "passed"),
    ]


@pytest.mark.requirement("E2E-21")
@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"sandbox": "{environment: [PATH, PROD_KEY]}"}, "PROD_KEY looks like a key of production"),
        (
            {"sandbox": "{environment: [PATH, DESK_KEY], forbidden: [PROD_KEY]}"},
            "DESK_KEY holds the value of PROD_KEY",
        ),
        (
            {"state": "{directory: production}", "anti_mock": ""},
            "looks like production",
        ),
        (
            {"sandbox": "{environment: [PATH], forbidden: [PROD_STATE]}"},
            "is where PROD_STATE points to",
        ),
    ],
)
def test_what_belongs_to_production_fails_the_sandbox(
    tmp_path: Path, changes: dict[str, Any], wanted: str
) -> None:
    tmp_path.joinpath("study", "production").mkdir(parents=True)
    study = desk_study(tmp_path / "study", **changes)
    ours = {"PROD_KEY": SECRET, "DESK_KEY": SECRET, "PROD_STATE": "state/desk.sqlite"}
    blocked = pytest.raises(Blocked, match="sandbox preflight failed, nothing was run")
    with variables(**ours), blocked as caught:
        run_here(study)
    assert wanted in str(caught.value)
    assert trials(study, "release-1") == []
    (told,) = events(study, "release-1", EventKind.PREFLIGHT)
    assert (told.facts["preflight"], told.outcome) == ("sandbox", "failed")
    for file in study.joinpath("archive").rglob("*.json*"):
        assert SECRET not in file.read_text(encoding="utf-8")


@pytest.mark.requirement("E2E-22")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_restores_and_says_aborted(
    tmp_path: Path, number: signal.Signals
) -> None:
    study = desk_study(tmp_path / "study", slow="0.4")
    before = state_of(study)
    command = [sys.executable, "-m", "equipoise", "run", str(study), "--arm", "release-1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        _wait_for(lambda: rows(study) > 2 and bool(list(study.glob("work/*/attempts.log"))))
        child.send_signal(number)
        out, err = child.communicate(timeout=30)
    assert child.returncode == 130, err
    assert b"ended by " + number.name.encode() in out
    assert state_of(study) == before
    aborted = events(study, "release-1", EventKind.ABORTED)
    assert 1 <= len(aborted) <= 2
    (stopped,) = events(study, "release-1", EventKind.STOPPED)
    assert number.name in stopped.detail
    assert EndingKind.CANCELLED not in {t.ending.kind for t in trials(study, "release-1")}
    told = run_here(study)
    assert told.n_settled == told.n_cells == N_CELLS
    assert len({(t.unit, t.repetition) for t in trials(study, "release-1")}) == N_CELLS
    assert len(trials(study, "release-1")) == N_CELLS
    assert state_of(study) == before


@pytest.mark.requirement("E2E-23")
def test_debris_of_a_killed_run_changes_no_result(tmp_path: Path) -> None:
    clean = desk_study(tmp_path / "clean")
    run_here(clean)
    study = desk_study(tmp_path / "study", slow="0.3")
    before = state_of(study)
    command = [sys.executable, "-m", "equipoise", "run", str(study), "--arm", "release-1"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as child:
        _wait_for(lambda: rows(study) > 3)
        child.kill()
    assert rows(study) > 0
    (workspaces,) = study.glob("work/*")
    workspaces.joinpath("cells", "debris").mkdir(parents=True)
    run_here(study)
    assert state_of(study) == before
    (restored,) = events(study, "release-1", EventKind.RESTORED)
    assert (restored.outcome, restored.facts["state_sha256"]) == ("passed", before)
    assert outputs(study, "release-1") == outputs(clean, "release-1")
    assert not study.joinpath("work").exists()


@pytest.mark.requirement("E2E-52")
def test_a_probe_that_is_missing_stops_nothing(tmp_path: Path) -> None:
    study = desk_study(
        tmp_path / "study",
        probes=(
            '[{name: journal, files: {glob: "logs/*.jsonl", trace: trace}}, '
            '{name: ledger, sql: {sqlite: nowhere.sqlite, query: "select 1"}}]'
        ),
    )
    assert run_here(study).endings == {"completed": N_CELLS}
    (event,) = events(study, "release-1", EventKind.PROBE)
    assert event.facts == {"probe": "ledger"}
    assert event.detail
    names = archive_of(study, "release-1").path.joinpath("documents.jsonl").read_text("utf-8")
    assert names.count("/journal.jsonl") == N_CELLS
    assert "/ledger" not in names


def _wait_for(holds: object, within_s: float = 30.0) -> None:
    deadline = time.monotonic() + within_s
    assert callable(holds)
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


def test_no_program_of_ours_is_left(tmp_path: Path) -> None:
    study = desk_study(tmp_path / "study", slow="30", budget="{cell_timeout_s: 60}")
    command = [sys.executable, "-m", "equipoise", "run", str(study), "--arm", "release-1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        _wait_for(lambda: any(study.glob("work/*/processes.log")))
        time.sleep(0.5)
        child.kill()
    _wait_for(lambda: not _commands_with(str(study)))


def _commands_with(text: str) -> list[str]:
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        try:
            folder = str(place.readlink())
        except OSError:
            continue
        if folder == text and place.parent.name != str(os.getpid()):
            found.append(place.parent.name)
    return found


TELLS_ALL = """
import os, sys
print(sys.argv, sys.stdin.read(), dict(os.environ), os.listdir("."))
"""


def test_what_is_expected_of_a_unit_is_never_given_to_the_system(tmp_path: Path) -> None:
    secret = "the-hidden-answer"
    units = [unit | {"expected": {"amount": secret}} for unit in made_units(2)]
    study = desk_study(tmp_path / "study", agent=TELLS_ALL, units=units, anti_mock="")
    run_here(study)
    answers = outputs(study, "release-1").values()
    assert all(b'"content":{"cents"' in answer or b'"cents":' in answer for answer in answers)
    assert not any(secret.encode() in answer for answer in answers)


def test_what_a_probe_could_not_read_is_told(tmp_path: Path) -> None:
    broken = DESK.replace('json.dumps({"trace"', '"no JSON " + json.dumps({"trace"')
    study = desk_study(
        tmp_path / "study",
        agent=broken,
        probes='[{name: journal, files: {glob: "logs/*.jsonl", trace: trace}}]',
    )
    told = run_here(study)
    assert told.endings == {"completed": N_CELLS}
    notices = list(archive_of(study, "release-1").read(Notice))
    assert notices
    assert all(n.code == "probe" and n.message.startswith("probe journal: ") for n in notices)
