"""Consistency of terms told in the terminal: the figure, what was missed, what is in dispute."""

from collections.abc import Iterable, Iterator

from equipoise.cli.terms_figures import share_told, tags_told
from equipoise.records.counted import counted
from equipoise.records.term_consistency import Consistency, Naive, TermShown

_SHOWN = 12


def told(found: Consistency) -> str:
    """Gives the text that the command prints."""
    share = share_told(found.share, "due terms rendered")
    lines = [
        f"consistency  {share}{tags_told(found.share.tags)}",
        f"             strict, flagged cases as missing: {share_told(found.strict, 'sure')}",
        (
            f"             {found.n_terms_same:,} of {counted(found.n_terms_due, 'term')} rendered "
            "wherever due"
        ),
        f"             morphology: {found.morphology or 'not asked; stored forms alone'}",
        "",
    ]
    lines += [line for one in found.naive for line in _naive(one)]
    lines += ["", *_terms(found.terms), *_disputes(found), *_besides(found)]
    return "\n".join(lines).rstrip() + "\n"


def _naive(one: Naive) -> Iterator[str]:
    yield f"naive        {one.method}: would report {share_told(one.consistency, 'found')}"
    yield (
        f"             and flag {one.n_flags:,}, of which {one.n_false_flags:,} falsely: "
        f"{share_told(one.false_share, 'rendered cases flagged')}; "
        f"{counted(one.n_false_hits, 'false hit')}"
    )


def _terms(terms: Iterable[TermShown]) -> Iterator[str]:
    rows = [one for one in terms if one.n_missing or one.n_flagged]
    if rows:
        yield "terms that are not rendered everywhere, or may be another word:"
    for one in sorted(rows, key=lambda row: -row.n_missing)[:_SHOWN]:
        yield (
            f"  {one.target}: {one.n_rendered:,} of {counted(one.n_chunks, 'chunk')}"
            f"{_listed(', missing in', one.missing_in)}{_listed(', flagged in', one.flagged_in)}"
        )
    if len(rows) > _SHOWN:
        yield f"  and {len(rows) - _SHOWN:,} more (--json has them all)"


def _disputes(found: Consistency) -> Iterator[str]:
    if found.disputes:
        yield ""
        yield (
            f"stored forms and morphology disagree in {counted(len(found.disputes), 'case')} "
            "(stored forms decide):"
        )
    for one in found.disputes[:_SHOWN]:
        seen = ", ".join(one.seen) or "nothing seen"
        yield (
            f"  {one.term} in {one.chunk}: stored {one.stored}, morphology {one.morphology}: {seen}"
        )


def _besides(found: Consistency) -> Iterator[str]:
    yield ""
    yield f"{counted(found.n_chunks, 'chunk')}, {found.n_without_terms:,} without a term"
    for names, what in (
        (found.untranslated, "without a translation, nothing is said of them"),
        (found.echoed, "repeat the glossary or the source; what is left of them was measured"),
        (found.mixed_script, "look like the target in letters of another script: not taken"),
    ):
        if names:
            yield f"{len(names):,} {what}: {', '.join(names[:_SHOWN])}"
    for name, why in list(found.left_out.items())[:_SHOWN]:
        yield f"not due anywhere: {name}: {why}"


def _listed(words: str, names: tuple[str, ...]) -> str:
    more = ", …" if len(names) > _SHOWN else ""
    return f"{words} {', '.join(names[:_SHOWN])}{more}" if names else ""
