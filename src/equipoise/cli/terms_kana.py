"""``equipoise terms kana``: how precisely keys in kana are matched, over traps."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.screen import write, write_json
from equipoise.cli.terms_self_test import run_self_test, self_testing

if TYPE_CHECKING:
    from equipoise.records.kana import KanaPrecision, KanaRow, TrapShare

_DEFAULT = 3
_HEAD = (
    "MIN",
    "TP_fire",
    "FP total",
    "FP substring",
    "FP homograph",
    "FP CONFIRMED",
    "precision*",
    "conf-precision*",
)


@click.command("kana")
@click.option(
    "--traps",
    type=click.Path(path_type=Path),
    help="Traps of your own, one JSON object a line: {id, key, text, truth}.",
)
@click.option(
    "--min",
    "least",
    type=click.IntRange(1, 99),
    multiple=True,
    default=(2, 3, 4),
    show_default=True,
    help="Least letters of a key.",
)
@click.option(
    "--boundary",
    type=click.Choice(["none", "katakana", "kana"]),
    default="none",
    show_default=True,
    help="Set a rule beside it: no katakana next to a key of katakana, or no kana at all.",
)
@click.option(
    "--ambiguous-to",
    type=click.IntRange(0, 99),
    help="Keys of up to so many letters are AMBIGUOUS. Default: up to MIN. 0: none is.",
)
@click.option(
    "--hiragana-ambiguous", is_flag=True, help="Keys of hiragana alone are AMBIGUOUS at any length."
)
@click.option("--cases", "is_long", is_flag=True, help="Show what became of each trap.")
@self_testing
def command(
    *,
    traps: Path | None,
    least: tuple[int, ...],
    boundary: str,
    ambiguous_to: int | None,
    hiragana_ambiguous: bool,
    is_long: bool,
    is_self_test: bool,
    vectors: Path | None,
    as_json: bool,
) -> None:
    """Measure how precisely keys in kana are found at several least lengths.

    A trap is a key, a text, and whether the name stands there, a part of a longer word, or another
    word that is written alike. Every precision is relative to the trap set: it compares settings
    with each other and says nothing of a book. A key no longer than MIN is AMBIGUOUS (to be
    checked), a longer one CONFIRMED.

    Example: `equipoise terms kana --boundary katakana --traps traps.jsonl`

    Exit codes: 0 measured, or the self-test passed; 1 a vector of the self-test failed; 2 the traps
    cannot be read.
    """
    from equipoise.cli.terms_texts import read_bytes
    from equipoise.records.codec import pretty
    from equipoise.studies.translation.kana import kana_precision
    from equipoise.terms.kana import Boundary, built_in_traps

    if is_self_test:
        from equipoise import __version__

        run_self_test(
            "kana",
            _answer,
            vectors=vectors,
            versions={"equipoise": __version__},
            as_json=as_json,
        )
    found = kana_precision(
        read_bytes(traps) if traps else built_in_traps(),
        where=str(traps) if traps else "built-in",
        least=least,
        boundary=Boundary(boundary),
        ambiguous_to=ambiguous_to,
        hiragana_ambiguous=hiragana_ambiguous,
    )
    if as_json:
        write_json(pretty(found).decode())
    else:
        write(_told(found, is_long=is_long))


def _told(found: "KanaPrecision", *, is_long: bool) -> str:
    from equipoise.records.counted import counted

    n = ", ".join(counted(many, truth.value) for truth, many in found.n_traps.items())
    n_traps, n_keys = counted(sum(found.n_traps.values()), "trap"), counted(found.n_keys, "key")
    lines = [f"{found.traps}: {n_traps} ({n}) of {n_keys}, sha256 {found.traps_sha256}"]
    for table in found.tables:
        lines += ["", f"boundary: {table.boundary.value}"]
        lines += _columns([_HEAD, *(_cells(row) for row in table.rows)])
        lines += [line for row in table.rows for line in _shares(row)]
    lines += ["", *found.readings]
    if found.hiragana_ambiguous:
        lines.append("keys of hiragana alone are AMBIGUOUS at any length")
    if found.unfound:
        lines.append(
            f"{counted(len(found.unfound), 'name')} whose key does not stand in the text: "
            + ", ".join(found.unfound)
        )
    if is_long:
        lines += ["", *_columns([_case(one) for one in found.cases])]
    lines += [
        "",
        "* relative to the trap set: no figure of a book, and no part of a verdict on one",
    ]
    return "".join(f"{line}\n" for line in lines)


def _cells(row: "KanaRow") -> tuple[str, ...]:
    counts = (
        row.least,
        row.tp_fire,
        row.fp_total,
        row.fp_substring,
        row.fp_homograph,
        row.fp_confirmed,
    )
    shares = (row.precision, row.confirmed_precision)
    return (
        f"{row.least} (default)" if row.least == _DEFAULT else str(row.least),
        *map(str, counts[1:]),
        *("-" if one.value is None else f"{one.value:.3f}" for one in shares),
    )


def _shares(row: "KanaRow") -> list[str]:
    return [
        f"  MIN {row.least}: {name} {_share(one)}"
        for name, one in (
            ("precision", row.precision),
            ("conf-precision", row.confirmed_precision),
        )
    ]


def _share(one: "TrapShare") -> str:
    if one.value is None or one.lo is None or one.hi is None:
        return f"none: {one.why}, {one.label}"
    tags = "".join(f" [{tag}]" for tag in one.tags)
    return (
        f"{one.value:.3f} ({one.n_names:,} of {one.n:,}, {one.level:.0%} limits {one.lo:.3f} to "
        f"{one.hi:.3f}), {one.label}{tags}"
    )


def _case(one: Any) -> tuple[str, ...]:
    fires = ", ".join(f"{rule} {'yes' if is_so else 'no'}" for rule, is_so in one.fires.items())
    done = ", ".join(f"MIN {least} {what.value}" for least, what in one.dispositions.items())
    return (one.id, one.truth.value, one.key, one.text, f"found: {fires}", done or "never taken")


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _width(text: str) -> int:
    """Columns of a terminal: kana and Han take two."""
    import unicodedata

    return sum(1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def _answer(given: dict[str, Any]) -> object:
    from equipoise.studies.translation.kana import row_of
    from equipoise.terms.kana import Boundary, Counts, disposition, fires, length_of

    if "counts" in given:
        row = row_of(Counts(**given["counts"]), least=given["least"], ambiguous_to=given["least"])
        shares = {"precision": row.precision, "confirmed_precision": row.confirmed_precision}
        return {
            name: None
            if one.value is None or one.lo is None or one.hi is None
            else [round(one.value, 3), round(one.lo, 3), round(one.hi, 3)]
            for name, one in shares.items()
        }
    key, text, length = given["key"], given["text"], length_of(given["key"])
    return {
        "length": length,
        "fires": {rule.value: fires(key, text, rule) for rule in Boundary},
        "disposition": {str(least): disposition(length, least).value for least in (2, 3, 4)},
    }
