"""Names replaced by pseudonyms in what is quoted, however the log writes them."""

import html
import html.entities
import re
import unicodedata
from collections.abc import Mapping

_CUT_ESCAPE = r"(?:[&\\]\S{0,12})?"


def pseudonymised(text: str, pseudonyms: Mapping[str, str], *, is_cut: bool = False) -> str:
    """Gives the text with every name replaced by its pseudonym, the longest names first.

    A name is found in upper and lower case, with any space between its parts, with composed and
    decomposed letters, and where the log escapes letters as JSON or HTML does. Of a text that was
    cut (`is_cut`) the end goes where a name could begin.
    """
    names = sorted(filter(None, pseudonyms), key=lambda name: (-len(name), name))
    if not names:
        return text
    pattern = re.compile("|".join(f"({_written(name)})" for name in names), re.IGNORECASE)
    begun = _begun(names, text) if is_cut else None
    whole = text if begun is None else text[:begun]
    shown = pattern.sub(lambda found: pseudonyms[names[(found.lastindex or 1) - 1]], whole)
    return shown if begun is None else f"{shown}…"


def _begun(names: list[str], text: str) -> int | None:
    """Gives where a name begins that the text's end may have cut; None where none does."""
    found = re.search(f"(?:{'|'.join(map(_cut, names))}){_CUT_ESCAPE}\\Z", text, re.IGNORECASE)
    return found.start() if found else None


def _cut(name: str) -> str:
    """Gives an expression for every beginning of a name."""
    signs = [_sign(sign) for sign in unicodedata.normalize("NFC", name)]
    return "(?:".join(signs) + ")?" * (len(signs) - 1)


def _written(name: str) -> str:
    return "".join(map(_sign, unicodedata.normalize("NFC", name)))


def _sign(sign: str) -> str:
    """Gives an expression for every way in which one letter of a name may stand in a log."""
    if sign.isspace():
        return r"\s+"
    if sign.isascii() and sign.isalnum():
        return sign
    forms = {sign, sign.upper(), sign.lower(), sign.casefold()}
    forms |= {unicodedata.normalize("NFD", form) for form in forms}
    ways = {re.escape(form) for form in forms}
    for form in forms:
        units = form.encode("utf-16-be").hex()
        ways.add("".join(rf"\\+u{units[at : at + 4]}" for at in range(0, len(units), 4)))
        if len(form) == 1:
            ways |= {f"&#0*{ord(form)};", f"&#x0*{ord(form):x};"}
            ways.add(re.escape(html.escape(form)))
            if named := html.entities.codepoint2name.get(ord(form)):
                ways.add(f"&{named};")
    return f"(?:{'|'.join(sorted(ways, key=lambda way: (-len(way), way)))})"
