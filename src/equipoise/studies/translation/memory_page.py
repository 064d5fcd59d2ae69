"""The evaluation of terminology memory as a Markdown page, and its parts in words."""

from collections.abc import Iterator

from equipoise.records.counted import counted
from equipoise.records.term_memory import Memory, ModeDifference, ModeShown, Reading
from equipoise.records.term_shares import Mean, Share
from equipoise.stages.report.markdown import escape
from equipoise.stages.report.text import label
from equipoise.studies.translation.memory_differences import COST, FIDELITY

_COLUMNS = (
    "mode",
    "consistency, clean",
    "full",
    "fidelity, clean",
    "full",
    "tokens in",
    "tokens out",
    "echo",
)

_KEY = (
    "Three axes, never one. Clean: without takes that repeat the glossary or the source. Limits "
    "are over chunks."
)


def columns() -> tuple[str, ...]:
    """The heads of the table of modes."""
    return _COLUMNS


def cells_of(mode: ModeShown) -> tuple[str, ...]:
    """The row of a mode; each axis in columns of its own."""
    echo = mode.echo
    return (
        mode.mode,
        _figure(mode.consistency.clean, 1.0, 3),
        _bare(mode.consistency.full, 1.0, 3),
        _figure(mode.fidelity.clean, 100.0, 1),
        _bare(mode.fidelity.full, 100.0, 1),
        _tokens(mode.tokens_in),
        _tokens(mode.tokens_out),
        f"{echo.n_yes or 0}/{echo.n or 0}{_limits(echo, 1.0, 2)}",
    )


def excluded_said(mode: ModeShown) -> Iterator[str]:
    """What of a mode is not in its clean figures, and how far it could move them."""
    lacks = [
        (mode.n_missing, "without a take"),
        (mode.n_empty, "empty, or with nothing but an echo"),
        (mode.n_unreadable, "that no judge's answer can be read of"),
        (mode.n_unjudged, "not judged"),
    ]
    parts = [f"{n:,} {what}" for n, what in lacks if n]
    if mode.n_regenerated:
        parts.append(f"{mode.n_regenerated:,} asked again")
    models = ", ".join(map(label, mode.models))
    yield f"{mode.mode} ({mode.says}), {models}: {', '.join(parts) or 'nothing is missing'}"
    for name, axis, scale, digits in (
        ("consistency", mode.consistency, 1.0, 3),
        ("fidelity", mode.fidelity, 100.0, 1),
    ):
        if axis.n_excluded and axis.worst is not None and axis.best is not None:
            n_all = axis.n_excluded + axis.clean.n_chunks
            worst, best = axis.worst * scale, axis.best * scale
            yield (
                f"  {name}: {axis.n_excluded:,} of {counted(n_all, 'chunk')} not in the clean "
                f"figure; over all it is from {worst:.{digits}f} to {best:.{digits}f}"
            )
    if mode.unstripped.value is not None and mode.unstripped.n_yes != mode.consistency.full.n_yes:
        yield f"  with echoes counted consistency would have been {mode.unstripped.value:.3f}"
    if any(mode.faults.values()):
        told = ", ".join(f"{n:,} {kind}" for kind, n in mode.faults.items() if n)
        yield f"  judges found: {told}"


def difference_said(one: ModeDifference) -> str:
    """One difference in words."""
    tags = "".join(f" [{tag}]" for tag in one.tags)
    head = f"{one.axis}, {one.mode} against {one.against}: "
    if one.value is None:
        return f"{head}not evaluable: {one.why}{tags}"
    if one.axis == COST:
        value, limits = f"times {one.value:.3f}", _span(one, 1.0, 3, sign=False)
    else:
        scale, digits = (100.0, 1) if one.axis == FIDELITY else (1.0, 3)
        value = f"{one.value * scale:+.{digits}f}"
        limits = _span(one, scale, digits, sign=True)
    return f"{head}{value} {limits}, {counted(one.n_chunks, 'chunk')}{tags}"


