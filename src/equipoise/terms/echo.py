"""Finds what a model repeated of its prompt, glossary or source, and what is left: the translation.

Whoever scores the whole output counts targets of the repeated glossary as rendered. Whole lines are
looked at; what a line of a story may hold (the word glossary, an arrow, the original in brackets)
is no echo. Nothing is cut silently: the lines that were cut stand in the result.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.terms.fold import folded
from equipoise.terms.scripts import Script, script_of

_ARROW = r"(?:→|⟶|⇒|➔|->|=>|=|\||\t)"
_SOFT = r"(?::|：|—|–|-)"
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d+[.)、:]|\(\d+\))\s*")
_EDGES = " \t|*_`'\"«»“”{}[]<>#"
_HEADING = re.compile(
    r"(?:the\s+|used\s+|обязательн\w+\s+|использованн\w+\s+)?"
    r"(?:глоссари\w+|словар\w+|термин\w*|список терминов|имена(?: и термины)?|соответствия"
    r"|исходн\w+(?: текст)?|источник|оригинал|source(?: text)?|original(?: text)?|原文"
    r"|glossary|terms?|terminology|term list|词汇表|术语表|术语|用語集)"
    r"(?:\s*\([^)]*\))?",
    re.IGNORECASE,
)
_BODY_HEADING = re.compile(
    r"(?:вот\s+)?(?:перевод|текст перевода|translation|translated text|译文|翻译|訳文)\s*[:：.]?",
    re.IGNORECASE,
)
_INNER_HEADING = re.compile(r"(?<=[.;]\s)(?:Перевод|Translation|译文)\s*[:：]\s*")
_COLUMNS = re.compile(
    r"(?:термин|источник|оригинал|исходн\w+|source|term|original)\W+"
    r"(?:перевод|target|translation|цель)\w*\W*",
    re.IGNORECASE,
)
_RULE = re.compile(r"[\s|:*_=~`—{}\[\],-]*")
_LEAST_SOURCE = 4
"""Letters of a line that repeats the source, at the least."""

_LEAST_LATIN_WORDS = 3
_FOREIGN_SHARE = 0.5


class EchoKind(StrEnum):
    """What was repeated, and where."""

    PREAMBLE = "glossary_preamble"
    POSTAMBLE = "glossary_postamble"
    SOURCE = "source_echo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """An output and what of it is the translation.

    Attributes:
        kind: what was repeated first; null where nothing was.
        body: the translation, white space around it trimmed; empty where nothing is left.
        cut: the lines that were taken out, in order.
    """

    kind: EchoKind | None
    body: str
    cut: tuple[str, ...]

    @property
    def is_echo(self) -> bool:
        """Something was repeated, so that the output is left out of the clean aggregate."""
        return self.kind is not None

    @property
    def is_empty(self) -> bool:
        """Nothing is left that could be scored."""
        return not self.body


class _Line(StrEnum):
    BODY = "body"
    BLANK = "blank"
    GLOSSARY = "glossary"
    SOURCE = "source"
    TARGETS = "targets"
    HEADING = "heading"
    FRAME = "frame"
    BODY_HEADING = "body heading"


_CUT_BESIDE = frozenset({_Line.HEADING, _Line.FRAME, _Line.BLANK, _Line.TARGETS})


def echo_of(
    output: str, glossary: Mapping[str, str], *, source: str = "", preamble: Sequence[str] = ()
) -> Echo:
    r"""The translation without what the output repeats.

    Args:
        output: all that the model answered.
        glossary: source key -> target, as they stood in the prompt.
        source: the text that was to be translated.
        preamble: other lines of the prompt that an answer might repeat.

    >>> echo_of("未庄 → Вэйчжуан\n\nОн жил там.", {"未庄": "Вэйчжуан"}).body
    'Он жил там.'
    """
    lines = [piece for line in output.split("\n") for piece in _pieces(line)]
    reader = _Reader(glossary, source, preamble)
    kinds = [reader.kind(line) for line in lines]
    kinds = _with_lists(kinds)
    strong = [n for n, kind in enumerate(kinds) if kind in (_Line.GLOSSARY, _Line.SOURCE)]
    if not strong:
        return Echo(kind=None, body=output.strip(), cut=())
    cut = set(strong)
    for at in strong:
        cut |= _around(kinds, at)
    kept = [line for n, line in enumerate(lines) if n not in cut]
    return Echo(
        kind=_kind(kinds, strong[0], cut),
        body=_joined(kept),
        cut=tuple(lines[n] for n in sorted(cut) if lines[n].strip()),
    )


def _pieces(line: str) -> list[str]:
    """A line in two where the heading of the translation stands in its midst."""
    found = _INNER_HEADING.search(line)
    return (
        [line[: found.start()], line[found.start() : found.end()], line[found.end() :]]
        if (found)
        else [line]
    )


def _kind(kinds: list[_Line], first: int, cut: set[int]) -> EchoKind:
    if kinds[first] is _Line.SOURCE:
        return EchoKind.SOURCE
    bodies = [n for n, kind in enumerate(kinds) if kind is _Line.BODY and n not in cut]
    is_after = bool(bodies) and bodies[-1] < first
    return EchoKind.POSTAMBLE if is_after else EchoKind.PREAMBLE


def _around(kinds: list[_Line], at: int) -> set[int]:
    """What belongs to a repeated line: headings, fences and rules next to it, a body's heading."""
    found: set[int] = set()
    for step in (-1, 1):
        n = at + step
        while 0 <= n < len(kinds) and kinds[n] in _CUT_BESIDE:
            found.add(n)
            n += step
        if 0 <= n < len(kinds) and kinds[n] is _Line.BODY_HEADING:
            found.add(n)
    return found


