"""Which terms of a glossary are put into the prompt of each chunk, and why each of the others not.

The rules, each with vectors in the self-test: keys match folded text; a key of letters that are
written with spaces needs a boundary; a longer key hides a shorter one inside it, unless the longer
is not to be told yet; a term stays for some chunks after it was met; what is over the budget of
tokens is left out, what was met last time first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from equipoise.errors import InputError
from equipoise.terms.fold import folded
from equipoise.terms.scripts import Script, script_of, significant_length

STICKY_DEPTH = 2
LEAST_PHONETIC = 3
_WRITTEN_WITH_SPACES = frozenset({Script.LATIN, Script.CYRILLIC})
_KANA = frozenset({Script.HIRAGANA, Script.KATAKANA})


class Disposition(StrEnum):
    """How sure an injected term is: an ambiguous one is marked as to be checked."""

    CONFIRMED = "CONFIRMED"
    AMBIGUOUS = "AMBIGUOUS"


class Left(StrEnum):
    """Why a term is not injected."""

    NOT_MET = "its key does not occur"
    OVER = "its chapters are over (until_ch)"
    SPOILER = "it may not be told yet (from_ch)"
    CONTAINED = "its key stands only inside a longer key"
    SHORT = "its key has too few letters"
    EVICTED = "over the budget of tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """An entry of a glossary.

    Attributes:
        id: its name.
        keys: how it is written in the source; any of them counts.
        target: how it is to be rendered.
        disposition: as the glossary has it.
        from_ch: first chapter in which it may be told; null = from the start.
        until_ch: last chapter in which it holds; null = to the end.
        priority: of two terms over the budget the lower goes first.
    """

    id: str
    keys: tuple[str, ...]
    target: str
    disposition: Disposition = Disposition.CONFIRMED
    from_ch: int | None = None
    until_ch: int | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a chapter of the source."""

    id: str
    chapter: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The parameters of injection.

    Attributes:
        sticky_depth: for how many chunks after it was met a term is injected still.
        least_phonetic: letters of a key of kana, Latin or Cyrillic, at the least; a kana key of
            just so many is ambiguous.
        budget: tokens of all injected lines at the most; null = no limit.
    """

    sticky_depth: int = STICKY_DEPTH
    least_phonetic: int = LEAST_PHONETIC
    budget: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """A term in the prompt of a chunk.

    Attributes:
        term: the entry.
        disposition: the entry's, or ambiguous where the key was so short; a term that stays keeps
            what it had when it was met.
        stays: for how many chunks ago it was met; 0 = in this one.
    """

    term: Term
    disposition: Disposition
    stays: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """What one chunk gets, in the order of the glossary, and why each other term is left out."""

    chunk: Chunk
    injected: tuple[Injected, ...]
    left: Mapping[str, Left]
    n_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Met:
    """A term met `ago` chunks ago, and how sure it was then."""

    disposition: Disposition
    ago: int = 0


@dataclass(slots=True)
class Injector:
    """Goes through the chunks of a text in order and keeps which terms were met of late.

    Args:
        terms: the glossary.
        rules: the parameters.
        tokens_of: tokens of one injected line.

    Raises:
        InputError: two terms of one name, a term without key or target, chapters that end before
            they begin.
    """

    terms: Sequence[Term]
    rules: Rules
    tokens_of: Callable[[Injected], int]
    _met: dict[str, _Met] = field(default_factory=dict)
    _chapter: int | None = None

    def __post_init__(self) -> None:
        """Checks the glossary."""
        check_terms(self.terms)

    def inject(self, chunk: Chunk) -> Injection:
        """What the next chunk gets.

        A new chapter begins with no term from before.
        """
        if chunk.chapter != self._chapter:
            self._met, self._chapter = {}, chunk.chapter
        left = {term.id: Left.NOT_MET for term in self.terms}
        open_terms = []
        for term in self.terms:
            gate = gate_of(term, chunk.chapter)
            if gate is None:
                open_terms.append(term)
            else:
                left[term.id] = gate
        met = self._met_in(chunk, open_terms, left)
        self._met = _aged(self._met, self.rules.sticky_depth) | met
        chosen = [
            Injected(
                term=term, disposition=self._met[term.id].disposition, stays=self._met[term.id].ago
            )
            for term in open_terms
            if term.id in self._met
        ]
        kept, n_tokens = self._within_budget(chosen, left)
        for one in kept:
            left.pop(one.term.id)
        return Injection(chunk=chunk, injected=kept, left=left, n_tokens=n_tokens)

    def _met_in(
        self, chunk: Chunk, terms: Sequence[Term], left: dict[str, Left]
    ) -> dict[str, _Met]:
        text = folded(chunk.text)
        spans: dict[str, list[tuple[int, int]]] = {}
        for term in terms:
            keys = [key for key in map(folded, term.keys) if self._is_long_enough(key)]
            if not keys:
                left[term.id] = Left.SHORT
            found = [span for key in keys for span in spans_of(key, text)]
            if found:
                spans[term.id] = found
        return self._uncontained(terms, spans, text, left)

    def _uncontained(
        self,
        terms: Sequence[Term],
        spans: Mapping[str, list[tuple[int, int]]],
        text: str,
        left: dict[str, Left],
    ) -> dict[str, _Met]:
        inside = _contained({span for found in spans.values() for span in found})
        met: dict[str, _Met] = {}
        for term in terms:
            free = [span for span in spans.get(term.id, ()) if span not in inside]
            if free:
                is_short = all(self._is_short_kana(text[a:b]) for a, b in free)
                sure = Disposition.AMBIGUOUS if is_short else term.disposition
                met[term.id] = _Met(disposition=sure)
            elif term.id in spans:
                left[term.id] = Left.CONTAINED
        return met

    def _is_long_enough(self, key: str) -> bool:
        is_phonetic = not any(script_of(sign) is Script.HAN for sign in key)
        return significant_length(key) >= (self.rules.least_phonetic if is_phonetic else 1)

    def _is_short_kana(self, key: str) -> bool:
        is_kana = {script_of(sign) for sign in key if sign.isalpha()} <= _KANA
        return is_kana and significant_length(key) <= self.rules.least_phonetic

    def _within_budget(
        self, chosen: Sequence[Injected], left: dict[str, Left]
    ) -> tuple[tuple[Injected, ...], int]:
        """Those that fit: who stays from before goes first, then who is unsure, then low priority.

        Among equals the last of the glossary goes first. One that does not fit is left out; a
        shorter one after it may fit still.
        """
        costs = {one.term.id: self.tokens_of(one) for one in chosen}
        if self.rules.budget is None:
            return tuple(chosen), sum(costs.values())
        ranked = sorted(
            enumerate(chosen),
            key=lambda row: (
                row[1].stays,
                row[1].disposition is Disposition.AMBIGUOUS,
                -row[1].term.priority,
                row[0],
            ),
        )
        spent, kept = 0, set()
        for place, one in ranked:
            if spent + costs[one.term.id] <= self.rules.budget:
                spent += costs[one.term.id]
                kept.add(place)
            else:
                left[one.term.id] = Left.EVICTED
        return tuple(one for place, one in enumerate(chosen) if place in kept), spent


def check_terms(terms: Sequence[Term]) -> None:
    """Refuses a glossary that cannot be used.

    Raises:
        InputError: names the term and what is wrong.
    """
    seen: set[str] = set()
    for term in terms:
        where = f"term {term.id!r}"
        if term.id in seen:
            raise InputError("two terms have this id", wanted="an id for each", where=where)
        seen.add(term.id)
        if not any(folded(key).strip() for key in term.keys):
            raise InputError("the term has no key", wanted="how the source writes it", where=where)
        if not term.target.strip():
            raise InputError("the term has no target", wanted="its rendering", where=where)
        first, last = term.from_ch, term.until_ch
        if first is not None and last is not None and last < first:
            raise InputError(
                f"until_ch {last} is before from_ch {first}", wanted="a window", where=where
            )


def gate_of(term: Term, chapter: int) -> Left | None:
    """Why the term is not to be told in the chapter; None where it may be."""
    if term.from_ch is not None and chapter < term.from_ch:
        return Left.SPOILER
    if term.until_ch is not None and chapter > term.until_ch:
        return Left.OVER
    return None


def spans_of(key: str, text: str) -> Iterable[tuple[int, int]]:
    """Where the key stands in the text, both folded, without regard to case.

    At an end that is a Latin or Cyrillic letter no letter of the same script may follow: rose is
    not in roseanne, but it is in 薔薇rose. Han and kana need no boundary.

    >>> list(spans_of("rose", "roseanne, rose"))
    [(10, 14)]
    """
    lowered, wanted = text.lower(), key.lower()
    if len(lowered) != len(text):
        lowered, wanted = text, key
    at = lowered.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not _goes_on(text, at - 1, at) and not _goes_on(text, end, end - 1):
            yield at, end
        at = lowered.find(wanted, at + 1)


def _goes_on(text: str, outside: int, inside: int) -> bool:
    if not 0 <= outside < len(text) or not text[outside].isalpha():
        return False
    script = script_of(text[inside])
    return script in _WRITTEN_WITH_SPACES and script_of(text[outside]) is script


def _contained(spans: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The spans that lie inside a longer one."""
    found, furthest = set(), -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end <= furthest:
            found.add((start, end))
        furthest = max(furthest, end)
    return found


def _aged(met: Mapping[str, _Met], depth: int) -> dict[str, _Met]:
    return {
        name: replace(one, ago=one.ago + 1) for name, one in met.items() if one.ago + 1 <= depth
    }
