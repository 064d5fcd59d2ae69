"""What a run costs beside the system: time and memory of cells that do nothing.

Run it by hand: ``python benchmarks/bench_run.py [N_CELLS] [--inspect PYTHON [--inspect-only]]``.
Cells are commands (``echo``), then requests to a server that answers at once; each is recorded
durably. Wanted at 10,000 cells: at most 15 ms a command, 3 ms a request, and as much memory as at
1,000. `PYTHON` is an interpreter in which ``inspect_ai`` is installed: it then evaluates as many
samples with its mock model, which calls nothing.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from equipoise.studies.loss.planning import plan_study, write_plan
from equipoise.studies.loss.sealing import seal_study

NOW = datetime(2026, 5, 1, tzinfo=UTC)
CONCURRENCY = 4

STUDY = """\
kind: loss
title: Cells that do nothing
question: What does a run cost beside the system?
seed: 7
provenance: synthetisch
hops: [{{id: x, signal: x, correct: x, flake: x, error: x}}]
axes: {{intent: [all]}}
partitions:
  by: [intent]
  of: [{{labels: {{intent: all}}, frequency: 1, severity: 1}}]
units: units.jsonl
mde: {mde:.6f}
budget: {{cell_timeout_s: 30, concurrency: {concurrency}}}
catalog: loss-catalog.v1.json
cells: [loss]
baseline: new
arms: [{{name: new, system: {system}}}]
state: {{directory: state}}
sandbox: {{environment: [PATH]}}
"""
CATALOG = {
    "version": "v1",
    "categories": [
        {
            "id": "silent",
            "weight": 1,
            "type": "deterministic",
            "max": 1,
            "check": {"regex": {"document": "output", "pattern": "error"}},
        }
    ],
}

SERVER = """
import asyncio
async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\\r\\n\\r\\n"):
            length = head.lower().partition(b"content-length: ")[2].partition(b"\\r")[0]
            body = await reader.readexactly(int(length or 0))
            writer.write(b"HTTP/1.1 200 OK\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(body) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""

INSPECT = """
import json, os, resource, sys, time
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate
n, folder = int(sys.argv[1]), sys.argv[2]
def answer(input, tools, tool_choice, config):
    output = ModelOutput.from_content("mockllm", "answer")
    output.usage = ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)
    return output
samples = [Sample(id=i, input=f"unit {i}", target="answer") for i in range(n)]
task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes())
model = get_model("mockllm/model", custom_outputs=answer)
t, c = time.perf_counter(), os.times()
log = eval(task, model=model, log_dir=folder, display="none")[0]
d = os.times()
print(json.dumps({"status": log.status, "wall_s": time.perf_counter() - t,
    "cpu_s": d.user + d.system - c.user - c.system,
    "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def main(n_cells: int, inspect: str | None, *, is_inspect_only: bool) -> None:
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {CONCURRENCY} at a time")
    with TemporaryDirectory(dir=Path.cwd()) as folder:
        if not is_inspect_only:
            _ours(Path(folder), n_cells)
        if inspect:
            for n in (n_cells // 10, n_cells):
                _inspect(Path(folder), inspect, n)


def _ours(folder: Path, n_cells: int) -> None:
    _bare(min(n_cells, 2000))
    for n in (n_cells // 10, n_cells):
        _run(folder, f"command-{n}", n, '{command: [echo, "{unit}"]}', bound_ms=15)
    with _server() as port:
        body = '{unit: "{unit}", trial: "{trial}"}'
        system = f'{{http: {{url: "http://127.0.0.1:{port}/", body: {body}}}}}'
        for n in (n_cells // 10, n_cells):
            _run(folder, f"http-{n}", n, system, bound_ms=3)


def _bare(n: int) -> None:
    """What starting the program alone costs here: the floor under a command cell."""
    start = time.perf_counter()
    for _ in range(n):
        subprocess.run(["/bin/echo", "x"], capture_output=True, check=True)
    each_ms = (time.perf_counter() - start) / n * 1000
    print(f"{'subprocess.run, one after another':34} {n:6,} {each_ms:7.2f} ms each")


def _run(folder: Path, name: str, n: int, system: str, *, bound_ms: float) -> None:
    study = folder / name
    study.joinpath("state").mkdir(parents=True)
    mde = sqrt(16 * 0.3**2 / n)
    text = STUDY.format(mde=mde, system=system, concurrency=CONCURRENCY)
    study.joinpath("study.yaml").write_text(text, encoding="utf-8")
    study.joinpath("loss-catalog.v1.json").write_text(json.dumps(CATALOG), encoding="utf-8")
    units = (
        {"id": f"u{i}", "labels": {"intent": "all"}, "kind": "deterministic", "brief": {"n": i}}
        for i in range(n)
    )
    study.joinpath("units.jsonl").write_text(
        "".join(json.dumps(unit) + "\n" for unit in units), encoding="utf-8"
    )
    write_plan(study, plan_study(study, today=NOW.date()))
    seal_study(study, now=NOW)
    command = [sys.executable, "-m", "equipoise", "run", str(study), "--json"]
    measured = _measured(command, study, n)
    (arm,) = json.loads(measured.pop("stdout"))["arms"]
    assert arm["endings"] == {"completed": arm["n_cells"]}, arm
    _say(name, arm["n_cells"], measured, bound_ms)


def _measured(command: list[str], study: Path, n: int) -> dict[str, str]:
    """Runs a program; gives its wall clock, its and its children's processor time, its own RSS.

    The RSS is looked at when a tenth of the cells were begun, and at its highest.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        early_kb = peak_kb = 0
        while child.poll() is None:
            now_kb = _rss_kb(child.pid)
            peak_kb = max(peak_kb, now_kb)
            if not early_kb and _n_begun(study) >= n / 10:
                early_kb = now_kb
            time.sleep(0.05)
        assert child.stdout is not None
        stdout = child.stdout.read()
    assert child.returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "stdout": stdout,
        "wall_s": str(time.perf_counter() - start),
        "cpu_s": str(cpu_s),
        "early_mb": str(early_kb / 1024),
        "rss_mb": str(peak_kb / 1024),
    }


