"""Finds and masks what a text says of whose it is: its arm, model, skill, run, price or time."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from unicodedata import normalize

from equipoise.blind import leak_context as context
from equipoise.blind.encoded import decoded_parts
from equipoise.blind.folding import TAGS, Folded, fold, unmarked
from equipoise.blind.hidden import HiddenName, Hides, Sense

MASK = "[masked]"
"""What stands for anything that was masked, whatever it was and whosever text it is in."""

_SPACED_FROM = 3
_MARKUP = re.compile(r"\*{1,3}|`|~~|\u00ad|-\s*\n\s*")
_LOOK_ALIKE_FROM = 5
_GAP = re.compile(r"[\s\-\u2010-\u2015_.,/:~+*·|\\@]|__|--|::|\*\*|-\s*\n\s*")
_SPACED_GAP = re.compile(r"[\s\-\u2010-\u2015_./:~+*·|\\]{1,3}")
_TAIL = re.compile(r"(?:[-_.:/@]?[A-Za-z0-9])*(?:[ \u00a0]v?\d{1,2}(?:\.\d+)*[a-z]?\b)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """One place of a text that says whose it is, or may say so.

    Attributes:
        start: index of its first sign in the text.
        end: index after its last.
        hides: what it gives away (``arm``, ``model``, ``skill``, ``run``, ``count``).
        name: the name that was found, as the study writes it.
        is_masked: whether it is masked; else it may be an ordinary word, and is only flagged.
    """

    start: int
    end: int
    hides: Hides
    name: str
    is_masked: bool


def find_leaks(text: str, names: Iterable[HiddenName]) -> tuple[Leak, ...]:
    """Gives the places of a text that name what is hidden, in order, none over another.

    A name is found whatever its case, whether its words are joined by hyphens, underscores, blanks
    or nothing, written letter by letter, with zero-width signs in it, with letters of other
    alphabets that look the same, or encoded (base64, hex, percent, HTML). It has to be a word of
    its own: an arm called ``new`` is not found in ``renewal``, and its name alone, being an
    ordinary word, only beside a word such as *variant*.
    """
    listed = tuple(names)
    folded = fold(text)
    found = [leak for name in listed for leak in _of_name(folded, name)]
    found += _encoded(text, listed)
    found += [
        Leak(start=start, end=end, hides=hides, name=name, is_masked=True)
        for start, end, hides, name in context.fields(text)
    ]
    return _apart(text, found)


def find_words(text: str, name: HiddenName) -> tuple[Leak, ...]:
    """Gives every place where the name stands as a word, whatever it means; none is masked."""
    pattern = rf"(?<![^\W_]){re.escape(name.name)}(?![^\W_])"
    return tuple(
        Leak(
            start=found.start(), end=found.end(), hides=name.hides, name=name.name, is_masked=False
        )
        for found in re.finditer(pattern, text, re.IGNORECASE)
    )


def mask(text: str, leaks: Iterable[Leak]) -> str:
    """Gives the text with `MASK` in place of each leak that is to be masked."""
    parts: list[str] = []
    done = 0
    for leak in leaks:
        if leak.is_masked:
            parts += [text[done : leak.start], MASK]
            done = leak.end
    return "".join([*parts, text[done:]])


def _of_name(folded: Folded, name: HiddenName) -> Iterator[Leak]:
    step = folded.letters.find(name.letters)
    while step >= 0:
        stop = step + len(name.letters)
        if leak := _read(folded, name, step, stop):
            yield leak
        step = folded.letters.find(name.letters, step + 1)


def _read(folded: Folded, name: HiddenName, step: int, stop: int) -> Leak | None:
    """The leak that these letters are, if they are one."""
    start, end = folded.at[step], folded.at[stop - 1] + 1
    if name.sense in {Sense.PLAIN, Sense.PROPER} and _is_inside(folded.text, start, end):
        return None
    is_own = (step == 0 or start > folded.at[step - 1]) and (
        stop == len(folded.at) or folded.at[stop] >= end
    )
    if (
        not is_own
        or not _is_word(folded, name, step, stop)
        or not _looks(folded.text, name, start, end)
    ):
        return None
    gaps = [folded.between(index) for index in range(step, stop - 1)]
    if not _is_joined(gaps, name):
        return None
    is_masked = context.is_name(
        folded.text, start, end, name, is_spaced=any(gap.isspace() for gap in gaps)
    )
    if is_masked is None:
        return None
    if name.hides is Hides.MODEL and is_masked:
        tail = _TAIL.match(folded.text, end)
        end = tail.end() if tail else end
    return Leak(start=start, end=end, hides=name.hides, name=name.name, is_masked=is_masked)


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether it is plainly part of a longer Latin word: what most finds of a short word are."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return (before.isascii() and before.isalnum() and text[start].isascii()) or (
        after.isascii() and after.isalnum() and text[end - 1].isascii()
    )


def _is_word(folded: Folded, name: HiddenName, step: int, stop: int) -> bool:
    """Whether no letter of the same word goes before or after."""
    before = after = True
    if step and not folded.between(step - 1):
        before = _parts(folded, step - 1, step, name)
    if stop < len(folded.at) and not folded.between(stop - 1):
        after = _parts(folded, stop - 1, stop, name)
    return before and after


def _parts(folded: Folded, left: int, right: int, name: HiddenName) -> bool:
    """Whether two letters that touch belong to two words."""
    one, other = folded.text[folded.at[left]], folded.text[folded.at[right]]
    if _script(one) != _script(other) or "wide" in {_script(one), _script(other)}:
        return True
    if name.sense in {Sense.PLAIN, Sense.PROPER}:
        return False
    if name.hides is Hides.MODEL and one.isalpha():
        if other.isdigit():
            return True
        after = folded.text[folded.at[right] + 1 : folded.at[right] + 2]
        if other == "s" and not after.isalnum():  # GPTs
            return True
    return one.islower() and other.isupper()


def _looks(text: str, name: HiddenName, start: int, end: int) -> bool:
    """Whether a short Latin name is not just a word of another alphabet that looks like it."""
    if not name.name.isascii() or len(name.letters) >= _LOOK_ALIKE_FROM:
        return True
    letters = [sign for sign in normalize("NFKC", text[start:end]) if sign.isalnum()]
    return any(sign.isascii() for sign in letters) or ord(text[start]) in TAGS


def _is_joined(gaps: list[str], name: HiddenName) -> bool:
    """Whether what stands between the letters leaves them one name."""
    if all(
        not gap or _MARKUP.fullmatch(gap) or (number in name.seams and _GAP.fullmatch(gap))
        for number, gap in enumerate(gaps, start=1)
    ):
        return True
    return len(gaps) + 1 >= _SPACED_FROM and all(_SPACED_GAP.fullmatch(gap) for gap in gaps)


def _script(sign: str) -> str:
    code = ord(sign)
    if sign.isdigit() or code < 0x250 or 0x1E00 <= code < 0x1F00:
        return "latin"
    if 0x2E80 <= code < 0xA4D0 or 0xAC00 <= code < 0xD7B0 or 0xF900 <= code < 0xFB00:
        return "wide"
    if 0x0E00 <= code < 0x0F00 or 0x20000 <= code < 0x32400:
        return "wide"
    if 0x1D400 <= code < 0x1D800 or 0xFF00 <= code < 0xFF60 or code in TAGS:
        return "latin"
    return "other"


def _encoded(text: str, names: tuple[HiddenName, ...]) -> Iterator[Leak]:
    for start, end, plain in decoded_parts(text):
        folded = fold(unmarked(plain))
        for name in names:
            leak = next((leak for leak in _of_name(folded, name) if leak.is_masked), None)
            if leak:
                yield replace(leak, start=start, end=end)
                break


def _apart(text: str, found: list[Leak]) -> tuple[Leak, ...]:
    """The leaks without those that lie inside others; neighbours of a masked model go with it."""
    kept: list[Leak] = []
    for leak in sorted(found, key=lambda one: (one.start, not one.is_masked, -one.end)):
        last = kept[-1] if kept else None
        if last and leak.start < last.end:
            if leak.is_masked and not last.is_masked:
                kept[-1] = replace(leak, start=last.start, end=max(last.end, leak.end))
            elif leak.end > last.end:
                kept[-1] = replace(last, end=leak.end)
            continue
        if last and _goes_with(text, last, leak):
            kept[-1] = replace(last, end=leak.end, is_masked=True)
            continue
        kept.append(leak)
    return tuple(kept)


def _goes_with(text: str, last: Leak, leak: Leak) -> bool:
    """Whether two names of models stand side by side (``Claude Opus``), and so are no words."""
    between = text[last.end : leak.start]
    return last.hides is leak.hides is Hides.MODEL and (not between or between in " -_/")
