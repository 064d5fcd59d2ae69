"""What a page carries back: whose it is, when it was shown, and the time spent before, signed."""

import hashlib
import hmac
import re
from dataclasses import dataclass

_STAMP = re.compile(r"(\d{1,9})\.(\d{1,14})\.(\d{1,12})\.([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A page that was served.

    Attributes:
        turn: how many answers its annotator had given.
        shown_ms: when it was served, in milliseconds since 1970.
        spent_ms: time spent on the packet before.
    """

    turn: int
    shown_ms: int
    spent_ms: int


def signed(secret: bytes, annotator: str, packet: str, stamp: Stamp) -> str:
    """Gives the stamp as text that only the server can make, for this annotator and packet."""
    said = f"{stamp.turn}.{stamp.shown_ms}.{stamp.spent_ms}"
    return f"{said}.{_mac(secret, annotator, packet, said)}"


def read_stamp(secret: bytes, annotator: str, packet: str, text: str) -> Stamp | None:
    """Gives what a stamp says; None when it was not made for this annotator and packet."""
    found = _STAMP.fullmatch(text)
    if not found:
        return None
    turn, shown, spent, mac = found.groups()
    if not hmac.compare_digest(mac, _mac(secret, annotator, packet, f"{turn}.{shown}.{spent}")):
        return None
    return Stamp(turn=int(turn), shown_ms=int(shown), spent_ms=int(spent))


def code(secret: bytes, annotator: str, *, passed: bool) -> str:
    """Gives the code shown at the end: another one when the checks were failed, not to be told.

    An annotator hands it to whoever pays; the dashboard says which of the two it is.
    """
    letters = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
    mac = hmac.new(secret, f"code\0{annotator}\0{passed}".encode(), hashlib.sha256).digest()
    number, found = int.from_bytes(mac), ""
    for _ in range(10):
        number, place = divmod(number, len(letters))
        found += letters[place]
    return f"{found[:5]}-{found[5:]}"


def _mac(secret: bytes, annotator: str, packet: str, said: str) -> str:
    text = f"stamp\0{annotator}\0{packet}\0{said}"
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
