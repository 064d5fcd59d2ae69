"""A fresh seed with an agent's diff on top, for one run of a suite, and the record of that run."""

import hashlib
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

import anyio

from equipoise.adapters.suites.verdict import Verdict
from equipoise.ports.agents import Isolation, Seed
from equipoise.records.suite_run import SuiteRun


class Rules(Protocol):
    """What may change of the seed, and the name of the suite."""

    @property
    def name(self) -> str: ...  # noqa: D102  said above
    @property
    def allowed(self) -> tuple[str, ...]: ...  # noqa: D102  said above
    @property
    def kept(self) -> tuple[str, ...]: ...  # noqa: D102  said above


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """The workspace of one run, and a folder beside it that goes away with it."""

    workspace: Path
    shared: Path
    left_out: tuple[str, ...]
    started_at: datetime
    began: float
    seed_sha256: str
    diff_sha256: str

    def record(
        self,
        verdict: Verdict,
        *,
        suite: str,
        suite_sha256: str,
        is_apart: bool,
        isolation: Isolation,
        limit_s: float,
    ) -> SuiteRun:
        """Gives the record of the run, which ends now."""
        return SuiteRun(
            suite=suite,
            status=verdict.status,
            n_passed=verdict.n_passed,
            n_expected=verdict.n_expected,
            tests=verdict.tests,
            is_apart=is_apart,
            isolation=isolation,
            suite_sha256=suite_sha256,
            seed_sha256=self.seed_sha256,
            diff_sha256=self.diff_sha256,
            started_at=self.started_at.isoformat(timespec="milliseconds"),
            duration_ms=round(1000 * (time.perf_counter() - self.began), 3),
            why=verdict.why,
            fault=verdict.fault,
            tampered=verdict.tampered,
            left_out=self.left_out,
            limit_s=limit_s,
            ran_ms=None if verdict.ran_ms is None else round(verdict.ran_ms, 3),
        )


@asynccontextmanager
async def fresh(
    seed: Seed, diff: bytes, work: Path, rules: Rules, clock: Callable[[], datetime]
) -> AsyncIterator[Fresh]:
    """Gives a fresh workspace below `work`, and removes it afterwards.

    Raises:
        InputError: the diff does not fit the seed.
    """
    started_at, began = clock(), time.perf_counter()
    run = secrets.token_hex(8)
    place, shared = work / "runs" / run, work / "shared" / run
    try:
        workspace = place / "workspace"
        await anyio.to_thread.run_sync(_make, place, shared)
        left_out = await anyio.to_thread.run_sync(
            seed.rebuild, workspace, diff, rules.allowed, rules.kept
        )
        yield Fresh(
            workspace=workspace,
            shared=shared,
            left_out=left_out,
            started_at=started_at,
            began=began,
            seed_sha256=seed.sha256,
            diff_sha256=hashlib.sha256(diff).hexdigest(),
        )
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, place, shared, work / "tester" / run)


def _make(*folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True)


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
