"""What `grade` does with a rating study: asks the model judges that its plan names."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from equipoise.cli.clock import exact_now
from equipoise.cli.grade_judges import judging, money
from equipoise.cli.screen import write, write_json
from equipoise.errors import as_word
from equipoise.records.codec import pretty
from equipoise.stages.grade.judges.usable import Readability
from equipoise.studies.rating.judging import Judged, judge_study
from equipoise.studies.rating.unblinding import is_unblinded

_BLOCKED = 3


def grade_rating(
    study: Path, *, max_usd: float | None = None, no_judges: bool = False, as_json: bool = False
) -> int:
    """Asks the judges, tells what they said, and gives the exit code.

    Raises:
        Blocked: the study is not sealed, names no judges, or one cannot be asked.
        Tampered: something sealed was changed.
    """
    with judging(study, exact_now, max_usd) as means:
        judged = judge_study(study, None if no_judges else means)
    if as_json:
        write_json(pretty(_as_json(study, judged)).decode())
    else:
        write("".join(f"{line}\n" for line in _lines(judged)))
        if judged.told.stopped:
            write(
                f"judges were stopped: {judged.told.stopped}\nnext: "
                f"equipoise grade {as_word(study)}\n"
            )
        else:
            write(f"next: equipoise compare {as_word(study)}\n")
    return _BLOCKED if judged.told.stopped else 0


def _lines(judged: Judged) -> Iterator[str]:
    told = judged.told
    cost = money(told.usd, told.n_unpriced, is_simulated=judged.is_simulated)
    yield (
        f"{judged.n_sets:,} sets, {told.n_asked:,} questions, {told.n_new:,} answers now, {cost}  "
        f"[{judged.archive.name}]"
    )
    for one in judged.readable:
        yield f"judge {one.judge}: {_states(one)}"
        found = list(judged.verdicts.get(one.judge, {}).values())
        if found:
            n_ties = sum(verdict.is_tie for verdict in found)
            n_none = sum(not verdict.has_quorum for verdict in found)
            first = [v.first_share for v in found if v.first_share is not None]
            share = f"{sum(first) / len(first):.1%}" if first else "never"
            yield (
                f"  verdicts on {len(found):,} sets: {n_ties:,} without a majority after swapping "
                f"places, {n_none:,} with too few answers; first place best: {share}"
            )
        if one.n_answers and not one.is_usable:
            yield f"  warning: it is not used: {one.text}"
        if one.is_suspect:
            yield f"  warning: arms differ in what could be read (p = {one.p_arms:.2g})"
    for judge, why, n in judged.excluded:
        yield f"judge {judge} was not asked about {n:,} sets: {why}"
    if judged.unjudged:
        yield f"{len(judged.unjudged):,} sets have no judge left: they are not evaluable"
    yield "[soft] judges are not validated before `compare` has held them against people"


def _states(one: Readability) -> str:
    states: Counter[str] = Counter()
    for counts in one.by_arm.values():
        states.update(counts)
    if not states:
        return "nothing asked"
    read = one.n_answers - one.n_unreadable
    return f"{one.n_answers:,} answers, {read:,} read, {one.n_unreadable:,} without a verdict"


def _as_json(study: Path, judged: Judged) -> dict[str, object]:
    """Which arm is ahead is left out until a comparison has joined the keys."""
    told = judged.told
    is_open = is_unblinded(study, judged.plan_sha256)
    return {
        "study": str(study),
        "archive": judged.archive.name,
        "is_simulated": judged.is_simulated,
        "is_unblinded": is_open,
        "n_sets": judged.n_sets,
        "unjudged": judged.unjudged,
        "stopped": told.stopped,
        "asked": {"n": told.n_asked, "n_new": told.n_new, "usd": told.usd},
        "excluded": [{"judge": j, "why": why, "n_sets": n} for j, why, n in judged.excluded],
        "judges": [
            {
                "judge": one.judge,
                "n_answers": one.n_answers,
                "n_unreadable": one.n_unreadable,
                "by_arm": one.by_arm,
                "is_usable": one.is_usable,
                "p_arms": one.p_arms,
                "is_validated": False,
                "verdicts": {
                    name: ({"best": verdict.best, "shares": verdict.shares} if is_open else {})
                    | {
                        "is_tie": verdict.is_tie,
                        "has_quorum": verdict.has_quorum,
                        "n_read": verdict.n_read,
                        "n_repeats": verdict.n_repeats,
                        "first_share": verdict.first_share,
                    }
                    for name, verdict in judged.verdicts.get(one.judge, {}).items()
                },
            }
            for one in judged.readable
        ],
    }
