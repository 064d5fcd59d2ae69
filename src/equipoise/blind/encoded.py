"""Finds parts of a text that are another text in disguise: base64, hex, percent and HTML codes."""

import base64
import binascii
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

_LONGEST = 4096
_SHORTEST = 4
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{8,4096}={0,2}(?![\w+/=-])")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:\\?x?[0-9A-Fa-f]{2}[ ,]?){4,1024}(?![0-9A-Fa-f])")
_PERCENT = re.compile(r"(?:[\w.-]{0,64}%[0-9A-Fa-f]{2}){1,512}[\w.-]{0,64}")
_HTML = re.compile(
    r"(?:[\w.-]{0,64}&(?:#\d{2,7}|#x[0-9A-Fa-f]{2,6}|[a-zA-Z]{2,8});){1,512}[\w.-]{0,64}"
)


def decoded_parts(text: str) -> Iterator[tuple[int, int, str]]:
    """Gives start, end and plain text of each part that decodes to readable text.

    Parts beyond 4,096 signs are not decoded, and nothing is decoded twice.
    """
    for found in _BASE64.finditer(text):
        if plain := _base64(found.group()):
            yield found.start(), found.end(), plain
    for found in _HEX.finditer(text):
        digits = re.sub(r"\\?x|[ ,]", "", found.group())
        if plain := _readable(bytes.fromhex(digits)):
            yield found.start(), found.end(), plain
    for found in _PERCENT.finditer(text):
        if plain := _readable(unquote_to_bytes(found.group())):
            yield found.start(), found.end(), plain
    for found in _HTML.finditer(text):
        yield found.start(), found.end(), html.unescape(found.group())


def _base64(part: str) -> str:
    body = part.rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1 or len(body) > _LONGEST:
        return ""
    try:
        content = base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except binascii.Error:
        return ""
    return _readable(content)


def _readable(content: bytes) -> str:
    try:
        plain = content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    is_text = len(plain) >= _SHORTEST and all(
        sign.isprintable() or sign.isspace() for sign in plain
    )
    return plain if is_text else ""
