"""What asking judges works with, how far it is, and what came of it."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from equipoise.errors import InputError
from equipoise.pipeline.study_files import STUDY
from equipoise.ports.models import ChatModel
from equipoise.records.judgement import Judgement, ReadState
from equipoise.records.rating_plan import JudgePlan, PanelPlan

OpenedJudge = Callable[[JudgePlan, float | None], AbstractAsyncContextManager[ChatModel]]
"""Opens the way to a judge's model; it may spend so many US dollars (null = no limit)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far asking is: questions that need no further answer, of how many, and what was spent.

    `usd` is null where no answer so far has a known price.
    """

    n_done: int
    n_total: int
    usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What asking works with.

    Args:
        opened: opens a judge.
        clock: dates what is recorded.
        max_usd: what may be spent in all, whatever was spent before; null = what the plan says.
        spent_usd: what was spent that the archive does not hold.
        on_progress: is told how far it is.
    """

    opened: OpenedJudge
    clock: Callable[[], datetime]
    max_usd: float | None = None
    spent_usd: float = 0.0
    on_progress: Callable[[Progress], None] | None = None


@dataclass(slots=True, kw_only=True)
class Told:
    """What came of asking: `n_new` answers now, and why it stopped early ("" = it did not).

    `usd` is what all judgements of the archive cost, null where no price is known; `n_unpriced` how
    many of them have none.
    """

    n_asked: int = 0
    n_new: int = 0
    stopped: str = ""
    usd: float | None = None
    n_unpriced: int = 0


def is_settled(judgement: Judgement, panel: PanelPlan) -> bool:
    """Says whether the question needs no further answer.

    What nobody answered is asked again the next time; what cannot be read, up to `max_attempts`.
    """
    if judgement.state is ReadState.FAILED:
        return False
    return judgement.state is not ReadState.UNREADABLE or judgement.attempts >= panel.max_attempts


def spent(judgements: Iterable[Judgement]) -> tuple[float | None, int]:
    """Gives what judgements cost (US dollars, null = no price is known), and how many have none."""
    usd, n_unknown = None, 0
    for one in judgements:
        if one.cost is None:
            n_unknown += 1
        else:
            usd = (usd or 0.0) + one.cost.usd
    return usd, n_unknown


def place_of(study: Path, judge: str) -> str:
    """Gives the line of the study file that names a judge; the file alone where none does."""
    try:
        lines = study.joinpath(STUDY).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return STUDY
    begins = next((n for n, line in enumerate(lines) if line.startswith("judges:")), 0)
    named = re.compile(rf"\bname:\s*['\"]?{re.escape(judge)}(?![\w-])")
    found = (n for n, line in enumerate(lines, 1) if n > begins and named.search(line))
    number = next(found, 0)
    return f"{STUDY}:{number}" if number else STUDY


@contextmanager
def naming(judge: str, where: str = "study.yaml") -> Iterator[None]:
    """Lets what is refused about a judge say whose it is, and where it was written.

    Args:
        judge: its name.
        where: file, and line where it is known.

    Raises:
        InputError: as inside, with its place.
    """
    try:
        yield
    except InputError as error:
        if error.where:
            raise
        raise InputError(
            error.found,
            wanted=error.wanted,
            mend=error.mend,
            where=f"{where}: judge {judge!r}",
            code=error.code,
        ) from error
