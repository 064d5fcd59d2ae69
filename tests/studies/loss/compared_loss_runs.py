"""Two releases of a help desk with planted losses, compared through the command line."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from click.testing import CliRunner, Result

from equipoise.cli import commands
from equipoise.records.codec import decode
from equipoise.records.plan import Plan
from equipoise.records.suite import LossComparison, LossRow, Suite
from equipoise.records.trial import Ending, EndingKind, Fault
from equipoise.stages.report.loss.files import read_listed
from studies.loss.made_loss_runs import Run, partition, plan, run, study, units

N = 400
REFUND = partition({"intent": "refund"}, weight=0.75, n_min=N)
INVOICE = partition({"intent": "invoice"}, weight=0.25, n_min=N)
BROKEN = Ending(kind=EndingKind.INFRASTRUCTURE_ERROR, fault=Fault.INFRASTRUCTURE, detail="refused")


def names(part: str, n: int = N) -> list[str]:
    return [f"{part}{i:04}" for i in range(n)]


def two_parts(**more: Any) -> Plan:
    return plan((REFUND, INVOICE), units(REFUND, names("r")) + units(INVOICE, names("i")), **more)


def losses(
    part: str, arg: float, tone: float = 0.1, *, n: int = N, quote: str = "wrong"
) -> list[Run]:
    """Units of which the first share lost the category wholly."""
    return [
        Run(
            unit=name,
            lost={
                "tool_call_wrong_arg": float(i < arg * n),
                "tone_off": float((i * 7) % n < tone * n),
            },
            quote=f"{quote} {name}" if quote else "",
        )
        for i, name in enumerate(names(part, n))
    ]


def made(
    tmp_path: Path,
    new: Iterable[Run],
    base: Iterable[Run] | None = None,
    promised: Plan | None = None,
) -> Path:
    """A study with a run of both releases; by default release 1 loses a tenth everywhere."""
    promised = promised or two_parts()
    folder = study(tmp_path / "study", promised)
    before = losses("r", 0.1) + losses("i", 0.1) if base is None else base
    run(folder, promised, "release-1", before)
    run(folder, promised, "release-2", new, ordinal=2)
    return folder


def called(*arguments: object) -> Result:
    return CliRunner().invoke(commands, [str(argument) for argument in arguments])


def result(folder: Path) -> LossComparison:
    path = next(folder.joinpath("comparisons").glob("*/regressions.json"))
    return decode(path.read_bytes(), LossComparison)


def table(folder: Path, name: str = "TOP-REGRESSIONS.md") -> list[dict[str, str]]:
    return read_listed(next(folder.joinpath("comparisons").glob(f"*/{name}")).read_bytes())


def row(folder: Path, cell: str) -> LossRow:
    return next(r for r in result(folder).rows if f"{r.partition} / {r.category}" == cell)


def suites(folder: Path) -> dict[str, Suite]:
    found = [
        decode(path.read_bytes(), Suite) for path in folder.glob("archive/*/suites/*/suite.json")
    ]
    return {suite.arm: suite for suite in found}


def worse(tmp_path: Path, n: int = N) -> Path:
    """Refunds became worse; each partition has n units in each release."""
    parts = [msgspec.structs.replace(part, n_min=n) for part in (REFUND, INVOICE)]
    planned = units(parts[0], names("r", n)) + units(parts[1], names("i", n))
    before, after = (losses("r", refunds, n=n) + losses("i", 0.1, n=n) for refunds in (0.1, 0.4))
    return made(tmp_path, after, before, plan(parts, planned))


def written(folder: Path) -> list[Path]:
    found = [*folder.rglob("suite.json"), *folder.joinpath("comparisons").rglob("*")]
    return sorted(p for p in (*found, *folder.glob("*-HISTORY.md")) if p.is_file())
