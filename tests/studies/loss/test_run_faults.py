"""A fault of the harness, put into every step of a run, appears as one and changes no outcome."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest

from equipoise.errors import InputError, Void
from equipoise.pipeline.verifying import verify_archive
from equipoise.ports import Answer, Collected, Probe, StateStore, System
from equipoise.records.brief import Request
from equipoise.records.event import EventKind
from equipoise.records.plan import ArmPlan, ProbeSpec, StateSpec
from equipoise.records.trial import EndingKind, Fault, Trial
from equipoise.studies.loss.running_asked import Around
from equipoise.wiring import adapters
from studies.loss.desks import desk_study
from studies.loss.made_study import made_units
from studies.loss.runs import archive_of, equipoise, events, outputs, run_here, trials

PROBES = '[{name: journal, files: {glob: "logs/*.jsonl", trace: trace}}]'


class Faulty:
    """Counts calls and fails at some of them, as hardware and bugs do."""

    def __init__(self, fails: Callable[[int], bool]) -> None:
        self.n = 0
        self._fails = fails

    def check(self, what: str) -> None:
        self.n += 1
        if self._fails(self.n):
            raise OSError(f"planted fault {self.n} in {what}")


class FaultySystem:
    """A real system whose adapter has a fault."""

    is_simulated = False

    def __init__(self, inner: System, fault: Faulty) -> None:
        self._inner, self._fault = inner, fault

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._inner.__aexit__(*error)

    async def execute(self, request: Request) -> Answer:
        if request.attempt == 1:
            self._fault.check("the system's adapter")
        return await self._inner.execute(request)

    async def canary(self, request: Request) -> Answer:
        return await self._inner.canary(request)


class FaultyProbe:
    """A real probe whose adapter has a fault."""

    def __init__(self, inner: Probe, fault: Faulty, *, at_entry: bool = False) -> None:
        self.name = inner.name
        self._inner, self._fault, self._at_entry = inner, fault, at_entry

    async def __aenter__(self) -> Self:
        if self._at_entry:
            self._fault.check("entering the probe")
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._inner.__aexit__(*error)

    async def collect(self, request: Request) -> Collected:
        self._fault.check("the probe")
        return await self._inner.collect(request)


class FaultyStore:
    """A real state whose store has a fault at putting back."""

    def __init__(self, inner: StateStore, fault: Faulty) -> None:
        self.name = inner.name
        self._inner, self._fault = inner, fault

    def snapshot(self, keep: Path) -> str:
        return self._inner.snapshot(keep)

    def restore(self, keep: Path) -> str:
        self._fault.check("the restore")
        return self._inner.restore(keep)

    def digest(self) -> str:
        return self._inner.digest()

    def teardown(self, keep: Path) -> None:
        self._inner.teardown(keep)

    def fault(self) -> str:
        return self._inner.fault()

    def reclaim(self, keep: Path) -> None:
        self._inner.reclaim(keep)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], bytes]:
    study = desk_study(tmp_path_factory.mktemp("faults") / "study", probes=PROBES)
    run_here(study)
    return outputs(study, "release-1")


def outcomes(study: Path) -> dict[tuple[str, int], Trial]:
    """The trial that counts of each cell."""
    return {(t.unit, t.repetition): t for t in trials(study, "release-1")}


def same_outcomes(study: Path, wanted: Mapping[tuple[str, int], bytes]) -> None:
    found = outcomes(study)
    assert found.keys() == wanted.keys()
    assert {t.ending.kind for t in found.values()} == {EndingKind.COMPLETED}
    answered = outputs(study, "release-1")
    assert answered == wanted
    assert all(fault.is_note for fault in verify_archive(archive_of(study, "release-1").path))


@pytest.mark.requirement("E2E-51")
def test_a_fault_of_the_systems_adapter(tmp_path: Path, wanted: dict[Any, bytes]) -> None:
    study = desk_study(tmp_path / "study")
    fault = Faulty(lambda n: n in {1, 4})

    def system(arm: ArmPlan, around: Around) -> System:
        return FaultySystem(adapters().system(arm, around), fault)

    run_here(study, adapters=replace(adapters(), system=system))
    faulty = [t for t in trials(study, "release-1") if t.ending.kind is EndingKind.HARNESS_ERROR]
    assert len(faulty) == 2
    for trial in faulty:
        assert (trial.ending.fault, trial.attempt, trial.output) == (Fault.HARNESS, 1, None)
        assert "planted fault" in trial.ending.detail
    same_outcomes(study, wanted)


@pytest.mark.requirement("E2E-51")
@pytest.mark.parametrize("at_entry", [False, True])
def test_a_fault_of_a_probe(tmp_path: Path, wanted: dict[Any, bytes], at_entry: bool) -> None:
    study = desk_study(tmp_path / "study", probes=PROBES)
    fault = Faulty(lambda n: at_entry or n == 3)

    def probe(spec: ProbeSpec, root: Path, variables: Mapping[str, str]) -> Probe:
        return FaultyProbe(adapters().probe(spec, root, variables), fault, at_entry=at_entry)

    run_here(study, adapters=replace(adapters(), probe=probe))
    (told,) = events(study, "release-1", EventKind.PROBE)
    assert "planted fault" in told.detail
    assert {t.ending.kind for t in trials(study, "release-1")} == {EndingKind.COMPLETED}
    same_outcomes(study, wanted)


@pytest.mark.requirement("E2E-51")
def test_a_fault_of_putting_the_state_back(tmp_path: Path, wanted: dict[Any, bytes]) -> None:
    study = desk_study(
        tmp_path / "study", state="{sqlite: state/desk.sqlite, scope: cell}", probes=PROBES
    )
    fault = Faulty(lambda n: n == 4)

    def store(spec: StateSpec, root: Path) -> StateStore:
        return FaultyStore(adapters().state_store(spec, root), fault)

    run_here(study, adapters=replace(adapters(), state_store=store))
    (faulty,) = [t for t in trials(study, "release-1") if t.ending.kind is not EndingKind.COMPLETED]
    assert (faulty.ending.kind, faulty.ending.fault) == (EndingKind.HARNESS_ERROR, Fault.HARNESS)
    same_outcomes(study, wanted)


@pytest.mark.requirement("E2E-51")
def test_a_fault_outside_of_any_trial_ends_the_run_and_the_next_goes_on(
    tmp_path: Path, wanted: dict[Any, bytes]
) -> None:
    study = desk_study(tmp_path / "study")

    def told(arm: str, progress: object) -> None:
        del arm
        fault.check(f"showing {progress}")

    fault = Faulty(lambda n: n == 3)
    with pytest.raises(Void, match="the harness failed, not the system: OSError: planted fault 3"):
        run_here(study, on_progress=told)
    n_before = len(trials(study, "release-1"))
    assert n_before >= 3
    assert events(study, "release-1", EventKind.FINISHED) == []
    (torn_down,) = events(study, "release-1", EventKind.TORN_DOWN)
    assert torn_down.outcome == "passed"
    again = run_here(study)
    assert again.n_before == n_before
    same_outcomes(study, wanted)


@pytest.mark.requirement("E2E-51")
def test_a_wrong_placeholder_is_told_and_no_outcome(tmp_path: Path) -> None:
    study = desk_study(tmp_path / "study")
    line = study.joinpath("study.yaml").read_text(encoding="utf-8")
    assert "{brief.cents}" in line
    arms = (
        f"\n  - {{name: release-1, system: {{command: "
        f'[{sys.executable}, agent.py, "{{brief.amount}}"]}}}}'
    )
    terms: dict[str, Any] = {"arms": arms, "baseline": "release-1"}
    with pytest.raises(InputError, match=r"has \{brief.amount\}, and no unit has that"):
        desk_study(tmp_path / "refused", **terms)
    units = made_units(2)
    for unit in units:
        unit["brief"]["amount"] = "1"
    other = desk_study(tmp_path / "other", units=units, **terms)  # the canary lacks it
    with pytest.raises(InputError, match=r"has nothing at \{brief.amount\}"):
        run_here(other)
    assert trials(other, "release-1") == []


LIMITED = """
import resource, sys
from equipoise.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
sys.argv = ["equipoise", "run", sys.argv[1], "--arm", "release-1"]
main()
"""


@pytest.mark.requirement("E2E-51")
def test_a_full_disk_ends_the_run_and_keeps_what_was_acknowledged(
    tmp_path: Path, wanted: dict[Any, bytes]
) -> None:
    study = desk_study(tmp_path / "study", n_each=12)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(20_000), str(study)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # no limited file but the run's own
    )
    assert done.returncode == 3, done.stderr
    assert "disk full" in done.stderr
    assert "Traceback" not in done.stderr
    again = run_here(study)
    assert 0 < again.n_before < again.n_cells == 2 * (1 + 11 * 3)
    found = outcomes(study)
    assert len(found) == len(trials(study, "release-1")) == again.n_cells
    assert wanted.items() <= outputs(study, "release-1").items()


def test_a_second_process_on_the_same_run_is_refused(tmp_path: Path) -> None:
    study = desk_study(tmp_path / "study", slow="1")
    command = [sys.executable, "-m", "equipoise", "run", str(study), "--arm", "release-1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        while not list(study.glob("work/*/attempts.log")):
            assert child.poll() is None
        done = equipoise("run", study, "--arm", "release-1", code=3)
        assert "is being written by process" in done.stderr
    assert child.returncode == 0


SERVED = """
import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Desk(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.endswith("/refund-2/2") and os.path.exists("fragile"):
            os._exit(9)
        text = self.path.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *args):
        pass

