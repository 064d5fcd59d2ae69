"""What `doctor` looks for on behalf of one study: that which the study needs, reached for real."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.cli.doctor_agents import TESTS, needed, of_arms, of_judges
from equipoise.cli.doctor_checks import Finding
from equipoise.errors import EquipoiseError
from equipoise.records.plan import ProbeSpec, StateSpec

_TOOLS = {
    "postgres": ("psycopg",),
    "browser": ("playwright", "Chromium"),
    "signed": ("ssh-keygen",),
    "witnessed": ("openssl",),
}
"""What a study uses -> findings of the machine that it needs for that."""

_UNSEEN = "what is graded on it cannot be evaluated"


def of_study(study: Path, machine: list[Finding]) -> Iterator[Finding]:
    """Yields the findings of the machine, marked where the study needs them, and the study's own.

    Raises:
        InputError: the study cannot be read; lists every fault.
        Blocked: there is no study.
    """
    from equipoise.stages.plan.assembling import probe_spec, state_spec
    from equipoise.stages.plan.load import read_study
    from equipoise.studies.loss.blockers import blockers

    draft, _ = read_study(_study_file(study))
    state = state_spec(draft.state)
    probes = [probe_spec(probe) for probe in draft.probes]
    systems = {arm.name: arm.system for arm in draft.arms}
    wanted = {name for use in _uses(study, state, probes) for name in _TOOLS.get(use, ())}
    wanted |= needed(systems)
    if '"suite"' in _text(study / draft.catalog):
        wanted.add(TESTS)
    for finding in machine:
        is_named = finding.name == "Chromium" and any(_executable(p) for p in probes)
        yield finding.needed() if finding.name in wanted and not is_named else finding
    missing = list(blockers(draft, study))
    yield Finding(
        name="files and programs of the study",
        is_there=not missing,
        found="; ".join(missing) or "all there",
        costs="it cannot be planned or run",
        mend="as said with each",
        is_needed=True,
    )
    if state is not None:
        yield _state(state, study)
    for probe in probes:
        yield from _probe(probe, study)
    yield from of_arms(systems, study)
    judges = draft.judges.judges if draft.judges else ()
    yield from of_judges({one.name: one.model for one in judges}, study)


def _study_file(study: Path) -> bytes:
    """Gives the study file, or what that of an outcome study is compiled to."""
    from equipoise.cli.kinds import OUTCOME, kind_of
    from equipoise.cli.outcome_planning import compile_outcome
    from equipoise.pipeline.study_files import STUDY, read_needed
    from equipoise.studies.loss.planning import COMPILED

    if kind_of(study) != OUTCOME:
        return read_needed(study / STUDY, "the study file")
    compile_outcome(study)
    return read_needed(study / COMPILED, "what the outcome study is compiled to")


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""


def _uses(study: Path, state: StateSpec | None, probes: list[ProbeSpec]) -> Iterator[str]:
    if state is not None:
        yield state.kind
    for probe in probes:
        yield "postgres" if "postgres" in probe.options else probe.kind
    yield _label(study)


def _label(study: Path) -> str:
    from equipoise.pipeline.study_files import SEAL
    from equipoise.records.codec import decode
    from equipoise.records.event import Seal

    try:
        return decode((study / SEAL).read_bytes(), Seal).label.value
    except (OSError, EquipoiseError):
        return ""


def _state(state: StateSpec, study: Path) -> Finding:
    from equipoise.wiring import state_store

    try:
        store = state_store(state, study)
        if state.kind == "postgres":
            _reach(state.target)
        found, is_there = f"{store.name}, sha256 {store.digest()[:12]}…", True
    except EquipoiseError as error:
        found, is_there = str(error), False
    return Finding(
        name="state",
        is_there=is_there,
        found=found,
        costs="runs cannot begin: nothing could be put back",
        mend="as said",
        is_needed=True,
    )


def _probe(probe: ProbeSpec, study: Path) -> Iterator[Finding]:
    from equipoise import wiring

    found, is_there = "can collect", True
    try:
        wiring.probe(probe, study)
        if "postgres" in probe.options:
            _reach(probe.options["postgres"])
            found = "reached"
        if "executable" in probe.options:
            found, is_there = _found(_executable(probe))
    except EquipoiseError as error:
        found, is_there = str(error), False
    yield Finding(
        name=f"probe {probe.name}",
        is_there=is_there,
        found=found,
        costs=_UNSEEN,
        mend="as said",
        is_needed=True,
    )


def _reach(address: Any) -> None:
    from equipoise.adapters.embedded import is_embedded
    from equipoise.adapters.postgres import Address

    if is_embedded(str(address)):
        return  # it is started when the state or a probe is opened

    with Address(str(address), where="study.yaml").opened(program="equipoise doctor") as server:
        server.execute("SELECT 1")


def _found(executable: str) -> tuple[str, bool]:
    from equipoise.adapters.probes.chromium import find
    from equipoise.adapters.probes.rows import Unseen

    try:
        return find(executable), True
    except Unseen as why:
        return str(why), False


def _executable(probe: ProbeSpec) -> str:
    return str(probe.options.get("executable", ""))
