"""How precisely keys in kana are found at several least lengths, over a set of traps."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from equipoise import __version__
from equipoise.errors import NotEstimable
from equipoise.records.kana import KanaCase, KanaPrecision, KanaRow, KanaTable, TrapShare
from equipoise.stats.proportions import wilson
from equipoise.terms.fold import folded
from equipoise.terms.injection import Disposition
from equipoise.terms.kana import (
    Boundary,
    Counts,
    Fired,
    Trap,
    Truth,
    counts,
    disposition,
    is_hiragana,
    length_of,
    read_traps,
    stands,
)

_WIDE = 0.2
"""Limits further apart make a share [underpowered]."""


def kana_precision(
    data: bytes,
    *,
    where: str,
    least: Sequence[int],
    boundary: Boundary = Boundary.NONE,
    ambiguous_to: int | None = None,
    hiragana_ambiguous: bool = False,
) -> KanaPrecision:
    """Measures a matcher of substrings on traps.

    Args:
        data: the traps, one JSON object a line.
        where: their file, for messages.
        least: least lengths to compare (MIN).
        boundary: a rule to set against finding any substring.
        ambiguous_to: keys of up to so many letters are AMBIGUOUS; None = up to the least length.
        hiragana_ambiguous: keys of hiragana alone are AMBIGUOUS whatever their length.

    Raises:
        InputError: the traps cannot be read.
    """
    traps = read_traps(data, where=where)
    doubted = {one.id for one in traps if hiragana_ambiguous and is_hiragana(one.key)}
    cases = tuple(_case(trap, least, ambiguous_to, trap.id in doubted) for trap in traps)
    boundaries = dict.fromkeys((Boundary.NONE, boundary))
    tables = tuple(
        KanaTable(
            boundary=rule,
            rows=tuple(_row(cases, rule, one, ambiguous_to, doubted) for one in sorted(set(least))),
        )
        for rule in boundaries
    )
    return KanaPrecision(
        traps=where,
        traps_sha256=hashlib.sha256(data).hexdigest(),
        n_traps={truth: sum(one.truth is truth for one in cases) for truth in Truth},
        hiragana_ambiguous=hiragana_ambiguous,
        n_keys=len({one.key for one in cases}),
        unfound=tuple(one.id for one in cases if not one.fires[Boundary.NONE]),
        tables=tables,
        readings=tuple(_readings(tables)),
        cases=cases,
        versions={"equipoise": __version__, "unicode": unicodedata.unidata_version},
    )


def row_of(found: Counts, *, least: int, ambiguous_to: int, n_lost: int | None = None) -> KanaRow:
    """Gives the row of the table for counts, wherever they come from.

    A precision is names found over all found (Wilson limits); nothing found gives no precision.
    """
    return KanaRow(
        least=least,
        ambiguous_to=ambiguous_to,
        tp_fire=found.tp,
        n_lost=n_lost,
        fp_total=found.fp,
        fp_substring=found.fp_substring,
        fp_homograph=found.fp_homograph,
        fp_confirmed=found.fp_confirmed,
        tp_confirmed=found.tp_confirmed,
        precision=_share(found.tp, found.fp, "found"),
        confirmed_precision=_share(found.tp_confirmed, found.fp_confirmed, "CONFIRMED"),
    )


def _case(trap: Trap, least: Sequence[int], ambiguous_to: int | None, is_doubted: bool) -> KanaCase:
    length = length_of(trap.key)
    sought, within = folded(trap.key), folded(trap.text)
    found = {rule: stands(sought, within, rule) for rule in Boundary}
    return KanaCase(
        id=trap.id,
        key=trap.key,
        text=trap.text,
        truth=trap.truth,
        length=length,
        fires={rule.value: is_found for rule, is_found in found.items()},
        dispositions={
            str(one): disposition(length, _limit(one, ambiguous_to), is_doubted=is_doubted)
            for one in sorted(set(least))
            if found[Boundary.NONE] and length >= one
        },
    )


def _row(
    cases: Sequence[KanaCase],
    rule: Boundary,
    least: int,
    ambiguous_to: int | None,
    doubted: Collection[str],
) -> KanaRow:
    limit = _limit(least, ambiguous_to)
    fired = [one for one in cases if one.fires[rule]]
    found = counts([Fired(one.truth, one.length, one.id in doubted) for one in fired], least, limit)
    n_names = sum(one.truth is Truth.NAME for one in cases)
    row = row_of(found, least=least, ambiguous_to=limit, n_lost=n_names - found.tp)
    confirmed = [
        one
        for one in fired
        if one.truth is not Truth.NAME
        and one.length >= least
        and disposition(one.length, limit, is_doubted=one.id in doubted) is Disposition.CONFIRMED
    ]
    lengths = Counter(one.length for one in confirmed)
    return KanaRow(
        **{name: getattr(row, name) for name in row.__struct_fields__[:11]},
        fp_confirmed_lengths={str(length): lengths[length] for length in sorted(lengths)},
        fp_confirmed_homograph=sum(one.truth is Truth.HOMOGRAPH for one in confirmed),
    )


def _limit(least: int, ambiguous_to: int | None) -> int:
    return least if ambiguous_to is None else ambiguous_to


def _share(names: int, others: int, what: str) -> TrapShare:
    n = names + others
    try:
        found = wilson(names, n)
    except NotEstimable:
        return TrapShare(
            value=None, lo=None, hi=None, n=0, n_names=0, why=f"nothing is {what}: 0 of 0"
        )
    lo, hi = found.interval.lo, found.interval.hi
    return TrapShare(
        value=found.value,
        lo=lo,
        hi=hi,
        n=n,
        n_names=names,
        level=found.interval.level,
        method=found.method,
        tags=("underpowered",) if hi - lo > _WIDE else (),
    )


def _readings(tables: Sequence[KanaTable]) -> list[str]:
    """What the tables say, with their counts."""
    plain = tables[0].rows
    found = [
        f"MIN {one.least} -> {two.least}: substring FP {one.fp_substring} -> {two.fp_substring}, "
        f"homograph FP {one.fp_homograph} -> {two.fp_homograph}, "
        f"TP {one.tp_fire} -> {two.tp_fire}"
        for one, two in pairwise(plain)
    ]
    for row in plain:
        lengths = ", ".join(
            f"{n} of length {length}" for length, n in (row.fp_confirmed_lengths or {}).items()
        )
        told = f" ({lengths}; {row.fp_confirmed_homograph} homographs)" if lengths else ""
        found.append(
            f"MIN {row.least}, keys of up to {row.ambiguous_to} letters AMBIGUOUS: "
            f"{row.fp_confirmed} of {row.fp_total} FP stay CONFIRMED{told}"
        )
    for table in tables[1:]:
        found += [
            f"boundary {table.boundary.value}, MIN {with_.least}: TP {without.tp_fire} -> "
            f"{with_.tp_fire}, FP {without.fp_total} -> {with_.fp_total}"
            for without, with_ in zip(plain, table.rows, strict=True)
        ]
    return found
