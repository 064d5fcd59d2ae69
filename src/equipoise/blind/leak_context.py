"""Whether a word that could be ordinary is meant as the name of an arm, a model or a skill."""

import re
from collections.abc import Iterator

from equipoise.blind.hidden import HiddenName, Hides, Sense

_BEFORE = 48
_AFTER = 24
_KINDS = (
    r"arms?|variants?|variante|versions?|systems?|candidates?|condition|config(?:uration)?|group|"
    r"treatment|skills?|agents?|models?|mode|pipeline|prompt|release|"
    r"вариант\w*|систем\w*|верси\w*|модел\w*|режим\w*|навык\w*|"
    r"变体|變體|系统|系統|版本|模型|模式|技能|"
    r"modello|modelo|modell|modèle|gruppe|gruppo|grupo|bras"
)
_MADE = (
    r"(?:generated|produced|written|answered|powered|created|made|built|run|running|drafted|edited)"
    r"\s+(?:by|with|using|on)"
)
_QUOTES = r"[\s:=#\"'«»„“”‘’`*_(\[<]*"
_NAMED_BEFORE = re.compile(
    rf"(?:(?<![^\W_])(?:{_KINDS})(?:\s+(?:called|named))?|(?<!\w){_MADE}(?:\s+the)?|"
    rf"(?<!\w)(?:output|response|answer)\s+(?:of|from)(?:\s+the)?){_QUOTES}$",
    re.IGNORECASE,
)
_CALLED_AFTER = re.compile(
    r"[\"'`*\])»]*[\s_-]*(?:arm|variant|variante|condition|config(?:uration)?|skill|вариант|变体)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_IS_THE = re.compile(r"(?<!\w)(?:I am|I'm|I’m|this is)\s+(?:the\s+)[\"'`*]*$", re.IGNORECASE)
_SELF = re.compile(
    r"(?:(?<!\w)(?:I am|I'm|I’m|my name is|model|assistant|chatbot|AI|powered by|built on|based on|"
    r"generated (?:by|with)|written (?:by|with) (?:the )?(?:model|assistant)|je suis|ich bin|"
    r"soy|sono|меня зовут|я\s*[—-]|модель)|我是|我叫|模型|私は|僕は|저는)"
    rf"{_QUOTES}$",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"[\s-]?v?\d{1,2}\.\d|-v?\d|[\s-](?:model|assistant|chatbot|AI|API|Code|CLI)\b"
)  # a whole number after a blank is no version: Opus 27, Sonnet 18
_COUNTED = re.compile(
    r"(?:[$€£¥]|\b(?:tokens?|tok|usd|eur|cents?|cost|price|latency|seconds?|ms)\b|токен|стоимост|"
    r"价格|費用|费用)",
    re.IGNORECASE,
)
_FIELDS = re.compile(
    r"(?<![^\W_])(?:"
    r"(?P<count>(?:(?:input|output|prompt|completion|total|cached|cache_read)[ _]tokens"
    r"|tokens?[ _](?:used|count|in|out|total)|n_tokens|total_cost(?:_usd)?|cost_usd|cost_eur"
    r"|price_usd|latency_ms|duration_ms|elapsed_ms|tool_calls|started_at|finished_at)"
    r"[\"']?\s*[:=]\s*[\"']?(?:[$€£]?\d[\d,.]*\d|[^\s,;\"'}\]]+))"
    r"|(?P<run>(?:run_id|trial_id|evaluation_id|arm_id|variant_id)[\"']?\s*[:=]\s*[\"']?"
    r"[^\s,;\"'}\]]+|(?:run|trial|repetition|rep)\s*#?\d+\s*(?:of|/)\s*\d+)"
    r")",
    re.IGNORECASE,
)


def is_name(text: str, start: int, end: int, name: HiddenName, *, is_spaced: bool) -> bool | None:
    """Whether the word at this place is a name: true = mask, false = only flag, null = it is none.

    Args:
        text: the whole text.
        start: where the word begins.
        end: where it ends.
        name: the name it may be.
        is_spaced: its words are parted by blanks.
    """
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    if name.hides is Hides.COUNT:
        return _is_count(before, after)
    if name.sense is Sense.SURE or (name.sense is Sense.WORDS and not is_spaced):
        return True
    if name.sense is Sense.PROPER:
        return _is_proper(text[start:end], before, after, name)
    if name.sense is Sense.WORDS:
        return bool(_is_introduced(before, name) or _CALLED_AFTER.match(after))
    return _is_plain(text[start:end], before, after, name)


def fields(text: str) -> Iterator[tuple[int, int, Hides, str]]:
    """Gives the places where a text states what its run took, or which run it was, as a record."""
    for found in _FIELDS.finditer(text):
        hides = Hides.COUNT if found.lastgroup == "count" else Hides.RUN
        yield found.start(), found.end(), hides, "a field of the run"


def _is_introduced(before: str, name: HiddenName) -> bool:
    """Whether a word goes before that is followed by names of this kind."""
    if _NAMED_BEFORE.search(before) or (name.hides is Hides.MODEL and _SELF.search(before)):
        return True
    is_command = before.endswith("/") and not before[-2:-1].isalnum()
    return name.hides is Hides.SKILL and is_command


def _is_plain(word: str, before: str, after: str, name: HiddenName) -> bool | None:
    if len(name.letters) == 1 and not word.isupper() and not word.isdigit():
        return None  # an article, a preposition
    if _is_introduced(before, name):
        return True
    is_called = _CALLED_AFTER.match(after) or (
        _IS_THE.search(before) and not after.lstrip()[:1].isalnum()
    )
    return False if is_called or _is_own_line(before, after) else None


def _is_proper(word: str, before: str, after: str, name: HiddenName) -> bool | None:
    if _SELF.search(before) or (_VERSION.match(after) and word[:1].isupper()):
        return True
    return False if word in {name.name, name.name.upper()} else None


def _is_count(before: str, after: str) -> bool | None:
    """A number is a count of the run where what is counted stands beside it."""
    if re.match(r"[.,]?\d", after) or re.search(r"\d[.,]?$", before):
        return None
    return True if _COUNTED.search(before[-16:] + " " + after[:12]) else None


def _is_own_line(before: str, after: str) -> bool:
    """Whether nothing but ornament stands in the word's line."""
    line = before.rsplit("\n", maxsplit=1)[-1] + after.split("\n", maxsplit=1)[0]
    return not any(sign.isalnum() for sign in line) and (len(line) < _AFTER)
