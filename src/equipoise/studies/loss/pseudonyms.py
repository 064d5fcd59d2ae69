"""Names replaced by pseudonyms in what is quoted, however the log writes them."""

import html
import html.entities
import re
import unicodedata
from collections.abc import Mapping


def pseudonymised(text: str, pseudonyms: Mapping[str, str]) -> str:
    """Gives the text with every name replaced by its pseudonym, the longest names first.

    A name is found in upper and lower case, with any space between its parts, with composed and
    decomposed letters, and where the log escapes letters as JSON or HTML does.
    """
    names = sorted(filter(None, pseudonyms), key=lambda name: (-len(name), name))
    if not names:
        return text
    pattern = "|".join(f"({_written(name)})" for name in names)
    return re.sub(
        pattern,
        lambda found: pseudonyms[names[(found.lastindex or 1) - 1]],
        text,
        flags=re.IGNORECASE,
    )


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
