"""Where a kana key is found that is not the name: traps, and what a matcher makes of them."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import NamedTuple

import msgspec

from equipoise.errors import InputError
from equipoise.terms.fold import folded
from equipoise.terms.injection import Disposition
from equipoise.terms.scripts import Script, is_kana, script_of, significant_length

BUILT_IN_TRAPS = "kana_traps.jsonl"


class Truth(StrEnum):
    """What stands at the place where the letters of a key stand."""

    NAME = "name"  # the name that the key is
    SUBSTRING = "substring"  # a part of a longer word, or of two words
    HOMOGRAPH = "homograph"  # a word of its own that is written alike


class Boundary(StrEnum):
    """What may not stand next to a key for it to be found."""

    NONE = "none"  # nothing is asked: a substring is found
    KATAKANA = "katakana"  # next to a key of katakana alone no katakana
    KANA = "kana"  # no kana at all, as if both kana were one alphabet


class Trap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key, a text and the truth about the place where the letters of the key stand in it."""

    id: str
    key: str
    text: str
    truth: Truth
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How often a matcher found the name, and how often something else.

    Attributes:
        tp: names found.
        fp_substring: parts of longer words found.
        fp_homograph: other words of the same letters found.
        tp_confirmed, fp_confirmed: those of them that are handed on as they are.
    """

    tp: int
    fp_substring: int
    fp_homograph: int
    tp_confirmed: int
    fp_confirmed: int

    @property
    def fp(self) -> int:
        """All that was found and is not the name."""
        return self.fp_substring + self.fp_homograph


class Fired(NamedTuple):
    """A trap whose key was found; one that `is_doubted` is AMBIGUOUS whatever its length."""

    truth: Truth
    length: int
    is_doubted: bool = False


def fires(key: str, text: str, boundary: Boundary = Boundary.NONE) -> bool:
    """Whether the key is found in the text; both are folded.

    Args:
        key: a name in kana.
        text: any text.
        boundary: what may not stand next to it.

    >>> fires("ネマ", "シネマ"), fires("ネマ", "シネマ", Boundary.KATAKANA)
    (True, False)
    """
    return stands(folded(key), folded(text), boundary)


def stands(sought: str, within: str, boundary: Boundary = Boundary.NONE) -> bool:
    """As :func:`fires`, of what is folded already."""
    is_stop = _stop(sought, boundary)
    at = within.find(sought) if sought else -1
    while at >= 0:
        after = at + len(sought)
        if not (is_stop(within[at - 1 : at]) or is_stop(within[after : after + 1])):
            return True
        at = within.find(sought, at + 1)
    return False


def length_of(key: str) -> int:
    """Gives how many letters a key has once it is folded; the dot between names is none."""
    return significant_length(folded(key))


def disposition(length: int, ambiguous_to: int, *, is_doubted: bool = False) -> Disposition:
    """Gives what is done with a key that was found: a short or a doubted one is AMBIGUOUS."""
    is_ambiguous = is_doubted or length <= ambiguous_to
    return Disposition.AMBIGUOUS if is_ambiguous else Disposition.CONFIRMED


def is_hiragana(key: str) -> bool:
    """Whether a key is of hiragana alone, which common words are written in, too."""
    letters = {script_of(sign) for sign in folded(key) if sign.isalpha()}
    return letters == {Script.HIRAGANA}


def counts(fired: Iterable[Fired], least: int, ambiguous_to: int) -> Counts:
    """Counts what a matcher finds that takes keys of at least `least` letters.

    Args:
        fired: the traps where the key is found at any length.
        least: letters that a key must have (MIN).
        ambiguous_to: keys of up to so many letters are AMBIGUOUS.
    """
    found = Counter(
        (one.truth, disposition(one.length, ambiguous_to, is_doubted=one.is_doubted))
        for one in fired
        if one.length >= least
    )
    by_truth: Counter[Truth] = Counter()
    for (truth, _), n in found.items():
        by_truth[truth] += n
    confirmed = {truth: found[truth, Disposition.CONFIRMED] for truth in Truth}
    return Counts(
        tp=by_truth[Truth.NAME],
        fp_substring=by_truth[Truth.SUBSTRING],
        fp_homograph=by_truth[Truth.HOMOGRAPH],
        tp_confirmed=confirmed[Truth.NAME],
        fp_confirmed=confirmed[Truth.SUBSTRING] + confirmed[Truth.HOMOGRAPH],
    )


def built_in_traps() -> bytes:
    """Gives the traps that ship with the program, to be read as any other."""
    return files("equipoise.terms").joinpath("data", BUILT_IN_TRAPS).read_bytes()


def read_traps(data: bytes, *, where: str) -> tuple[Trap, ...]:
    """Reads traps, one JSON object a line: ``{"id", "key", "text", "truth", "note"}``.

    Raises:
        InputError: a line is no trap, its key is not of kana alone, it stands twice, a collision
            does not hold its key, or there is none; says which line and what is wrong with it.
    """
    found: dict[str, Trap] = {}
    places: dict[tuple[str, str], int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        one = _read(line, f"{where}:{number}")
        within = folded(one.text)
        _check(one, within, f"{where}:{number}")
        first = places.setdefault((folded(one.key), within), number)
        if one.id in found or first != number:
            raise InputError(
                f"the id {one.id!r} stands twice"
                if one.id in found
                else f"key and text are those of line {first}, which would count them twice",
                wanted="each trap once, under an id of its own",
                where=f"{where}:{number}",
            )
        found[one.id] = one
    if not found:
        raise InputError("no traps", wanted="one JSON object a line", where=where)
    return tuple(found.values())


def _read(line: bytes, where: str) -> Trap:
    try:
        return msgspec.json.decode(line, type=Trap)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"no trap: {error}",
            wanted='{"id": ..., "key": ..., "text": ..., "truth": "name", "substring" or '
            '"homograph"}',
            where=where,
        ) from error


def _check(one: Trap, within: str, where: str) -> None:
    letters = [sign for sign in folded(one.key) if sign.isalpha()]
    if not letters or not all(map(is_kana, letters)):
        raise InputError(
            f"the key {one.key!r} is not of kana alone",
            wanted="a key in hiragana or katakana",
            mend="leave it out: other keys are bounded by their script",
            where=f"{where}: field 'key'",
        )
    if one.truth is not Truth.NAME and folded(one.key) not in within:
        raise InputError(
            f"the key {one.key!r} does not stand in the text",
            wanted="a text that a substring matcher falls for",
            where=f"{where}: field 'text'",
        )


def _stop(key: str, boundary: Boundary) -> Callable[[str], bool]:
    """What may not stand next to the key."""
    letters = {script_of(sign) for sign in key if sign.isalpha()}
    if boundary is Boundary.KANA:
        return is_kana
    if boundary is Boundary.KATAKANA and letters == {Script.KATAKANA}:
        return _is_katakana
    return _is_nothing


def _is_katakana(sign: str) -> bool:
    return bool(sign) and script_of(sign) is Script.KATAKANA


def _is_nothing(sign: str) -> bool:
    del sign
    return False
