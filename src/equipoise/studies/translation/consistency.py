"""Whether approved targets stand in all chunks in whose source their terms occur."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from equipoise import __version__
from equipoise.records.term_consistency import Consistency, Dispute, Naive, TermShown
from equipoise.records.term_files import ChunkLine
from equipoise.records.term_shares import Share
from equipoise.studies.translation.reading import Chunks, Entry, Glossary
from equipoise.studies.translation.shares import share_of_counts
from equipoise.terms.echo import echo_of
from equipoise.terms.injection import Chunk, Injector, Left, Rules
from equipoise.terms.matching import Matched, Matcher, State, Why
from equipoise.terms.morphology import Morphology
from equipoise.terms.words import words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A term that is due in a chunk, and what was found."""

    term: str
    chunk: str
    matched: Matched


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Which terms are due in which chunk, and why the others are due in none."""

    by_chunk: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, str]


def due_terms(glossary: Glossary, chunks: Iterable[ChunkLine]) -> Due:
    """The terms whose keys occur in the source of each chunk, within their chapters.

    A key that stands only inside a longer key is not due.
    """
    injector = Injector(glossary.terms, Rules(sticky_depth=0), lambda _: 0)
    by_chunk: dict[str, tuple[str, ...]] = {}
    lefts: dict[str, set[Left]] = {term.id: set() for term in glossary.terms}
    for line in chunks:
        found = injector.inject(Chunk(id=line.id, chapter=line.chapter, text=line.source))
        by_chunk[line.id] = tuple(one.term.id for one in found.injected)
        for name, why in found.left.items():
            lefts[name].add(why)
    due = {name for names in by_chunk.values() for name in names}
    whys = {
        name: "; ".join(sorted(found - {Left.NOT_MET} or found))
        for name, found in lefts.items()
        if name not in due
    }
    return Due(by_chunk=by_chunk, left_out=whys)


def matchers_of(
    glossary: Glossary, names: Iterable[str], morphology: Morphology | None
) -> dict[str, Matcher]:
    """A matcher for each of the named entries.

    Raises:
        Blocked: one has no stored forms and no morphology is asked.
    """
    wanted = set(names)
    return {
        entry.term.id: Matcher(entry.target, morphology)
        for entry in glossary.entries
        if entry.term.id in wanted
    }


def cases_in(
    chunk: str, body: str, due: Sequence[str], matchers: Mapping[str, Matcher]
) -> list[Case]:
    """What is found of each due term in the translation of a chunk."""
    text = words_of(body)
    return [Case(term=name, chunk=chunk, matched=matchers[name].match(text)) for name in due]


def consistency(
    glossary: Glossary, chunks: Chunks, morphology: Morphology | None
) -> tuple[Consistency, list[Case]]:
    """How consistently the glossary stands in the translations, and each case.

    Raises:
        Blocked: a target has no stored forms and no morphology is asked.
    """
    due = due_terms(glossary, chunks.chunks)
    matchers = matchers_of(glossary, (n for ns in due.by_chunk.values() for n in ns), morphology)
    pairs = {key: e.target.text for e in glossary.entries for key in e.term.keys}
    cases: list[Case] = []
    echoed, untranslated = [], []
    for line in chunks.chunks:
        if not line.translation.strip():
            untranslated.append(line.id)
            continue
        echo = echo_of(line.translation, pairs, source=line.source)
        if echo.is_echo:
            echoed.append(line.id)
        cases += cases_in(line.id, echo.body, due.by_chunk[line.id], matchers)
    n_without = sum(bool(c.translation.strip()) and not due.by_chunk[c.id] for c in chunks.chunks)
    n_untranslated = sum(bool(due.by_chunk[name]) for name in untranslated)
    terms = tuple(_shown(e, [c for c in cases if c.term == e.term.id]) for e in glossary.entries)
    due_shown = [one for one in terms if one.n_chunks]
    return (
        Consistency(
            share=_share(cases, _is_rendered, n_untranslated),
            strict=_share(cases, _is_sure, n_untranslated),
            terms=terms,
            n_terms_due=len(due_shown),
            n_terms_same=sum(bool(one.is_same_everywhere) for one in due_shown),
            naive=(
                _naive(cases, "base form, whole words", lambda one: one.is_base_whole),
                _naive(cases, "base form, substring", lambda one: one.is_substring),
            ),
            disputes=tuple(_dispute(case) for case in cases if case.matched.is_disputed),
            n_chunks=len(chunks.chunks),
            n_without_terms=n_without,
            untranslated=tuple(untranslated),
            echoed=tuple(echoed),
            left_out=dict(due.left_out),
            mixed_script=tuple(f"{c.term} in {c.chunk}" for c in cases if _is_mixed(c.matched)),
            morphology=morphology.name if morphology else "",
            glossary_sha256=glossary.sha256,
            chunks_sha256=chunks.sha256,
            versions={"equipoise": __version__},
        ),
        cases,
    )


def _is_rendered(found: Matched) -> bool:
    return found.state is not State.NO_MATCH


def _is_sure(found: Matched) -> bool:
    return found.state is State.MATCH


def _is_mixed(found: Matched) -> bool:
    return found.morphology is not None and Why.MIXED_SCRIPT in found.morphology.whys


def _share(cases: Iterable[Case], is_yes: Callable[[Matched], bool], n_missing: int = 0) -> Share:
    counts: dict[str, tuple[int, int]] = {}
    for case in cases:
        yes, all_ = counts.get(case.chunk, (0, 0))
        counts[case.chunk] = (yes + is_yes(case.matched), all_ + 1)
    return share_of_counts(counts, n_missing=n_missing)


def _shown(entry: Entry, cases: Sequence[Case]) -> TermShown:
    missing = [case.chunk for case in cases if case.matched.state is State.NO_MATCH]
    flagged = [case for case in cases if case.matched.state is State.AMBIGUOUS]
    seen = dict.fromkeys(
        written
        for case in cases
        for method in (case.matched.stored, case.matched.morphology)
        if method is not None and method.state is not State.NO_MATCH
        for written in method.occurrences
    )
    return TermShown(
        id=entry.term.id,
        target=entry.target.text,
        by="stored forms" if entry.target.forms else "morphology",
        n_chunks=len(cases),
        n_rendered=len(cases) - len(missing),
        n_flagged=len(flagged),
        n_missing=len(missing),
        is_same_everywhere=not missing if cases else None,
        missing_in=tuple(missing),
        flagged_in=tuple(f"{case.chunk}: {_whys(case)}" for case in flagged),
        seen=tuple(seen),
    )


def _whys(case: Case) -> str:
    return ", ".join(case.matched.morphology.whys) if case.matched.morphology else ""


def _naive(cases: Sequence[Case], method: str, says: Callable[[Matched], bool]) -> Naive:
    rendered = [case for case in cases if _is_rendered(case.matched)]
    return Naive(
        method=method,
        consistency=_share(cases, says),
        n_flags=sum(not says(case.matched) for case in cases),
        n_false_flags=sum(not says(case.matched) for case in rendered),
        false_share=_share(rendered, lambda one: not says(one)),
        n_false_hits=sum(says(case.matched) for case in cases if not _is_rendered(case.matched)),
    )


def _dispute(case: Case) -> Dispute:
    stored, other = case.matched.stored, case.matched.morphology
    assert stored is not None
    assert other is not None
    return Dispute(
        term=case.term,
        chunk=case.chunk,
        stored=stored.state.value,
        morphology=other.state.value,
        seen=stored.occurrences or other.occurrences,
    )
