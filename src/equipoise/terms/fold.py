"""Source text as it is matched, never as it is shown: one form of what is written in several."""

import hashlib
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

APOSTROPHES = "‘’ʼ＇"
"""What stands for an apostrophe in one text or another; all become ``'``."""

_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A character table: what becomes what.

    Attributes:
        name: what it is called.
        pairs: traditional character -> simplified character; no value is a key.
        sha256: of the sorted pairs, a line ``traditional simplified`` each, UTF-8.
    """

    name: str
    pairs: dict[str, str]
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A folded text and what was done to it.

    Attributes:
        text: the folded text.
        n_removed: signs taken out that nobody sees.
        n_apostrophes: signs that became ``'``.
        n_simplified: characters that became simplified ones.
        is_composed: whether letters and their marks were joined (NFC) too.
    """

    text: str
    n_removed: int
    n_apostrophes: int
    n_simplified: int
    is_composed: bool

    @property
    def n_changed(self) -> int:
        """Characters removed or replaced; joined marks are not counted."""
        return self.n_removed + self.n_apostrophes + self.n_simplified


def folded(text: str, table: Table | None = None) -> str:
    """Gives the text alone that :func:`fold` gives.

    >>> folded("乾隆’s 後宮\u200b") == folded("干隆's 后宫")
    True
    """
    return fold(text, table).text


def fold(text: str, table: Table | None = None) -> Folded:
    """Gives the form in which keys and texts of a source are matched: fold both sides.

    In this order: format characters (category Cf) and variation selectors are taken out, letters
    are joined with their marks (NFC), apostrophes become ``'``, traditional characters simplified
    ones. It is a map of single characters and so the same inside and outside of a word; which
    characters it takes for one (乾 and 干, 後 and 后) a reader would not, so it is no conversion.
    Folding twice is folding once. Case and width stay.

    Cf with selectors is not what Unicode calls ignorable: Hangul fillers and U+034F stay, Arabic
    number signs go. Neither stands in Chinese, Japanese or English prose.

    Args:
        text: any text, of any length.
        table: the table; by default the one that is built in.
    """
    pairs = (table or built_in()).pairs
    counts = Counter(text)
    unseen = {sign for sign in counts if is_ignorable(sign)}
    bare = text.translate(dict.fromkeys(map(ord, unseen))) if unseen else text
    composed = unicodedata.normalize("NFC", bare)
    found = Counter(composed)
    quotes = [sign for sign in APOSTROPHES if sign in found]
    traditional = [sign for sign in found if sign in pairs]
    becomes = {ord(sign): "'" for sign in quotes}
    becomes |= {ord(sign): pairs[sign] for sign in traditional}
    return Folded(
        text=composed.translate(becomes) if becomes else composed,
        n_removed=sum(counts[sign] for sign in unseen),
        n_apostrophes=sum(found[sign] for sign in quotes),
        n_simplified=sum(found[sign] for sign in traditional),
        is_composed=composed != bare,
    )


def is_ignorable(sign: str) -> bool:
    """Whether a sign is taken out: a format character or a variation selector."""
    return unicodedata.category(sign) == "Cf" or _SELECTORS.match(sign) is not None


@cache
def built_in() -> Table:
    """Gives the built-in table, of the characters that the Chinese standard of 1986 simplifies."""
    text = files("equipoise.terms").joinpath("data", "simplified.txt").read_text("utf-8")
    groups = text.split()
    return table_of("built-in", {sign: group[0] for group in groups for sign in group[1:]})


def table_of(name: str, pairs: dict[str, str]) -> Table:
    """Gives a table with its hash; what becomes itself is left out, and chains are followed."""
    last = {old: pairs.get(new, new) for old, new in sorted(pairs.items())}
    kept = {old: new for old, new in last.items() if old != new}
    lines = "".join(f"{old} {new}\n" for old, new in kept.items())
    return Table(name=name, pairs=kept, sha256=hashlib.sha256(lines.encode()).hexdigest())
