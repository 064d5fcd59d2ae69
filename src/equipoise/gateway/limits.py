"""What the calls of a run may spend, how many run at once, and when one is tried again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime

import anyio

from equipoise.gateway.spent import SpentFile

RETRIED = frozenset({429, 503, 529})
"""Statuses by which a provider asks to be asked again; nothing was billed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of all calls together and of each.

    `spent_usd` is what earlier parts of the run have cost. A cap is kept by refusing each call that
    might exceed it, by its upper bound: every byte of the request one token, `unseen_tokens` for
    what a vendor adds, and the answer's `max_tokens`, or `most_output_tokens` where it has none.
    A wait that a provider asks for beyond `longest_wait_s` is left to the harness. All requests of
    a trial together have at most `max_trial_bytes` and are at most `max_trial_calls`.
    """

    max_usd: float | None = None
    max_usd_per_trial: float | None = None
    spent_usd: float = 0.0
    concurrency: int = 32
    timeout_s: float = 600.0
    n_retries: int = 4
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    max_answer_bytes: int = 256 * 2**20
    max_request_bytes: int = 64 * 2**20
    max_trial_bytes: int = 512 * 2**20
    max_trial_calls: int = 10_000
    most_output_tokens: int = 128_000
    unseen_tokens: int = 4_000

    @property
    def has_cap(self) -> bool:
        """Says whether spending is capped."""
        return self.max_usd is not None or self.max_usd_per_trial is not None


class OverCap(Exception):
    """The call might exceed the spending cap; the text says by how much, or why nobody can tell."""


@dataclass(slots=True, kw_only=True)
class Reservation:
    """Money set aside for one call until it is known what it cost."""

    trial: str
    usd: float
    is_settled: bool = False
    noted: str = ""


class Purse:
    """Holds the spending cap of a run: money is set aside before a call, and settled after it."""

    def __init__(self, limits: Limits, notes: SpentFile | None = None) -> None:
        """Begins with what was spent earlier: as the limits say, or as the notes do if more."""
        self._limits = limits
        self._notes = notes
        self.spent_usd = max(limits.spent_usd, notes.usd if notes else 0.0)
        self._reserved = 0.0
        self._by_trial: dict[str, float] = {}

    def reserve(self, trial: str, bound: float | None, why_unknown: str) -> Reservation:
        """Sets aside the upper bound of a call.

        Raises:
            OverCap: it might exceed a cap, or there is a cap and no bound.
        """
        if not self._limits.has_cap:
            return Reservation(trial=trial, usd=0.0)
        if bound is None:
            raise OverCap(
                f"there is a spending cap, and what this call may cost is unknown: {why_unknown}"
            )
        held = self._by_trial.get(trial, 0.0)
        for name, cap, taken in (
            ("the run", self._limits.max_usd, self.spent_usd + self._reserved),
            ("the trial", self._limits.max_usd_per_trial, held),
        ):
            if cap is not None and taken + bound > cap:
                raise OverCap(
                    f"this call may cost up to ${bound:.4f}; ${taken:.4f} of the ${cap:.4f} of "
                    f"{name} are spent or set aside"
                )
        try:
            noted = self._notes.set_aside(bound) if self._notes else ""
        except OSError as error:
            raise OverCap(
                f"there is a spending cap, and what this call may cost cannot be noted: {error}"
            ) from error
        self._reserved += bound
        self._by_trial[trial] = held + bound
        return Reservation(trial=trial, usd=bound, noted=noted)

    def settle(self, reservation: Reservation, usd: float | None) -> None:
        """Books what a call cost; null = nobody knows, and then its upper bound counts."""
        if reservation.is_settled:
            return
        reservation.is_settled = True
        cost = reservation.usd if usd is None else usd
        self.spent_usd += cost
        if self._notes and reservation.noted:
            self._notes.settle(reservation.noted, cost)
        self._reserved -= reservation.usd
        held = self._by_trial.get(reservation.trial, 0.0)
        self._by_trial[reservation.trial] = held - reservation.usd + cost

    def forget(self, trial: str) -> None:
        """Forgets a trial that has ended."""
        self._by_trial.pop(trial, None)


@dataclass(slots=True)
class Pace:
    """Lets so many calls to an upstream run at once, and none while it asks for a pause."""

    slots: anyio.Semaphore
    quiet_until: float = field(default=0.0)

    async def wait(self) -> None:
        """Waits until the pause is over."""
        await anyio.sleep_until(self.quiet_until)

    def pause(self, seconds: float) -> None:
        """Lets nobody ask for so long."""
        self.quiet_until = max(self.quiet_until, anyio.current_time() + seconds)


def wait_of(
    headers: Mapping[str, str], limits: Limits, n_tried: int, spread: float, now: datetime
) -> float | None:
    """Gives how long to wait before asking again; null = not at all.

    The provider's own word goes first (``retry-after-ms``, ``retry-after`` in seconds or as a
    date); else the wait doubles each time, spread by up to a half so that calls do not return
    together.

    Args:
        headers: those of the answer, with lower-case names.
        limits: how often and how long.
        n_tried: how often it was asked again already.
        spread: in [0, 1), different for each call.
        now: for a date.
    """
    if n_tried >= limits.n_retries:
        return None
    said = _said(headers, now)
    wait = limits.first_wait_s * 2**n_tried * (1 + spread / 2) if said is None else said
    if said is None:
        return min(wait, limits.longest_wait_s)
    return wait if wait <= limits.longest_wait_s else None


def _said(headers: Mapping[str, str], now: datetime) -> float | None:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < 1e9 else None
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    try:
        return max((date - now).total_seconds(), 0.0)
    except TypeError:  # a date without a zone
        return None