desk = HTTPServer(("127.0.0.1", 0), Desk)
print(f"listening on http://127.0.0.1:{desk.server_port}", flush=True)
desk.serve_forever()
"""
SERVED_ARM = f"""
  - name: release-1
    service: {{command: [{sys.executable}, agent.py], ready: {{stdout: "on (?P<url>.*)"}}}}
    system: {{http: {{url: "{{service}}/{{unit}}/{{repetition}}"}}}}
"""


@pytest.mark.requirement("E2E-51")
def test_the_death_of_a_service_stops_the_run_and_is_nobodys_loss(tmp_path: Path) -> None:
    study = desk_study(
        tmp_path / "study", agent=SERVED, arms=SERVED_ARM, baseline="release-1", anti_mock=""
    )
    study.joinpath("fragile").touch()
    done = equipoise("run", study, code=5)
    assert "the service ended with code 9" in done.stdout
    faulty = [t for t in trials(study, "release-1") if t.ending.kind is not EndingKind.COMPLETED]
    assert faulty
    assert {t.ending.fault for t in faulty} == {Fault.INFRASTRUCTURE}
    assert events(study, "release-1", EventKind.FINISHED) == []
    study.joinpath("fragile").unlink()
    told = run_here(study)
    assert told.endings == {"completed": told.n_cells}
    assert told.is_finished
