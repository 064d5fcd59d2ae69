"""What is shown of a unit's logs: pseudonyms in place of names, nothing in place of secrets."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache

REDACTED = "[redacted]"

_LABELS = "api[-_ ]?key|secret|password|passwd|access[-_ ]?token|auth[-_ ]?token"
_SECRETS = re.compile(
    rf"""
    -----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
    | (?<![A-Za-z0-9])(?:sk|pk|rk)[-_][A-Za-z0-9_-]{{16,}}
    | (?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{{20,}} | (?<![A-Za-z0-9])github_pat_\w{{20,}}
    | (?<![A-Za-z0-9])glpat-[\w-]{{16,}} | (?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{{10,}}
    | (?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{{16}}(?![A-Z0-9])
    | (?<![A-Za-z0-9])AIza[\w-]{{30,}} | (?<![A-Za-z0-9])hf_[A-Za-z0-9]{{20,}}
    | (?<![\w-])eyJ[\w-]{{8,}}\.[\w-]{{8,}}\.[\w-]*
    | (?<=://)[^\s/@:]+:[^\s/@]+(?=@)
    | (?i:\b(?:bearer|basic|token))\ +(?=[^\s\d]*\d)[A-Za-z0-9._~+/=-]{{16,}}
    | (?i:(?:{_LABELS})["']?\s*[:=]\s*["']?)[^\s"',;}}]{{4,}}
    """,
    re.VERBOSE | re.DOTALL,
)
_SHORT = 4
"""Names shorter than this are replaced only where they stand alone."""


def shown(text: str, pseudonyms: Mapping[str, str] | None = None) -> str:
    """Gives the text as it may be shown: names replaced by pseudonyms, secrets left out."""
    return redact(pseudonymise(text, pseudonyms or {}))


def pseudonymise(text: str, pseudonyms: Mapping[str, str]) -> str:
    """Gives the text with every name replaced by its pseudonym, whatever its case and spacing.

    Longer names go first, so that "Anna Berg" is not left as "<P1> Berg". A name is replaced inside
    longer words as well ("Anna's", "Иванову"), but for very short ones: too much is hidden rather
    than too little. Names are found where JSON has escaped them.
    """
    if not pseudonyms:
        return text
    expression, given = _names(tuple(sorted(pseudonyms.items())))
    return expression.sub(lambda found: given[_folded(found[0])], text)


def redact(text: str) -> str:
    """Gives the text without what looks like a key, token, password or private key."""
    return _SECRETS.sub(REDACTED, text)


@lru_cache(maxsize=1024)
def _names(pseudonyms: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    given: dict[str, str] = {}
    words: set[str] = set()
    for name, pseudonym in pseudonyms:
        for word in (name.strip(), _escaped(name.strip())):
            if word:
                words.add(word)
                given.setdefault(_folded(word), pseudonym)
    joined = "|".join(_expression(word) for word in sorted(words, key=lambda w: (-len(w), w)))
    return re.compile(joined or r"(?!)", re.IGNORECASE), given


def _expression(word: str) -> str:
    whole = r"\s+".join(re.escape(part) for part in word.split())
    return rf"(?<!\w){whole}(?!\w)" if len(word) < _SHORT and word.isascii() else whole


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _escaped(name: str) -> str:
    """Gives the name as a JSON text in ASCII has it."""
    return json.dumps(name)[1:-1]
