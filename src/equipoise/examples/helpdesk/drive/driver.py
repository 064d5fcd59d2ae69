"""One drive: a fresh store, the real service, the workload, the checks, ``runs.jsonl``."""

import fcntl
import json
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.examples.helpdesk.drive import workload
from equipoise.examples.helpdesk.drive.catalog import CATALOG, unit_loss
from equipoise.examples.helpdesk.drive.checks import Happened, findings, read_journals
from equipoise.examples.helpdesk.drive.conversations import Exchange, converse
from equipoise.examples.helpdesk.drive.process import running
from equipoise.examples.helpdesk.service import store

_MARKER = ".helpdesk-drive"
_OURS = (
    "state",
    "logs",
    "runs.jsonl",
    "runs.jsonl.part",
    "drive.json",
    "loss-catalog.v1.json",
    "service.stderr",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """What is driven: the release (1 or 2), the workload's size and seed, where it all goes."""

    release: int
    out: Path
    seed: int = 7
    units: int = 900
    repetitions: int = 2
    desks: int = 4
    own_dice: bool = False
    """False: where a release was not changed its chance falls the same way; True: anew."""
    mixed: bool = False
    """False: as many units in each cell; True: the cells as often as a German shop has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """What came of a drive; ``runs`` is the file with one row per attempt."""

    runs: Path
    rows: int
    completed: int
    infrastructure_errors: int
    seconds: float


class NotOurs(Exception):
    """The folder holds something that no drive has put there, or another drive uses it."""


def drive(what: Drive) -> Driven:
    """Starts the release, plays the workload, stops it and writes ``out/runs.jsonl``.

    Whatever an earlier drive, finished or killed, left in the folder is removed first;
    ``runs.jsonl`` appears only when it is whole.

    Raises:
        NotOurs: the folder is not empty and no drive of ours has made it, or one is at work there.
        ServiceFailed: the service did not start, or ended in the middle.
    """
    started = time.perf_counter()
    with _folder(what.out):
        build = workload.build_mixed if what.mixed else workload.build
        rows = _play(what, build(what.seed, what.units))
        return _write(what, rows, seconds=time.perf_counter() - started)


def _play(what: Drive, cases: list[workload.Case]) -> list[dict[str, Any]]:
    database = what.out / "state" / "helpdesk.sqlite"
    store.create(database, [case.customer for case in cases])
    options = {
        "release": what.release,
        "store": database,
        "logs": what.out / "logs",
        "seed": what.seed,
        "desks": what.desks,
    }
    arguments = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    if what.own_dice:
        arguments.append("--own-dice")
    errors = what.out / "service.stderr"
    with running(arguments, release=what.release, errors=errors) as service:
        exchanges = converse(
            service, cases, seed=what.seed, repetitions=what.repetitions, desks=what.desks
        )
    left = store.Store(database)
    happened = Happened(
        actions=left.actions(), ticketed=left.ticketed(), journals=read_journals(what.out)
    )
    left.close()
    return [_row(exchange, what.release, happened) for exchange in exchanges]


@contextmanager
def _folder(out: Path) -> Iterator[None]:
    """Empties the folder of an earlier drive and keeps other drives out for the block."""
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()) and not (out / _MARKER).exists():
        raise NotOurs(
            f"{out} holds files that no drive has written; wanted: a new or empty folder,"
            " or one of an earlier drive; mend: name another --out"
        )
    with (out / _MARKER).open("a") as marker:
        try:
            fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotOurs(f"another drive is at work in {out}; mend: name another --out") from None
        _empty(out)
        yield


def _empty(out: Path) -> None:
    for name in _OURS:
        path = out / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    (out / "state").mkdir()
    (out / "logs").mkdir()


def _row(exchange: Exchange, release: int, happened: Happened) -> dict[str, Any]:
    """One row; an attempt without an answer has no loss and no outcome: they were not measured."""
    case = exchange.case
    answered = exchange.fault is None
    found = list(findings(exchange, happened)) if answered else []
    loss = unit_loss((f.category, f.value) for f in found) if answered else None
    first = happened.journals.get(exchange.trace, {}).get("gateway")
    return {
        "unit": case.unit,
        "arm": f"release-{release}",
        "repetition": exchange.repetition,
        "attempt": exchange.attempt,
        "status": "completed" if answered else "infrastructure_error",
        "loss": loss,
        "outcome": loss == 0.0 if answered else None,
        "intent": case.intent,
        "language": case.language,
        "channel": case.channel,
        "duration_ms": exchange.duration_ms,
        "findings": [
            {
                "category": f.category,
                "value": f.value,
                "log": f.line.log,
                "line": f.line.number,
                "quote": f.line.quote,
            }
            for f in found
        ],
        "log": f"logs/desk-{exchange.desk}.jsonl",
        "log_line": first.number if first else None,
        "trace": exchange.trace,
        "fault": exchange.fault,
        "provenance": "synthetisch",
    }


def _write(what: Drive, rows: list[dict[str, Any]], *, seconds: float) -> Driven:
    statuses = Counter(row["status"] for row in rows)
    about = {
        "what": "helpdesk example: a real service, invented customers",
        "release": what.release,
        "mode": "A",
        "provenance": "synthetisch",
        "catalog_version": CATALOG["version"],
        "seed": what.seed,
        "units": what.units,
        "repetitions": what.repetitions,
        "desks": what.desks,
        "own_dice": what.own_dice,
        "mixed": what.mixed,
        "rows": len(rows),
        "statuses": dict(sorted(statuses.items())),
        "seconds": round(seconds, 3),
    }
    _write_text(what.out / "loss-catalog.v1.json", [json.dumps(CATALOG, indent=1)])
    _write_text(what.out / "drive.json", [json.dumps(about, indent=1)])
    part = what.out / "runs.jsonl.part"
    _write_text(part, (json.dumps(r, ensure_ascii=False, separators=(",", ":")) for r in rows))
    runs = part.rename(what.out / "runs.jsonl")
    return Driven(
        runs=runs,
        rows=len(rows),
        completed=statuses["completed"],
        infrastructure_errors=statuses["infrastructure_error"],
        seconds=seconds,
    )


def _write_text(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)
