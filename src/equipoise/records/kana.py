"""How precisely keys in kana are found, over traps; never a figure of a corpus."""

from typing import Literal

import msgspec

from equipoise.terms.injection import Disposition
from equipoise.terms.kana import Boundary, Truth


class TrapShare(msgspec.Struct, frozen=True, kw_only=True):
    """Of what was found in a set of traps, the share that is the name.

    Args:
        value: the share; null with `why`.
        lo, hi: limits at `level`, as if traps had been drawn one by one.
        n: everything found.
        n_names: those that are the name.
        label: what the share is relative to: it compares settings with each other and says
            nothing of a book.
        tags: ``underpowered`` where the limits are more than 0.2 apart.
        why: why there is no value.
    """

    value: float | None
    lo: float | None
    hi: float | None
    n: int
    n_names: int
    level: float = 0.95
    method: str = ""
    label: Literal["relative to the trap set"] = "relative to the trap set"
    tags: tuple[str, ...] = ()
    why: str = ""


class KanaRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a matcher finds that takes keys of at least `least` letters.

    Args:
        least: letters that a key must have (MIN).
        ambiguous_to: keys of up to so many letters are AMBIGUOUS, longer ones CONFIRMED.
        tp_fire: traps with the name where it is found.
        n_lost: traps with the name where it is not.
        fp_total: traps where something else is found.
        fp_substring, fp_homograph: those by what it is.
        fp_confirmed: those handed on as they are.
        tp_confirmed: names handed on as they are.
        precision: of all found.
        confirmed_precision: of all handed on as they are.
        fp_confirmed_lengths: letters of the key -> how many of `fp_confirmed`; null where counts
            alone are known.
        fp_confirmed_homograph: how many of `fp_confirmed` are homographs; null as above.
    """

    least: int
    ambiguous_to: int
    tp_fire: int
    n_lost: int | None
    fp_total: int
    fp_substring: int
    fp_homograph: int
    fp_confirmed: int
    tp_confirmed: int
    precision: TrapShare
    confirmed_precision: TrapShare
    fp_confirmed_lengths: dict[str, int] | None = None
    fp_confirmed_homograph: int | None = None


class KanaTable(msgspec.Struct, frozen=True, kw_only=True):
    """The rows under one rule of what may not stand next to a key."""

    boundary: Boundary
    rows: tuple[KanaRow, ...]


class KanaCase(msgspec.Struct, frozen=True, kw_only=True):
    """A trap and what became of it.

    Args:
        length: letters of its key.
        fires: boundary -> whether the key is found, at any length.
        dispositions: least length -> what is done with it where it is found without a boundary.
    """

    id: str
    key: str
    text: str
    truth: Truth
    length: int
    fires: dict[str, bool]
    dispositions: dict[str, Disposition]


class KanaPrecision(msgspec.Struct, frozen=True, kw_only=True):
    """Tables of one set of traps.

    Args:
        scope: what the figures are of; a verdict on a corpus takes none of this scope.
        traps: ``built-in`` or the file.
        traps_sha256: hash of its bytes.
        n_traps: how many there are, by truth.
        n_keys: different keys among them; traps of one key are alike.
        unfound: traps with the name where the letters of the key do not stand in the text.
        tables: without a boundary first, then with the one asked.
        readings: what the tables say, in sentences.
        cases: each trap.
        versions: name -> version of what measured.
        hiragana_ambiguous: whether keys of hiragana alone were AMBIGUOUS whatever their length.
    """

    traps: str
    traps_sha256: str
    n_traps: dict[Truth, int]
    n_keys: int
    unfound: tuple[str, ...]
    tables: tuple[KanaTable, ...]
    readings: tuple[str, ...]
    cases: tuple[KanaCase, ...]
    versions: dict[str, str]
    scope: Literal["trap set"] = "trap set"
    hiragana_ambiguous: bool = False
