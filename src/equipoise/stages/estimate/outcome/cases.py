"""What the cells of one scenario say of one criterion: the cases that a pipeline is told of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import CaseVerdict
from equipoise.records.verdict import Tag, Word
from equipoise.stages.estimate.outcome.scenarios import NOT_APPLICABLE, criteria_of
from equipoise.stats.contingency import fisher
from equipoise.stats.multiplicity import adjust

_ALPHA = 0.05
_NO_CASE = frozenset({"loss", "token_recall"})
"""What joins the others, and what is a diagnostic: no case of its own."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The cells of one arm of a scenario by one criterion."""

    rates: tuple[float, ...]
    n_planned: int
    whys: tuple[str, ...]
    is_soft: bool

    @property
    def mean(self) -> float | None:
        return float(np.mean(self.rates)) if self.rates else None

    @property
    def passed(self) -> tuple[int, int]:
        return sum(rate >= 1.0 for rate in self.rates), len(self.rates)


def cases_of(
    new: Sequence[OutcomeResult], base: Sequence[OutcomeResult], barred: Mapping[str, str]
) -> tuple[CaseVerdict, ...]:
    """Gives a case for each scenario and criterion that it asks for, in the order of the plan.

    A repetition is the unit here, for nothing is said beyond the one scenario. Few repetitions
    cannot tell a word whatever comes out, and then the case says so.

    Args:
        new: every planned cell of the new arm.
        base: those of the base arm.
        barred: scenarios that decide nothing as things stand, with the reason.
    """
    found = tuple(_cases(new, base))
    tested = [place for place, one in enumerate(found) if one.p is not None]
    if not tested:
        return tuple(_told(one, barred) for one in found)
    holm = adjust([found[place].p or 0.0 for place in tested]).holm.tolist()
    adjusted = dict(zip(tested, holm, strict=True))
    return tuple(
        _told(msgspec.structs.replace(one, adjusted_p=adjusted.get(place)), barred)
        for place, one in enumerate(found)
    )


def _cases(new: Sequence[OutcomeResult], base: Sequence[OutcomeResult]) -> Iterator[CaseVerdict]:
    for scenario in dict.fromkeys(one.scenario for one in (*new, *base)):
        pair = [[one for one in arm if one.scenario == scenario] for arm in (new, base)]
        for criterion in criteria_of([*pair[0], *pair[1]]):
            ours, theirs = (_side(cells, criterion) for cells in pair)
            is_asked = any(_asks(cells, criterion) for cells in pair)
            if criterion not in _NO_CASE and is_asked:
                yield _case(scenario, criterion, ours, theirs)


def _asks(cells: Sequence[OutcomeResult], criterion: str) -> bool:
    """Says whether the criterion means these cells at all."""
    whys = [one.missing.get(criterion, "") for one in cells]
    return any(criterion in one.rates for one in cells) or any(
        why and NOT_APPLICABLE not in why for why in whys
    )


def _side(cells: Sequence[OutcomeResult], criterion: str) -> _Side:
    kept = [one for one in cells if criterion in one.rates]
    return _Side(
        rates=tuple(one.rates[criterion] for one in kept),
        n_planned=len(cells),
        whys=tuple(
            dict.fromkeys(
                why
                for one in cells
                if criterion not in one.rates
                and (why := one.missing.get(criterion) or one.why or "not measured")
            )
        ),
        is_soft=any(criterion in one.soft for one in kept),
    )


def _case(scenario: str, criterion: str, new: _Side, base: _Side) -> CaseVerdict:
    whys = "; ".join((*new.whys, *base.whys)[:2])
    missing = new.n_planned + base.n_planned - len(new.rates) - len(base.rates)
    case = CaseVerdict(
        scenario=scenario,
        criterion=criterion,
        word=None,
        why=f"{missing} cells without an outcome: {whys}" if missing else "",
        new=new.mean,
        base=base.mean,
        passed=(new.passed, base.passed),
        tag=(Tag.SOFT if new.is_soft or base.is_soft else Tag.MEASURED).value,
    )
    if new.mean is None or base.mean is None:
        return msgspec.structs.replace(case, word=Word.NOT_EVALUABLE, why=whys)
    (ours, n_ours), (theirs, n_theirs) = case.passed
    p = fisher(ours, n_ours - ours, theirs, n_theirs - theirs).p
    return msgspec.structs.replace(case, p=p)


def _told(one: CaseVerdict, barred: Mapping[str, str]) -> CaseVerdict:
    """Gives the word of a case, where its cells may decide anything."""
    if why := barred.get(one.scenario):
        word = one.word or Word.CANNOT_TELL
        return msgspec.structs.replace(one, word=word, why=why)
    if one.adjusted_p is None or one.new is None or one.base is None:
        return one
    (ours, n_ours), (theirs, n_theirs) = one.passed
    if one.adjusted_p <= _ALPHA:
        is_fewer = ours * n_theirs < theirs * n_ours
        return msgspec.structs.replace(one, word=Word.WORSE if is_fewer else Word.BETTER)
    if one.new >= one.base:
        return one
    said = f"lower, and {n_ours} and {n_theirs} repetitions cannot tell it from chance: "
    said += f"p {one.adjusted_p:.3g} over all cases, wanted at most {_ALPHA:g}"
    why = "; ".join(filter(None, (said, one.why)))
    return msgspec.structs.replace(one, word=Word.CANNOT_TELL, why=why)
