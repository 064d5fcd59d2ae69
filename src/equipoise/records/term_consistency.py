"""How consistently approved terms were rendered, with what naive tools would have said."""

import msgspec

from equipoise.records.term_shares import Share


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """Stored forms and morphology say different things of one term in one chunk.

    `stored` and `morphology` are ``match``, ``ambiguous`` or ``no_match``; `seen` is what stands in
    the text, where anything does.
    """

    term: str
    chunk: str
    stored: str
    morphology: str
    seen: tuple[str, ...]


class TermShown(msgspec.Struct, frozen=True, kw_only=True):
    """One term over the chunks in whose source it occurs.

    Args:
        id: of the glossary.
        target: the approved rendering.
        by: what decides: ``stored forms`` or ``morphology``.
        n_chunks: chunks in which it is due and that have a translation.
        n_rendered: where it stands, sure or flagged.
        n_flagged: where what stands may be another word.
        n_missing: where it does not stand.
        is_same_everywhere: rendered in all of them; null where it is due in none.
        missing_in: the chunks.
        flagged_in: the chunks, each with why.
        seen: the ways in which it is written there.
    """

    id: str
    target: str
    by: str
    n_chunks: int
    n_rendered: int
    n_flagged: int
    n_missing: int
    is_same_everywhere: bool | None
    missing_in: tuple[str, ...]
    flagged_in: tuple[str, ...]
    seen: tuple[str, ...]


class Naive(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool would say that looks for the base form only.

    Args:
        method: ``base form, whole words`` or ``base form, substring``.
        consistency: the share it would report.
        n_flags: cases that it would flag as not rendered.
        n_false_flags: those that are rendered, in another form.
        false_share: of all rendered cases the share flagged falsely, over chunks.
        n_false_hits: cases that it takes for rendered and that are not.
    """

    method: str
    consistency: Share
    n_flags: int
    n_false_flags: int
    false_share: Share
    n_false_hits: int


class Consistency(msgspec.Struct, frozen=True, kw_only=True):
    """How consistently the targets of a glossary stand in translated chunks.

    Args:
        share: of the due terms those rendered, the mean over chunks.
        strict: the same, flagged cases counted as missing.
        terms: each term of the glossary.
        n_terms_due: terms that are due in any chunk.
        n_terms_same: those rendered in all of their chunks.
        naive: what base-form matching says of the same text.
        disputes: where stored forms and morphology disagree.
        n_chunks: chunks of the file.
        n_without_terms: those in whose source no term occurs.
        untranslated: those without a translation; nothing is said of them.
        echoed: those that repeat the glossary or the source; only what is left of them counts.
        left_out: terms due nowhere, each with why.
        mixed_script: cases that look like the target in letters of another script.
        morphology: the dictionary asked; empty where none was.
        glossary_sha256: of the file.
        chunks_sha256: of the file.
        versions: name -> version of what measured.
    """

    share: Share
    strict: Share
    terms: tuple[TermShown, ...]
    n_terms_due: int
    n_terms_same: int
    naive: tuple[Naive, ...]
    disputes: tuple[Dispute, ...]
    n_chunks: int
    n_without_terms: int
    untranslated: tuple[str, ...]
    echoed: tuple[str, ...]
    left_out: dict[str, str]
    mixed_script: tuple[str, ...]
    morphology: str
    glossary_sha256: str
    chunks_sha256: str
    versions: dict[str, str]