def reading_said(one: Reading) -> str:
    """One reading in words, without its tags."""
    return f"{one.rule}: {one.says.upper()}: {one.why}"


def page(found: Memory) -> str:
    """The page; every text of a file is escaped."""
    state = f"**{found.state}**, never a verdict: it lacks {'; '.join(found.lacks)}." + (
        " Answers are simulated: they support no reading." if found.is_simulated else ""
    )
    lines = [
        "# Terminology memory",
        "",
        state,
        "",
        f"| {' | '.join(_COLUMNS)} |",
        f"|{' --- |' * len(_COLUMNS)}",
        *(f"| {' | '.join(cells_of(mode))} |" for mode in found.modes),
        "",
        f"{_KEY}{_tags_said(found)}",
        "",
        *(_bullet(line) for mode in found.modes for line in excluded_said(mode)),
        "",
        "## Differences",
        "",
        *(f"- {escape(difference_said(one))}" for one in found.differences),
        "",
        "## Readings",
        "",
        *_readings(found),
        "",
        "## Where it comes from",
        "",
        *(f"- {name}: sha256 `{sha256}`" for name, sha256 in found.inputs.items()),
        f"- judges: {escape(', '.join(map(label, found.judges)) or 'none')}",
        f"- morphology: {found.morphology or 'not asked; stored forms alone'}",
        "- each full output lies in `outputs/`, named by its hash; `memory.json` says whose it is",
        "",
    ]
    return "\n".join(lines)


def _bullet(line: str) -> str:
    indent = len(line) - len(line.lstrip())
    return f"{' ' * indent}- {escape(line.strip())}"


def _readings(found: Memory) -> Iterator[str]:
    for one in found.readings:
        tags = "".join(f" `[{tag}]`" for tag in one.tags)
        yield f"- {escape(reading_said(one))}{tags}"
        if one.needed:
            yield f"  To tell: {escape(one.needed)}."


def _tags_said(found: Memory) -> str:
    named = dict.fromkeys(
        f"{axis} {' '.join(f'`[{tag}]`' for tag in tags)}"
        for mode in found.modes
        for axis, tags in (
            ("consistency", mode.consistency.clean.tags),
            ("fidelity", mode.fidelity.clean.tags),
            ("tokens", mode.tokens_in.tags),
        )
        if tags
    )
    return f" {'; '.join(named)}." if named else ""


def _figure(share: Share, scale: float, digits: int) -> str:
    if share.value is None:
        return "not evaluable"
    return f"{share.value * scale:.{digits}f}{_limits(share, scale, digits)} n={share.n_chunks}"


def _bare(share: Share, scale: float, digits: int) -> str:
    if share.value is None:
        return "not evaluable"
    return f"{share.value * scale:.{digits}f} n={share.n_chunks}"


def _limits(share: Share, scale: float, digits: int) -> str:
    if share.lo is None or share.hi is None:
        return " (no limits)"
    return f" [{share.lo * scale:.{digits}f}, {share.hi * scale:.{digits}f}]"


def _tokens(mean: Mean) -> str:
    if mean.value is None or mean.total is None:
        return "unknown"
    lacking = f", {mean.n_missing:,} unknown" if mean.n_missing else ""
    limits = f" [{mean.lo:,.0f}, {mean.hi:,.0f}]" if mean.lo is not None else " (no limits)"
    return f"{mean.value:,.1f}{limits}, sum {mean.total:,.0f} of {mean.n_chunks}{lacking}"


def _span(one: ModeDifference, scale: float, digits: int, *, sign: bool) -> str:
    if one.lo is None or one.hi is None:
        return f"(no limits: {one.why})"
    form = f"{'+' if sign else ''}.{digits}f"
    return f"[{one.lo * scale:{form}}, {one.hi * scale:{form}}]"
