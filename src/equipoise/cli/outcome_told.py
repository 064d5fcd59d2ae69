"""An outcome comparison told in the terminal: the headline, the parts, the cost, what is odd."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from equipoise.cli.loss_told import verified_by
from equipoise.errors import as_word
from equipoise.records.counted import counted
from equipoise.records.outcome_plan import Control
from equipoise.records.outcome_report import Answer, ArmOutcome, ItemFlag, OutcomeFile, RateOf
from equipoise.stages.report.outcome.reading import CRITERIA, LEAST_GAIN, ORIGINS, Moved, rate_of

_MARKS = {"better": "+", "worse": "-", "equivalent": "=", "cannot tell": "?", "not evaluable": "x"}
_WIDTH = max(map(len, CRITERIA.values()))
_MOST_LOST = 8
_MOST_ALARMS = 6
_ALARM = "pack alarm"
_OF_JUDGES = ("[soft]", "[simulated]")
_PARTS = ("hidden_explicit", "hidden_implicit", "regression", "artifact")


def told(
    file: OutcomeFile,
    folder: Path,
    study: Path,
    notes: Iterable[str] = (),
    moved: Sequence[Moved] = (),
) -> str:
    """Gives the text that `compare` prints about two arms of an outcome study.

    `moved` is the main metric of each scenario; what lost is named.
    Of `notes` those are told that say what judges are worth.
    """
    verdict = file.verdict
    tags = " ".join(f"[{tag}]" for tag in verdict.tags)
    word = f"{verdict.word.upper()} against {file.base_arm}"
    control = f"{file.control.value}: " if file.control not in {None, Control.MIXED} else ""
    lines = [
        f"{_MARKS[verdict.word]} {file.new_arm}: {word}  {tags}",
        f"    {control}{verdict.why}",
    ]
    if verdict.needed:
        lines.append(f"    to tell: {verdict.needed}")
    lines += [f"    {line}" for line in _hypotheses(file)]
    order = {file.base_arm: 0, file.new_arm: 1}
    for arm in sorted(file.arms, key=lambda one: (order.get(one.arm, 2), one.arm)):
        lines += ["", *_arm(arm)]
    lines += ["", *_moved(moved, study), *_odd(file)]
    triage = f"equipoise triage {as_word(study)}"
    for name, why in file.stale.items():
        lines.append(f"! {name}: {why}")
    if file.waiting:
        lines.append(f"! {counted(len(file.waiting), 'flag')} without a label: {triage}")
    judged = [note for note in notes if note.startswith(_OF_JUDGES)]
    lines += [f"note: {note}" for note in (ORIGINS.get(file.origin), *file.notes, *judged) if note]
    lines += [
        f"report   {folder / 'report' / 'index.html'}",
        f"cells    {folder / 'outcome-results.jsonl'}",
        f"verify   {verified_by(folder)}",
    ]
    return "\n".join(lines) + "\n"


def _hypotheses(file: OutcomeFile) -> Iterator[str]:
    for one in file.hypotheses:
        rank = "primary" if one.primary else "secondary, decides nothing"
        limits = "n/a" if one.lo is None or one.hi is None else f"[{one.lo:+.3f}, {one.hi:+.3f}]"
        gain = "n/a" if one.gain is None else f"{one.gain:+.3f}"
        p = "n/a" if one.adjusted_p is None else f"{one.adjusted_p:.3g}"
        least = "n/a" if one.smallest_p is None else f"{one.smallest_p:.3g}"
        tags = " ".join(f"[{tag}]" for tag in one.tags)
        yield f"{one.id} {one.answer.value.upper()} ({rank}): {one.statement or one.metric}"
        yield (
            f"    {one.metric} of {one.new} over "
            f"{one.base} {gain} {limits}, p {p}, smallest possible {least}  {tags}"
        )
        if one.answer is Answer.NULL:
            yield f"    {one.why}"


def _moved(moved: Sequence[Moved], study: Path) -> Iterator[str]:
    known = [(one.gain, one) for one in moved if one.gain is not None]
    lost = sorted((pair for pair in known if pair[0] < -LEAST_GAIN), key=lambda pair: pair[0])
    gained = sum(gain > LEAST_GAIN for gain, _ in known)
    if not known:
        return
    alike = len(known) - gained - len(lost)
    yield f"scenarios: {gained} gain, {len(lost)} lose, {alike} are the same in the main metric"
    for _, one in lost[:_MOST_LOST]:
        yield f"  lost {one.scenario}: {one.base:.2f} -> {one.new:.2f}"
    if len(lost) > _MOST_LOST:
        yield f"  … and {len(lost) - _MOST_LOST} more"
    if lost:
        yield f"  look: equipoise triage {as_word(study)} {lost[0][1].scenario} --show"


def _arm(arm: ArmOutcome) -> Iterator[str]:
    skill = f"skill {arm.skill}" if arm.skill else "no skill"
    yield f"{arm.arm} ({skill}): main metric {_rate(arm.main)}"
    names = dict.fromkeys((*_PARTS, *(rate.criterion for rate in arm.rates if not rate.tier)))
    for name in names:
        rate = rate_of(arm, name)
        if rate is not None or name in _PARTS:
            yield f"  {CRITERIA.get(name, name):{_WIDTH}} {_rate(rate)}"
    yield f"  {'cost of a cell':{_WIDTH}} {_cost(arm)}"
    for kind, n_cells in arm.found.items():
        yield f"  {kind:{_WIDTH}} in {n_cells} of {counted(arm.cost.n_cells, 'cell')}"


def _rate(rate: RateOf | None) -> str:
    if rate is None:
        return "n/a"
    if rate.value is None:
        return f"n/a ({rate.why or 'not measured'})"
    limits = "" if rate.lo is None or rate.hi is None else f" [{rate.lo:.2f}, {rate.hi:.2f}]"
    tags = " ".join(f"[{tag}]" for tag in rate.tags)
    return f"{rate.value:.3f}{limits}  {rate.n_cells} of {rate.n_planned} cells  {tags}"


def _cost(arm: ArmOutcome) -> str:
    cost = arm.cost
    parts = {
        "tokens in": cost.tokens_in,
        "tokens out": cost.tokens_out,
        "turns": cost.turns,
        "s": None if cost.wall_ms is None else cost.wall_ms / 1000,
        "USD": cost.usd,
    }
    said = [f"{value:,.4g} {name}" for name, value in parts.items() if value is not None]
    tag = "[soft] tokens estimated" if cost.is_estimated else "[measured]"
    return f"{', '.join(said)}  {tag}" if said else "not recorded"


def _odd(file: OutcomeFile) -> Iterator[str]:
    """Yields what stands against hidden tests: alarms first, then how many tell nothing."""
    of_pack = [alarm for alarm in file.alarms if alarm.what.startswith(_ALARM)]
    graver = {(alarm.scenario, alarm.group) for alarm in of_pack}
    alike = [
        alarm
        for alarm in file.alarms
        if alarm.group == "implicit" and (alarm.scenario, alarm.group) not in graver
    ]
    alarms = [*of_pack, *alike]
    for alarm in alarms[:_MOST_ALARMS]:
        yield f"! {alarm.scenario}, {alarm.group}: {alarm.what}"
    if len(alarms) > _MOST_ALARMS:
        yield f"! … and {len(alarms) - _MOST_ALARMS} more on the page, under Items"
    n_alike = sum(bool({ItemFlag.CEILING, ItemFlag.FLOOR} & set(item.flags)) for item in file.items)
    if file.items:
        yield f"hidden tests: {len(file.items)}, of which {n_alike} tell no cell from another"
