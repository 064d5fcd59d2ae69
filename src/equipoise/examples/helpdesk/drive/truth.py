"""The truth that was planted: by how much release 2 really differs from release 1, by cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from equipoise.examples.helpdesk.drive.catalog import unit_loss
from equipoise.examples.helpdesk.drive.workload import Case
from equipoise.examples.helpdesk.service import hops

_ROLLS = 1_000
_CATEGORIES = (("tool_call_wrong_arg", 1.0), ("wrong_answer", 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTruth:
    """One cell: its units, those the releases treat differently, the true effects.

    ``loss_effect`` is the expected loss under release 2 minus that under release 1, averaged over
    the units of the cell; ``category_effect`` the same for ``tool_call_wrong_arg`` alone, and for
    ``wrong_answer``, which moves with it. Both are exactly 0 where nothing was planted.
    """

    intent: str
    language: str
    channel: str
    units: int
    planted: int
    loss_effect: float
    category_effect: float


def true_effects(cases: Sequence[Case], *, seed: int) -> Iterator[CellTruth]:
    """The true effect in every cell, from the design and not from a drive.

    A unit of a planted form goes wrong in one release whenever the router understands it; how
    often that is comes from 1,000 rolls of the router's dice for each such unit (standard error
    of a unit's share below 0.016, of a cell's effect below 0.004).
    """
    cells: dict[tuple[str, str, str], list[Case]] = {}
    for case in cases:
        cells.setdefault((case.intent, case.language, case.channel), []).append(case)
    for (intent, language, channel), members in sorted(cells.items()):
        planted = [case for case in members if case.planted]
        understood = sum(_understood(case, seed) for case in planted) / len(members)
        sign = -1 if any(case.planted == "improvement" for case in planted) else 1
        yield CellTruth(
            intent=intent,
            language=language,
            channel=channel,
            units=len(members),
            planted=len(planted),
            loss_effect=sign * understood * unit_loss(_CATEGORIES),
            category_effect=sign * understood,
        )


def _understood(case: Case, seed: int) -> float:
    """The share of rolls in which the router finds the intent that is meant."""
    language = hops.detect_language(case.text)
    right = 0
    for roll in range(_ROLLS):
        dice = hops.Dice(seed=seed, conversation=f"{case.unit}/truth{roll}")
        right += next(iter(hops.route(case.text, language, dice))) == case.intent
    return right / _ROLLS