def _n_begun(study: Path) -> int:
    """Counts the attempts that were begun: a line of 19 bytes each."""
    return sum(path.stat().st_size for path in study.glob("work/*/attempts.log")) // 19


def _rss_kb(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    return next((int(s.split()[1]) for s in status.splitlines() if s.startswith("VmRSS")), 0)


def _inspect(folder: Path, python: str, n: int) -> None:
    logs = folder / f"inspect-{n}"
    logs.mkdir()
    done = subprocess.run(
        [python, "-c", INSPECT, str(n), str(logs)], capture_output=True, text=True, check=True
    )
    measured = json.loads(done.stdout.splitlines()[-1])
    assert measured["status"] == "success"
    _say(f"inspect-ai, mock model, {n}", n, measured, None)


def _say(name: str, n: int, measured: dict[str, str], bound_ms: float | None) -> None:
    wall_ms = float(measured["wall_s"]) / n * 1000
    cpu_ms = float(measured["cpu_s"]) / n * 1000
    wanted = ""
    if bound_ms is not None:
        wanted = f", wanted <= {bound_ms:g}: {'met' if wall_ms <= bound_ms else 'NOT met'}"
    print(
        f"{name:34} {n:6,} {wall_ms:7.2f} ms each, {cpu_ms:6.2f} ms processor, "
        f"{float(measured.get('early_mb', 0)):4.0f} -> {float(measured['rss_mb']):4.0f} MB"
        f"{wanted}"
        f" (load {os.getloadavg()[0]:.1f})",
        flush=True,
    )


@contextmanager
def _server() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n_cells", nargs="?", type=int, default=10_000)
    parser.add_argument("--inspect", help="interpreter with inspect_ai")
    parser.add_argument("--inspect-only", action="store_true", help="only what --inspect measures")
    options = parser.parse_args()
    main(options.n_cells, options.inspect, is_inspect_only=options.inspect_only)
