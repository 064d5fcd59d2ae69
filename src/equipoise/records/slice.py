"""What one look at a folder of chapters shows: lengths, echo, terms found and terms made up."""

from typing import Literal

import msgspec

from equipoise.records.term_shares import Share


class LengthRatio(msgspec.Struct, frozen=True, kw_only=True):
    """Length of the translations over length of their sources, all chapters together.

    Args:
        value: the ratio of the totals; null with `why`.
        lo, hi: 95 % limits over chapters.
        n_chunks: chapters behind it.
        source, target: the totals.
        method: of the limits.
        tags: ``underpowered`` with few chapters.
        why: why there is no value or no limits.
    """

    value: float | None
    lo: float | None
    hi: float | None
    n_chunks: int
    source: int
    target: int
    method: str = ""
    tags: tuple[str, ...] = ()
    why: str = ""


class LengthCoefficient(msgspec.Struct, frozen=True, kw_only=True):
    """A ratio of lengths counted in one unit.

    Args:
        unit: ``characters``, or ``units``: words, and each Han character and kana.
        full: translations as they are, with what they repeat of a prompt.
        clean: without chapters that repeat any.
        far: chapters whose own ratio is less than 2/3 or more than 3/2 of the median of all.
    """

    unit: Literal["characters", "units"]
    full: LengthRatio
    clean: LengthRatio
    far: tuple[str, ...]


class SliceChapter(msgspec.Struct, frozen=True, kw_only=True):
    """A chapter and its lengths; `echo` is what its translation repeats, empty for nothing."""

    name: str
    number: int
    source_characters: int
    target_characters: int
    source_units: int
    target_units: int
    echo: str
    cut: tuple[str, ...]


class TermFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A share of terms over chapters, with and without those that repeat a prompt.

    Args:
        full: over all chapters; what is repeated was cut out before.
        clean: over those that repeat nothing.
        against: the cases that speak against it, ``term in chapter``.
    """

    full: Share
    clean: Share
    against: tuple[str, ...]


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder of chapters shows.

    Args:
        state: ``blocked`` where there is no corpus yet; then nothing else is told.
        why: why it is blocked.
        folder: the folder.
        scope: what the figures are of.
        corpus_sha256: hash over the names and bytes of all files that were read.
        chapters: those with source and translation, in order.
        numbered_by: ``names`` where each name has a number in it, ``order`` else.
        lengths: coefficients from source to target.
        echo: share of chapters whose translation repeats glossary or source; null with `echo_why`.
        coverage: of the terms due in a source the share rendered in its translation; null with
            `terms_why`.
        precision: of the renderings in a translation the share whose term stands in its source;
            null with `terms_why`.
        flagged: renderings that may be another word: covered, and not in `precision`.
        n_terms: entries of the glossary; null without one.
        n_due: those that are due in a chapter.
        n_recurring: those that are due in two or more.
        morphology: what was asked beside stored forms; empty where nothing was.
        without_target, without_source, empty, ignored: files that were not measured.
        versions: name -> version of what measured.
    """

    state: Literal["measured", "blocked"]
    folder: str
    versions: dict[str, str]
    why: str = ""
    scope: Literal["corpus"] = "corpus"
    corpus_sha256: str = ""
    chapters: tuple[SliceChapter, ...] = ()
    numbered_by: Literal["names", "order", "chunks"] = "names"
    lengths: tuple[LengthCoefficient, ...] = ()
    echo: Share | None = None
    echo_why: str = ""
    coverage: TermFigure | None = None
    precision: TermFigure | None = None
    flagged: tuple[str, ...] = ()
    terms_why: str = ""
    n_terms: int | None = None
    n_due: int | None = None
    n_recurring: int | None = None
    morphology: str = ""
    without_target: tuple[str, ...] = ()
    without_source: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
