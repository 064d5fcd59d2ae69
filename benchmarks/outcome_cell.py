"""Measures what a cell of an outcome study costs beside its agent: by hand, and as we do it.

By hand: ``git clone --local`` of the seed, the solution applied, ``pytest`` over one group of
hidden tests, with the plugins that are here and without any. Ours: the workspace copied, a sandbox
begun and ended, the workspace frozen, the same tests run in two further sandboxes; the process of
the tests is begun once for all cells, and its beginning is counted. All are done in turns, so that
they have the same machine. Wanted: at most 1.5 times either time by hand. Then a whole study of the
starter, eight scenarios, three repetitions and two arms, is run and graded: wanted in three minutes
on two processors.

usage: python -m benchmarks.outcome_cell [REPETITIONS] [--study]     (3)
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import yaml

import equipoise
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.ports.agents import Bounds, Job, Mount, Seed
from equipoise.ports.suites import SuiteAsked, Suites
from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.studies.outcome.packs import ReadPack, read_pack
from equipoise.wiring.packs import seeds_of
from equipoise.wiring.suites import suites

WORKSHOP = Path(equipoise.__file__).parent / "examples" / "workshop"
N_SCENARIOS = 8
WANTED = 1.5
_BARE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def main(repetitions: int, *, is_whole: bool) -> None:
    """Prints both times for each scenario, their ratio, and the time of a whole study."""
    pack = read_pack(WORKSHOP)
    tested = [one for one in pack.scenarios if one.hidden_tests.explicit and one.proofs]
    chosen = [one for one in tested if one.kind is not ScenarioKind.EPIC][:N_SCENARIOS]
    by_hand: list[float] = []
    bare: list[float] = []
    ours: list[float] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="eq-")))
        seed_of = stack.enter_context(seeds_of(WORKSHOP))
        standing = stack.enter_context(suites(_clock)(WORKSHOP))
        sandbox = stack.enter_context(closing(Bubblewrap()))
        for scenario in chosen:
            spec = pack.seed(scenario)
            seed = seed_of(spec)
            repository = folder / scenario.id
            seed.copy(repository)
            for number in range(repetitions):
                work = folder / f"{scenario.id}-{number}"
                work.mkdir()
                by_hand.append(_by_hand(repository, pack, scenario, work / "clone", {}))
                bare.append(_by_hand(repository, pack, scenario, work / "bare", _BARE))
                ours.append(_ours((seed, spec), pack, scenario, work, sandbox, standing))
            last = slice(-repetitions, None)
            print(
                f"{scenario.id:22} by hand {_ms(by_hand[last])}, no plugins {_ms(bare[last])}, "
                f"ours {_ms(ours[last])}",
                flush=True,
            )
    print(f"a cell by hand {_ms(by_hand)}, no plugins {_ms(bare)}, ours {_ms(ours)}")
    ratios = [sum(ours) / sum(one) for one in (by_hand, bare)]
    print(f"ours is {ratios[0]:.2f} and {ratios[1]:.2f} times that (<= {WANTED:g})")
    if is_whole:
        _study(repetitions)


def _clock() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


def _by_hand(
    repository: Path,
    pack: ReadPack,
    scenario: Scenario,
    clone: Path,
    environment: Mapping[str, str],
) -> float:
    place = WORKSHOP / pack.place(scenario)
    assert scenario.proofs is not None
    begin = time.perf_counter()
    _call("git", "clone", "-q", "--local", repository, clone)
    _call("git", "-C", clone, "apply", place / scenario.proofs.reference)
    _call(
        *(sys.executable, "-m", "pytest", "-q", place / "hidden-tests" / "explicit"),
        cwd=clone,
        environment={**os.environ, **environment, "PYTHONPATH": str(clone)},
    )
    return time.perf_counter() - begin


def _ours(
    seed: tuple[Seed, Any],
    pack: ReadPack,
    scenario: Scenario,
    work: Path,
    sandbox: Bubblewrap,
    standing: Suites,
) -> float:
    place = pack.place(scenario)
    assert scenario.proofs is not None
    solution = WORKSHOP.joinpath(place, scenario.proofs.reference).read_bytes()
    copy = work / "copy"
    begin = time.perf_counter()
    seed[0].copy(copy)
    job = Job(
        argv=["/bin/true"],
        lease=work.name,
        folder="/ws",
        mounts=[Mount(source=copy, target="/ws", is_writable=True)],
        bounds=Bounds(wall_s=60),
    )
    anyio.run(sandbox.run, job)
    seed[0].freeze(copy)
    run = standing.run(
        SuiteAsked(
            tests=f"{place}/hidden-tests/explicit",
            seed_tests=(),
            reference=f"{place}/{scenario.proofs.reference}",
            paths=(".", "src"),
            allowed=("**",),
            kept=(),
            is_apart=True,
            python="",
            command=(),
            at="hidden-tests",
            must_fail=(),
            timeout_s=300.0,
            sandboxes=("bubblewrap",),
            environment={},
            seed=seed[1],
            seed_sha256=seed[0].sha256,
            diff=solution,
            lease=work.name,
        )
    )
    took = time.perf_counter() - begin
    assert run.n_passed == run.n_expected > 0, run
    return took


def _study(repetitions: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        study = Path(name, "study")
        _call(sys.executable, "-m", "equipoise", "init", "outcome", study)
        path = study / "study.yaml"
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        known = [one for one in read_pack(study / "pack").scenarios if one.hidden_tests.explicit]
        written["scenarios"] = [one.id for one in known][:N_SCENARIOS]
        written["repetitions"] = repetitions
        written["without_stops"] = "Only the time is asked about."
        path.write_text(yaml.safe_dump(written), encoding="utf-8")
        total = 0.0
        for verb in ("plan", "seal", "run", "grade", "compare"):
            begin = time.perf_counter()
            _call(sys.executable, "-m", "equipoise", verb, study)
            took = time.perf_counter() - begin
            total += took
            print(f"{verb:8} {took:6.1f} s", flush=True)
        print(f"{N_SCENARIOS} scenarios x {repetitions} x 2 arms: {total:.1f} s (< 180)")


def _call(
    *command: object, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> None:
    words = [str(word) for word in command]
    subprocess.run(words, cwd=cwd, env=environment, check=True, stdout=subprocess.DEVNULL)


def _ms(seconds: list[float]) -> str:
    return f"{1000 * statistics.mean(seconds):5.0f} ms (best {1000 * min(seconds):.0f})"


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 3, is_whole="--study" in sys.argv)
