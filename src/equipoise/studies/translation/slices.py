"""One look at a folder of chapters: how long, how clean, how many terms found and made up."""

import statistics
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from equipoise import __version__
from equipoise.errors import Blocked, NotEstimable
from equipoise.records.slice import (
    LengthCoefficient,
    LengthRatio,
    Slice,
    SliceChapter,
)
from equipoise.stats.clusters import ClusterSums, mean_of_clusters
from equipoise.studies.translation.corpora import Corpus
from equipoise.studies.translation.reading import Glossary
from equipoise.studies.translation.shares import is_few, share_of
from equipoise.studies.translation.slice_terms import due_and_rendered
from equipoise.terms.echo import Echo, echo_of
from equipoise.terms.lengths import n_characters, n_units
from equipoise.terms.morphology import Morphology

_FAR = 1.5
"""A chapter is far from the others where its ratio is so many times the median, or so many times
less."""

_NO_GLOSSARY = "the folder has no glossary.jsonl"


def slice_of(corpus: Corpus, morphology: Morphology | None) -> Slice:
    """Measures a folder of chapters; a chapter is the unit of every figure.

    Lengths are ratios of totals (target over source) with cluster-robust limits. What a translation
    repeats of its glossary or source is found first; terms are looked for in what is left.
    """
    echoes = _echoes(corpus)
    chapters = tuple(
        SliceChapter(
            name=one.id,
            number=one.chapter,
            source_characters=n_characters(one.source),
            target_characters=n_characters(one.translation),
            source_units=n_units(one.source),
            target_units=n_units(one.translation),
            echo=echoes[one.id].kind or "",
            cut=echoes[one.id].cut,
        )
        for one in corpus.chunks
    )
    found = Slice(
        state="measured",
        folder=corpus.folder,
        versions=versions(morphology),
        corpus_sha256=corpus.sha256,
        chapters=chapters,
        numbered_by=corpus.numbered_by,
        lengths=_lengths(chapters),
        echo=share_of([float(bool(one.echo)) for one in chapters]),
        echo_why="" if corpus.glossary else f"{_NO_GLOSSARY}: only a repeated source is seen",
        terms_why="" if corpus.glossary else _NO_GLOSSARY,
        without_target=corpus.without_target,
        without_source=corpus.without_source,
        empty=corpus.empty,
        ignored=corpus.ignored,
    )
    return _with_terms(found, corpus, corpus.glossary, echoes, morphology)


def versions(morphology: Morphology | None) -> dict[str, str]:
    """Name -> version of what measures."""
    found = {"equipoise": __version__, "unicode": unicodedata.unidata_version}
    return found | (morphology.versions if morphology else {})


def _echoes(corpus: Corpus) -> dict[str, Echo]:
    entries = corpus.glossary.entries if corpus.glossary else ()
    pairs = {key: entry.target.text for entry in entries for key in entry.term.keys}
    return {one.id: echo_of(one.translation, pairs, source=one.source) for one in corpus.chunks}


def _with_terms(
    found: Slice,
    corpus: Corpus,
    glossary: Glossary | None,
    echoes: Mapping[str, Echo],
    morphology: Morphology | None,
) -> Slice:
    if glossary is None:
        return found
    try:
        terms = due_and_rendered(glossary, corpus.chunks, echoes, morphology)
    except Blocked as reason:
        return replace(found, terms_why=str(reason), n_terms=len(glossary.entries))
    times = Counter(name for names in terms.due.by_chunk.values() for name in names)
    return replace(
        found,
        coverage=terms.coverage,
        precision=terms.precision,
        flagged=terms.flagged,
        n_terms=len(glossary.entries),
        n_due=len(times),
        n_recurring=sum(n > 1 for n in times.values()),
        morphology=morphology.name if morphology else "",
    )


def _lengths(chapters: Sequence[SliceChapter]) -> tuple[LengthCoefficient, ...]:
    characters = {one.name: (one.source_characters, one.target_characters) for one in chapters}
    units = {one.name: (one.source_units, one.target_units) for one in chapters}
    echoed = {one.name for one in chapters if one.echo}
    return (
        LengthCoefficient(
            unit="characters",
            full=length_ratio(list(characters.values())),
            clean=length_ratio([two for name, two in characters.items() if name not in echoed]),
            far=_far(characters),
        ),
        LengthCoefficient(
            unit="units",
            full=length_ratio(list(units.values())),
            clean=length_ratio([two for name, two in units.items() if name not in echoed]),
            far=_far(units),
        ),
    )


def length_ratio(lengths: Sequence[tuple[int, int]]) -> LengthRatio:
    """The total of the targets over the total of the sources.

    The ratio estimator (Cochran 1977, Sampling Techniques, section 6.2) over chapters, with the CR2
    variance of its residuals. A lower limit below 0 is given as 0.

    Args:
        lengths: source and target of each chapter.
    """
    source, target = sum(one for one, _ in lengths), sum(two for _, two in lengths)
    bare = LengthRatio(
        value=target / source if source else None,
        lo=None,
        hi=None,
        n_chunks=len(lengths),
        source=source,
        target=target,
        tags=("underpowered",) if is_few(len(lengths)) else (),
    )
    if not source:
        return replace(bare, why="the sources have nothing to count" if lengths else "no chapter")
    kept = [(one, two) for one, two in lengths if one or two]
    sums = ClusterSums(
        sizes=np.array([one for one, _ in kept], dtype=np.float64),
        sums=np.array([two for _, two in kept], dtype=np.float64),
    )
    try:
        found = mean_of_clusters(sums)
    except NotEstimable as reason:
        return replace(bare, why=reason.why)
    return replace(
        bare,
        lo=max(found.interval.lo, 0.0),
        hi=found.interval.hi,
        method=f"ratio of totals, {found.method}",
    )


def _far(lengths: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    ratios = {name: two / one for name, (one, two) in lengths.items() if one}
    if len(ratios) < 3:
        return ()
    middle = statistics.median(ratios.values())
    return tuple(name for name, one in ratios.items() if not middle / _FAR <= one <= middle * _FAR)
