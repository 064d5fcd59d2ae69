"""Text reduced to what a reader takes it for: no case, accents, invisible signs or look-alikes."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαινορυκᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢɑɡıо",
    "ABESIJKMHOPCTYXaesijopcyxhdqwlABEZHIKMNOPTYXaivopukabcdeghijklmnoprtuvwyzagio",
)
TAGS = range(0xE0020, 0xE007F)
"""Signs of a plane that no font shows, and that models read as ASCII."""
_TAG_OFFSET = 0xE0000
_IGNORABLE = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0]
)
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


@dataclass(frozen=True, slots=True)
class Folded:
    """The letters and digits of a text as they look, and where each stands in it.

    Attributes:
        text: the text itself.
        letters: small letters and digits only; what looks Latin is Latin.
        at: for each of `letters` the index in `text`.
    """

    text: str
    letters: str
    at: tuple[int, ...]

    def between(self, index: int) -> str:
        """Gives what can be seen between letter `index` and the next one."""
        between = self.text[self.at[index] + 1 : self.at[index + 1]]
        return "".join(sign for sign in between if not is_invisible(sign))


def fold(text: str) -> Folded:
    """Gives the letters and digits of a text as a reader takes them."""
    seen = {sign: _seen(sign) for sign in set(text)}
    letters = "".join([seen[sign] for sign in text])
    at = tuple([index for index, sign in enumerate(text) for _ in seen[sign]])
    return Folded(text, letters, at)


@lru_cache(maxsize=65536)
def is_invisible(sign: str) -> bool:
    """Whether a sign shows nothing: zero-width, direction marks, accents, variation selectors."""
    code = ord(sign)
    return (
        code in _IGNORABLE
        or unicodedata.category(sign) in {"Cf", "Mn", "Me"}
        or any(code in run for run in _SELECTORS)
    )


def unmarked(text: str) -> str:
    """Gives the text without the signs that show nothing, but with its accents."""
    return "".join(sign for sign in text if unicodedata.combining(sign) or not is_invisible(sign))


@lru_cache(maxsize=65536)
def _seen(sign: str) -> str:
    code = ord(sign)
    if code in TAGS:
        sign = chr(code - _TAG_OFFSET)
    elif is_invisible(sign):
        return ""
    bare = "".join(
        part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part)
    )
    seen = bare.translate(_LOOK_ALIKES).casefold().translate(_LOOK_ALIKES)
    return "".join(part for part in seen if part.isalnum())
