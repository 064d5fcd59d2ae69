"""The evaluation of terminology memory told in the terminal."""

from collections.abc import Iterator

from equipoise.cli.terms_figures import tags_told
from equipoise.records.counted import counted
from equipoise.records.term_memory import ChunkInjection, Memory, MemoryPlan, ModeInjection
from equipoise.stages.report.text import label
from equipoise.studies.translation.memory_page import (
    cells_of,
    columns,
    difference_said,
    excluded_said,
    reading_said,
)

_MARKS = {"AMBIGUOUS": "?", "CONFIRMED": ""}


def plan_told(found: MemoryPlan) -> str:
    """Gives the text that `--dry-run` prints: what stands in each prompt, and why not the rest."""
    rules = found.rules
    budget = f"{rules.budget:,} tokens" if rules.budget is not None else "none"
    lines = [
        (
            f"{counted(found.n_terms, 'term')}, {found.n_recurring:,} come back in another chapter "
            f"(at least {found.n_wanted} are wanted to evaluate)"
        ),
        (
            f"a term stays for {counted(rules.sticky_depth, 'chunk')}; keys of sounds from "
            f"{counted(rules.least_phonetic, 'letter')}; budget {budget}; tokens by "
            f"{rules.estimator}; seed of M3 {rules.seed}"
        ),
        "no model was asked",
        "",
    ]
    for chunk in found.chunks:
        lines += _chunk(chunk)
    return "\n".join(lines).rstrip() + "\n"


def told(found: Memory) -> str:
    """Gives the text that the command prints."""
    rows = [columns(), *(cells_of(mode) for mode in found.modes)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    lines += ["", *(line for mode in found.modes for line in excluded_said(mode))]
    lines += ["", "differences, over chunks that both have clean:"]
    lines += [f"  {difference_said(one)}" for one in found.differences]
    lines += ["", "readings, by rules written down before (margins " + _margins(found) + "):"]
    for one in found.readings:
        lines.append(f"  {reading_said(one)}{tags_told(one.tags)}")
        if one.needed:
            lines.append(f"    to tell: {one.needed}")
    lines += ["", *_besides(found)]
    return "\n".join(lines).rstrip() + "\n"


def _margins(found: Memory) -> str:
    margins = found.margins
    return (
        f"consistency {margins.consistency:g}, fidelity {margins.fidelity:g}, cost {margins.cost:g}"
    )


def _besides(found: Memory) -> Iterator[str]:
    yield (
        f"{counted(found.n_chunks, 'chunk')}, {counted(found.n_terms, 'term')}, "
        f"{found.n_recurring:,} come back in another chapter"
    )
    yield f"judges: {', '.join(map(label, found.judges)) or 'none'}"
    yield f"morphology: {found.morphology or 'not asked; stored forms alone'}"
    yield f"{found.state}: it lacks {'; '.join(found.lacks)}"


def _chunk(chunk: ChunkInjection) -> Iterator[str]:
    yield f"chunk {label(chunk.chunk)}, chapter {chunk.chapter}"
    for mode in chunk.modes:
        yield f"  {mode.mode}  {_lines(mode)}"
        if mode.mode == "M1":
            whys: dict[str, list[str]] = {}
            for name, why in mode.left.items():
                whys.setdefault(why, []).append(label(name))
            for why, names in whys.items():
                yield f"      left out, {why}: {', '.join(names)}"
    yield ""


def _lines(mode: ModeInjection) -> str:
    if not mode.injected:
        return "nothing"
    found = ", ".join(f"{label(one.line)}{_stay(one.stays)}" for one in mode.injected)
    return f"{found}; {counted(mode.n_tokens, 'token')}"


def _stay(stays: int) -> str:
    return f" (met {counted(stays, 'chunk')} ago)" if stays else ""
