"""Runs the certificate, prints progress, writes docs/certificate.md; ends with 1 on a failure."""

import argparse
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from benchmarks.certificate import coverage, equivalence, families, outside, power, worlds
from benchmarks.certificate.points import Point, Task
from benchmarks.certificate.table import Run, page
from equipoise import __version__

_SEED = 20_261
_PAGE = Path(__file__).resolve().parents[2] / "docs" / "certificate.md"
_PARTS = {
    "coverage": (coverage.tasks, 20_000),
    "families": (families.tasks, 10_000),
    "power": (power.tasks, 20_000),
    "equivalence": (equivalence.tasks, 50_000),
    "A/A worlds": (worlds.tasks, 100_000),
    "outside": (outside.tasks, 10_000),
}


def main(arguments: list[str] | None = None) -> int:
    """Runs it and returns the exit code: 1 when any requirement fails."""
    given = _options().parse_args(arguments)
    shrink = 20 if given.quick else 1
    parts = [name for name in _PARTS if not given.part or name in given.part]
    started = time.monotonic()
    work = [
        _Work(part=name, place=place, draws=max(_PARTS[name][1] // shrink, 50), seed=given.seed)
        for name in parts
        for place in range(len(_PARTS[name][0](1)))
    ]
    points = _measured(work, given.processes)
    points += coverage.grid_means(points)
    seconds = time.monotonic() - started
    run = Run(
        seed=given.seed,
        versions=(
            f"equipoise {__version__}, Python {platform.python_version()}, "
            f"numpy {np.__version__}, scipy {scipy.__version__}"
        ),
        draws=", ".join(f"{name} {_PARTS[name][1] // shrink:,}" for name in parts),
        seconds=seconds,
    )
    text = page(points, run)
    out = given.out or (None if given.quick or given.part else _PAGE)
    if out:
        Path(out).write_text(text, encoding="utf-8")
    broken = [p for p in points if not p.is_kept]
    for p in broken:
        print(
            f"out of bounds: {p.section}: {p.row}, {p.column}: {p.measured:.4f}, wanted {p.bound}"
        )
    print(f"{len(points)} numbers, {len(broken)} out of bounds, {seconds:.0f} s")
    return 1 if broken else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """One task by its place, so that another process can find it."""

    part: str
    place: int
    draws: int
    seed: int

    def task(self) -> Task:
        return _PARTS[self.part][0](self.draws)[self.place]


def _measured(work: list[_Work], processes: int) -> list[Point]:
    """The points of all tasks, in the order of the tasks whatever finishes first."""
    found: list[list[Point]] = [[] for _ in work]
    with ProcessPoolExecutor(max_workers=processes) as pool:
        waiting = {pool.submit(_points, one): i for i, one in enumerate(work)}
        for done, future in enumerate(as_completed(waiting), start=1):
            i = waiting[future]
            found[i] = future.result()
            print(f"[{done}/{len(work)}] {work[i].task().name}", flush=True)
    return [point for some in found for point in some]


def _points(one: _Work) -> list[Point]:
    return one.task().points(one.seed)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.certificate", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a twentieth of the draws: chance breaks bounds"
    )
    parser.add_argument("--part", action="append", choices=list(_PARTS), help="only this part")
    parser.add_argument("--seed", type=int, default=_SEED)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", help="where the page goes; a full run writes docs/certificate.md")
    return parser


if __name__ == "__main__":
    sys.exit(main())
