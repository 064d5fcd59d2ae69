"""Takes an LDD trace apart into sessions and steps, and checks each step against itself."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from equipoise.adapters.logs.noticing import Noticer

LOOPS = frozenset({"inner", "design", "refine", "outer", "cot", "architect", "refinement"})
_LINE = re.compile(r"^(\d{4}-\d\d-\d\dT\S+)\s+(\w+)(.*)$")
_PAIR = re.compile(r'([^\s="]+)=("(?:[^"\\]|\\.)*"|\S*)')
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_RAW = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)/(\d{1,9})")
_MINUS = "\N{MINUS SIGN}"
_ROUNDING = 0.0006
_DELTA_ROUNDING = 0.0015
MAX_STEPS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One measured loss: in which loop, iteration and epoch, and where it stands."""

    loss: float
    k: int
    epoch: int
    loop: str
    line: int
    quote: str


@dataclass(slots=True)
class Session:
    """What happened between two meta lines, or in a whole file without one."""

    task: str = ""
    line: int = 1
    n_lines: int = 0
    started_at: str = ""
    ended_at: str = ""
    is_old_form: bool = False
    steps: list[Step] = field(default_factory=list)
    epochs: int = 0
    terminals: list[str] = field(default_factory=list)
    final: Step | None = None
    skills: dict[str, int] = field(default_factory=dict)
    n_minus_is_better: int = 0
    n_plus_is_better: int = 0


def sessions_of(lines: Iterable[tuple[int, str]], name: str, noticer: Noticer) -> Iterator[Session]:
    """Yields the sessions of one trace.

    A meta line opens a session; without one the file is a session. After an ``epoch`` line the
    rubric is another: losses before and after are never subtracted. ``Δloss=-0.2`` means better;
    in the old form ``delta=+1`` means better.
    """
    session: Session | None = None
    for number, line in lines:
        found = _LINE.match(line)
        if found is None:
            noticer.lost("bad_line", "a line that is no trace line", f"{name}:{number}")
            continue
        time, loop, rest = found.groups()
        if loop == "meta":
            if session is not None:
                yield session
            session = Session(task=_pairs(rest).get("task", ""), line=number)
        session = session or Session(line=number, is_old_form=True)
        session.n_lines += 1
        session.started_at = session.started_at or time
        session.ended_at = time
        _take(session, loop, rest, (number, f"{name}:{number}"), noticer)
    if session is not None:
        yield session


def _pairs(rest: str) -> dict[str, str]:
    return {key: value.strip('"') for key, value in _PAIR.findall(rest)}


def _take(session: Session, loop: str, rest: str, place: tuple[int, str], noticer: Noticer) -> None:
    number, where = place
    pairs = _pairs(rest)
    if loop == "epoch":
        session.epochs += 1
        return
    if loop not in LOOPS:
        if loop != "meta":
            noticer.warn("unknown_loop", f"a line of the unknown kind {loop[:40]!r}", where)
        return
    skill = pairs.get("skill")
    if skill:
        session.skills[skill] = session.skills.get(skill, 0) + 1
    if "terminal" in pairs:
        session.terminals.append(pairs["terminal"])
    step = _step(pairs, loop, session, number)
    declared = _declared_delta(session, pairs)
    if step is None:
        return
    if _is_close(rest, pairs):
        session.final = step
        _check_final(session, step, where, noticer)
    elif len(session.steps) < MAX_STEPS:
        if declared is not None and "baseline" not in rest.split("=", maxsplit=1)[0]:
            _check_delta(session, step, declared, where, noticer)
        _check_raw(step, pairs, where, noticer)
        session.steps.append(step)
    else:
        noticer.lost("too_many_steps", f"only the first {MAX_STEPS} steps were kept", where)


def _is_close(rest: str, pairs: dict[str, str]) -> bool:
    return "loss_final" in pairs or ("terminal" in pairs and " close " in f"{rest} ")


def _step(pairs: dict[str, str], loop: str, session: Session, line: int) -> Step | None:
    """The loss of a line; the old ``loss_0=`` counts items of a rubric of unknown size: none."""
    for key in ("loss_final", "loss"):
        value = pairs.get(key, "")
        if not _NUMBER.fullmatch(value):
            continue
        return Step(
            loss=float(value),
            k=_count(pairs.get("k")),
            epoch=_count(pairs.get("epoch")) or session.epochs,
            loop=loop,
            line=line,
            quote=f"{key}={value}",
        )
    return None


def _count(value: str | None) -> int:
    return int(value) if value is not None and value.isdigit() and len(value) < 9 else 0


def _check_raw(step: Step, pairs: dict[str, str], where: str, noticer: Noticer) -> None:
    raw = _RAW.fullmatch(pairs.get("raw", ""))
    if raw is None:
        return
    violated, items = float(raw.group(1)), int(raw.group(2))
    if not items or abs(step.loss - violated / items) <= _ROUNDING:
        return
    of_vector = "; it is the mean of the loss vector" if "loss_vec" in pairs else ""
    noticer.warn(
        "loss_raw_mismatch", f"the loss is not raw violations over items{of_vector}", where
    )


def _declared_delta(session: Session, pairs: dict[str, str]) -> float | None:
    """The declared change of the loss, negative = better whatever the line's own sign means."""
    minus = pairs.get("Δloss", "").replace("±", "").replace(_MINUS, "-")
    if _NUMBER.fullmatch(minus):
        session.n_minus_is_better += 1
        return float(minus)
    if _NUMBER.fullmatch(pairs.get("delta", "")):
        session.n_plus_is_better += 1
        return -float(pairs["delta"])
    return None


def _check_delta(
    session: Session, step: Step, declared: float, where: str, noticer: Noticer
) -> None:
    earlier = [s for s in session.steps[-1:] if s.epoch == step.epoch and s.loop == step.loop]
    if earlier and abs(step.loss - earlier[0].loss - declared) > _DELTA_ROUNDING:
        noticer.warn(
            "delta_mismatch", "the declared difference is not loss minus the loss before", where
        )


def _check_final(session: Session, final: Step, where: str, noticer: Noticer) -> None:
    last = [s for s in session.steps if s.loop == final.loop][-1:]
    if last and abs(last[0].loss - final.loss) > _ROUNDING:
        noticer.warn("final_mismatch", "the final loss is not the loss of the last step", where)