def _with_lists(kinds: list[_Line]) -> list[_Line]:
    """Targets alone on their lines are an echo under a heading, or where two or more follow."""
    found = list(kinds)
    at = 0
    while at < len(kinds):
        end = at
        while end < len(kinds) and kinds[end] is _Line.TARGETS:
            end += 1
        above = at - 1
        while above >= 0 and kinds[above] is _Line.BLANK:
            above -= 1
        is_headed = above >= 0 and kinds[above] is _Line.HEADING
        if end - at >= 2 or (end > at and is_headed):
            found[at:end] = [_Line.GLOSSARY] * (end - at)
        at = max(end, at + 1)
    return [_Line.BODY if kind is _Line.TARGETS else kind for kind in found]


def _joined(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Reader:
    """Says of one line what it is, given one prompt."""

    def __init__(self, glossary: Mapping[str, str], source: str, preamble: Sequence[str]) -> None:
        keys = sorted({folded(key) for key in glossary if key.strip()}, key=len, reverse=True)
        values = {folded(value) for value in glossary.values() if value.strip()}
        key = "(?:" + "|".join(re.escape(one) for one in keys) + ")" if keys else r"(?!)"
        by_length = sorted(values, key=len, reverse=True)
        value = "(?:" + "|".join(re.escape(one) for one in by_length) + ")" if values else r"(?!)"
        note = r"\s*(?:\([^)]*\)|（[^）]*）|⟨[^⟩]*⟩)?\s*"
        quote = r"[\"'«»“”`*]*"
        self._values = {_bare(one) for one in values}
        self._pair = re.compile(
            rf"{quote}{key}{quote}{note}(?:{_ARROW}|{_SOFT})\s*{quote}{value}{quote}{note}[.]?"
            rf"|{quote}{key}{quote}{note}{_ARROW}\s*[^.!?。]{{1,60}}"
            rf"|{quote}{value}{quote}{note}(?:{_ARROW}|{_SOFT})\s*{quote}{key}{quote}{note}[.]?",
            re.IGNORECASE,
        )
        self._source = _bare(folded(source))
        self._is_foreign = _is_cjk(source)
        self._preamble = {_bare(folded(line)) for line in preamble if len(line.strip()) > 7}

    def kind(self, raw: str) -> _Line:
        line = folded(raw)
        if not line.strip():
            return _Line.BLANK
        bare = _BULLET.sub("", line).strip(_EDGES).strip()
        if self._preamble and _bare(line) in self._preamble:
            return _Line.GLOSSARY
        if _RULE.fullmatch(line) or line.strip().startswith("```") or _COLUMNS.fullmatch(bare):
            return _Line.FRAME
        if _BODY_HEADING.fullmatch(bare):
            return _Line.BODY_HEADING
        return self._of_glossary(bare) or self._of_source(line)

    def _of_glossary(self, bare: str) -> _Line | None:
        if _HEADING.fullmatch(bare.rstrip(":：. ")):
            return _Line.HEADING
        headed = re.match(rf"{_HEADING.pattern}\s*[:：]\s*", bare, re.IGNORECASE)
        rest = bare[headed.end() :] if headed else bare
        if self._pair.fullmatch(rest):
            return _Line.GLOSSARY
        pieces = [piece.strip(_EDGES + ".") for piece in re.split(r"[;；,，、]", rest)]
        pieces = [piece for piece in pieces if piece]
        if pieces and all(self._pair.fullmatch(piece) for piece in pieces):
            return _Line.GLOSSARY
        if pieces and all(_bare(piece) in self._values for piece in pieces):
            return _Line.GLOSSARY if headed else _Line.TARGETS
        return None

    def _of_source(self, line: str) -> _Line:
        bare = _bare(line)
        if self._is_foreign:
            letters = [sign for sign in line if sign.isalpha()]
            foreign = sum(_is_foreign(sign) for sign in letters)
            is_whole = bool(bare) and bare in self._source
            is_mostly = foreign > 0 and foreign >= _FOREIGN_SHARE * len(letters)
            is_source = is_mostly and (is_whole or foreign >= _LEAST_SOURCE)
            return _Line.SOURCE if is_source else _Line.BODY
        is_latin = not any(script_of(sign) is Script.CYRILLIC for sign in line)
        if is_latin and len(line.split()) >= _LEAST_LATIN_WORDS and bare in self._source:
            return _Line.SOURCE
        return _Line.BODY


def _bare(text: str) -> str:
    """The letters and digits alone, in lower case."""
    return "".join(sign for sign in text.lower() if sign.isalnum())


def _is_foreign(sign: str) -> bool:
    return script_of(sign) in (Script.HAN, Script.HIRAGANA, Script.KATAKANA)


def _is_cjk(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    return bool(letters) and 2 * sum(map(_is_foreign, letters)) >= len(letters)
