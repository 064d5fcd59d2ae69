"""Terms of a slice: due and rendered, rendered and due."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from equipoise.records.slice import TermFigure
from equipoise.records.term_files import ChunkLine
from equipoise.studies.translation.consistency import Due, due_terms, matchers_of
from equipoise.studies.translation.reading import Glossary
from equipoise.studies.translation.shares import share_of_counts
from equipoise.terms.echo import Echo
from equipoise.terms.fold import folded
from equipoise.terms.injection import Term, spans_of
from equipoise.terms.matching import State
from equipoise.terms.morphology import Morphology
from equipoise.terms.words import words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceTerms:
    """What is said of the terms of a slice; `flagged` renderings may be another word."""

    due: Due
    coverage: TermFigure
    precision: TermFigure
    flagged: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A term in a chapter, and whether what is asked holds of it."""

    term: str
    chapter: str
    is_yes: bool


def due_and_rendered(
    glossary: Glossary,
    chunks: Sequence[ChunkLine],
    echoes: Mapping[str, Echo],
    morphology: Morphology | None,
) -> SliceTerms:
    """Coverage and precision of a glossary over chapters.

    Coverage: of the terms due in a source (as in `terms consistency`) the share whose rendering
    stands in the translation, sure or flagged. Precision: of the renderings that surely stand in a
    translation the share whose term stands in the source at all; a name put in for a pronoun speaks
    against it. Entries of one rendering are one: it is due where any of their keys stands.

    Raises:
        Blocked: a rendering has no stored forms and no morphology is asked.
    """
    due = due_terms(glossary, chunks)
    matchers = matchers_of(glossary, (entry.term.id for entry in glossary.entries), morphology)
    terms_of: dict[str, list[Term]] = {}
    for entry in glossary.entries:
        terms_of.setdefault(entry.target.text, []).append(entry.term)
    covered, precise, flagged = [], [], []
    for chunk in chunks:
        source, body = folded(chunk.source), words_of(echoes[chunk.id].body)
        wanted = set(due.by_chunk[chunk.id])
        for entry in glossary.entries:
            name = entry.term.id
            state = matchers[name].match(body).state
            if name in wanted:
                is_there = state is not State.NO_MATCH
                covered.append(_Case(term=name, chapter=chunk.id, is_yes=is_there))
            same = terms_of[entry.target.text]
            if state is State.MATCH and entry.term is same[0]:
                is_due = any(_stands(term, source) for term in same)
                precise.append(_Case(term=name, chapter=chunk.id, is_yes=is_due))
            if state is State.AMBIGUOUS:
                flagged.append(f"{name} in {chunk.id}")
    echoed = {name for name, echo in echoes.items() if echo.is_echo}
    return SliceTerms(
        due=due,
        coverage=_figure(covered, echoed),
        precision=_figure(precise, echoed),
        flagged=tuple(flagged),
    )


def _stands(term: Term, source: str) -> bool:
    return any(True for key in term.keys for _ in spans_of(folded(key), source))


def _figure(cases: Sequence[_Case], echoed: set[str]) -> TermFigure:
    clean = [case for case in cases if case.chapter not in echoed]
    return TermFigure(
        full=share_of_counts(_counts(cases)),
        clean=share_of_counts(_counts(clean)),
        against=tuple(f"{case.term} in {case.chapter}" for case in cases if not case.is_yes),
    )


def _counts(cases: Sequence[_Case]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for case in cases:
        yes, of = found.get(case.chapter, (0, 0))
        found[case.chapter] = (yes + case.is_yes, of + 1)
    return found
