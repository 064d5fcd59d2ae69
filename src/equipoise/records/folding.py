"""Texts and keys of a source as they are matched, with what was changed in them."""

import msgspec


class FoldedText(msgspec.Struct, frozen=True, kw_only=True):
    """A text, folded.

    Args:
        where: its file; ``-`` for stdin.
        folded: the text as it is matched.
        n_characters: before folding.
        n_removed: signs taken out that nobody sees.
        n_apostrophes: signs that became ``'``.
        n_simplified: characters that became simplified ones.
        is_composed: whether letters were joined with their marks.
    """

    where: str
    folded: str
    n_characters: int
    n_removed: int
    n_apostrophes: int
    n_simplified: int
    is_composed: bool


class KeyClash(msgspec.Struct, frozen=True, kw_only=True):
    """Keys that are different as written and one key as matched; `where` is file and line."""

    folded: str
    keys: tuple[str, ...]
    where: tuple[str, ...]


class Folding(msgspec.Struct, frozen=True, kw_only=True):
    """What was folded, with which table.

    Args:
        texts: in the order given.
        clashes: keys that became one; null where the texts were not read as lists of keys.
        n_changed: characters removed or replaced, in all texts.
        table: name of the table of characters.
        table_sha256: hash of its sorted pairs.
        n_pairs: how many characters it changes.
        use: what the folded text is for.
        versions: name -> version of what folded.
    """

    texts: tuple[FoldedText, ...]
    clashes: tuple[KeyClash, ...] | None
    n_changed: int
    table: str
    table_sha256: str
    n_pairs: int
    versions: dict[str, str]
    use: str = "matching, never display"
