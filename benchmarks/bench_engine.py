"""What the engine itself costs: cells of a system that answers at once, within the process.

Run it by hand: ``python -m benchmarks.bench_engine [N_CELLS] [--inspect PYTHON] [--promptfoo PATH]
[--profile]``. Each cell is journalled, executed and recorded durably with an output of its own.
Wanted at 10,000 cells: at most 5 s of processor time and 100 MB. `PYTHON` is an interpreter in
which ``inspect_ai`` is installed: it evaluates as many samples with its mock model; `PATH` is the
program ``promptfoo``: it evaluates as many cases with its echo provider. Both call nothing.
"""

import argparse
import cProfile
import json
import os
import pstats
import resource
import subprocess
import sys
import time
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench_run import CATALOG, INSPECT, NOW, STUDY
from benchmarks.engine_run import ran
from equipoise.pipeline.verifying import verify_archive
from equipoise.studies.loss.planning import plan_study, write_plan
from equipoise.studies.loss.sealing import seal_study

CPU_S, RSS_MB = 5.0, 100.0


def made(folder: Path, n: int) -> Path:
    """Makes a sealed study of n units."""
    folder.joinpath("state").mkdir(parents=True)
    text = STUDY.format(mde=sqrt(16 * 0.3**2 / n), system="{command: [echo]}", concurrency=16)
    folder.joinpath("study.yaml").write_text(text, encoding="utf-8")
    folder.joinpath("loss-catalog.v1.json").write_text(json.dumps(CATALOG), encoding="utf-8")
    units = (
        {"id": f"u{i}", "labels": {"intent": "all"}, "kind": "deterministic", "brief": {"n": i}}
        for i in range(n)
    )
    folder.joinpath("units.jsonl").write_text(
        "".join(json.dumps(unit) + "\n" for unit in units), encoding="utf-8"
    )
    write_plan(folder, plan_study(folder, today=NOW.date()))
    seal_study(folder, now=NOW)
    return folder


def _measured(command: list[str], cwd: Path | None = None) -> tuple[str, float, float, float]:
    """Gives stdout, wall clock, processor time of the program and its children, and highest RSS."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=cwd) as child:
        peak_kb = 0
        while child.poll() is None:
            peak_kb = max(peak_kb, _rss_kb(child.pid))
            time.sleep(0.02)
        assert child.stdout is not None
        said = child.stdout.read()
    assert child.returncode == 0, said
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return said, time.perf_counter() - started, cpu_s, peak_kb / 1024


def _rss_kb(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    return next((int(s.split()[1]) for s in status.splitlines() if s.startswith("VmRSS")), 0)


def _say(name: str, n: int, wall_s: float, cpu_s: float, rss_mb: float, note: str = "") -> None:
    print(
        f"{name:26} {n:6,} cells {wall_s:7.2f} s, {cpu_s:7.2f} s processor, "
        f"{cpu_s / n * 1000:6.3f} ms a cell, {rss_mb:4.0f} MB{note}"
        f" (load {os.getloadavg()[0]:.1f})",
        flush=True,
    )


def _ours(folder: Path, n: int) -> None:
    study = made(folder / "study", n)
    said, _, whole_s, rss_mb = _measured(
        [sys.executable, "-m", "benchmarks.engine_run", str(study)]
    )
    found = json.loads(said)
    is_met = whole_s <= CPU_S and rss_mb <= RSS_MB
    wanted = f", wanted <= {CPU_S:g} s and {RSS_MB:g} MB: {'met' if is_met else 'NOT met'}"
    _say("equipoise", found["n"], found["wall_s"], found["cpu_s"], rss_mb)
    _say("equipoise, start included", found["n"], found["wall_s"], whole_s, rss_mb, wanted)
    (archive,) = study.joinpath("archive").iterdir()
    assert all(fault.is_note for fault in verify_archive(archive))


def _inspect(folder: Path, python: str, n: int) -> None:
    command = [python, "-c", INSPECT, str(n), str(folder / "inspect")]
    said, _, cpu_s, rss_mb = _measured(command)
    found = json.loads(said.splitlines()[-1])
    _say("inspect-ai, mock model", n, found["wall_s"], found["cpu_s"], rss_mb)
    _say("inspect-ai, start included", n, found["wall_s"], cpu_s, rss_mb)


def _promptfoo(folder: Path, program: str, n: int) -> None:
    place = folder / "promptfoo"
    place.mkdir()
    config = {
        "prompts": ["unit {{n}}"],
        "providers": ["echo"],
        "tests": [{"vars": {"n": i}} for i in range(n)],
    }
    place.joinpath("promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = [program, "eval", "-c", "promptfooconfig.json", "-o", "results.json"]
    _, wall_s, cpu_s, rss_mb = _measured([*command, "--no-progress-bar", "--no-table"], place)
    _say("promptfoo, echo", n, wall_s, cpu_s, rss_mb)


def _profiled(folder: Path, n: int) -> None:
    study = made(folder / "study", n)
    with cProfile.Profile() as profile:
        ran(study)
    pstats.Stats(profile).sort_stats("tottime").print_stats(45)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n_cells", nargs="?", type=int, default=10_000)
    parser.add_argument("--inspect", help="interpreter with inspect_ai")
    parser.add_argument("--promptfoo", help="the program promptfoo")
    parser.add_argument("--profile", action="store_true", help="only where the time goes")
    options = parser.parse_args()
    with TemporaryDirectory(dir=Path.cwd()) as temporary:
        here = Path(temporary)
        if options.profile:
            _profiled(here, options.n_cells)
        else:
            _ours(here, options.n_cells)
            if options.inspect:
                _inspect(here, options.inspect, options.n_cells)
            if options.promptfoo:
                _promptfoo(here, options.promptfoo, options.n_cells)
