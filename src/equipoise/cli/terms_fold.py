"""``equipoise terms fold``: text or keys in the form in which they are matched."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.screen import write, write_json
from equipoise.cli.terms_self_test import run_self_test, self_testing

if TYPE_CHECKING:
    from equipoise.records.folding import Folding, KeyClash
    from equipoise.terms.fold import Table
    from equipoise.terms.vectors import Vector


@click.command("fold")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--keys", "is_keys", is_flag=True, help="Each line is a key: tell which become one.")
@click.option(
    "--table",
    "table_name",
    type=click.Choice(["built-in", "opencc"]),
    default="built-in",
    show_default=True,
    help="Table of characters. The built-in one is the same everywhere; OpenCC's is larger.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the folded text here, to the byte.",
)
@self_testing
def command(
    files: tuple[Path, ...],
    *,
    is_keys: bool,
    table_name: str,
    out: Path | None,
    is_self_test: bool,
    vectors: Path | None,
    as_json: bool,
) -> None:
    """Fold FILES, or stdin, to the form in which keys and texts of a source are matched.

    Signs that nobody sees are taken out, letters joined with their marks, apostrophes made one, and
    traditional characters made simplified. It is for matching only, never for display: fold both
    sides. The folded text goes to stdout, where what would act on a terminal is spelt out; the hash
    of the table and the count of changed characters go to stderr.

    Example: `equipoise terms fold --keys keys.txt`

    Exit codes: 0 folded, or the self-test passed; 1 a vector of the self-test failed; 2 a file
    cannot be read, or is no UTF-8.
    """
    from equipoise.records.codec import pretty

    if is_self_test:
        more, left_out = _parity()
        run_self_test(
            "fold",
            _answer,
            vectors=vectors,
            versions=_versions(),
            as_json=as_json,
            more=more,
            left_out=left_out,
        )
    found = _fold(files or (Path("-"),), _table(table_name), is_keys=is_keys)
    text = "".join(one.folded for one in found.texts)
    if out is not None:
        from equipoise.cli.terms_texts import write_bytes

        write_bytes(out, text.encode())
    if as_json:
        write_json(pretty(found).decode())
        return
    if out is None:
        write(text if text.endswith("\n") or not text else f"{text}\n")
    write(_told(found), to_stderr=True)


def _fold(files: tuple[Path, ...], table: "Table", *, is_keys: bool) -> "Folding":
    from equipoise.cli.terms_texts import read_text
    from equipoise.records.folding import FoldedText, Folding
    from equipoise.terms.fold import fold

    given = {str(path): read_text(path) for path in dict.fromkeys(files)}
    texts = []
    for where, text in given.items():
        one = fold(text, table)
        texts.append(
            FoldedText(
                where=where,
                folded=one.text,
                n_characters=len(text),
                n_removed=one.n_removed,
                n_apostrophes=one.n_apostrophes,
                n_simplified=one.n_simplified,
                is_composed=one.is_composed,
            )
        )
    return Folding(
        texts=tuple(texts),
        clashes=_clashes(given, table) if is_keys else None,
        n_changed=sum(one.n_removed + one.n_apostrophes + one.n_simplified for one in texts),
        table=table.name,
        table_sha256=table.sha256,
        n_pairs=len(table.pairs),
        versions=_versions(),
    )


def _clashes(given: dict[str, str], table: "Table") -> "tuple[KeyClash, ...]":
    from equipoise.records.folding import KeyClash
    from equipoise.terms.fold import folded

    found: dict[str, dict[str, str]] = {}
    for where, text in given.items():
        for number, line in enumerate(text.split("\n"), start=1):
            key = line.strip()
            if key:
                found.setdefault(folded(key, table), {}).setdefault(key, f"{where}:{number}")
    return tuple(
        KeyClash(folded=form, keys=tuple(keys), where=tuple(keys.values()))
        for form, keys in found.items()
        if len(keys) > 1
    )


def _told(found: "Folding") -> str:
    from equipoise.records.counted import counted

    lines = []
    for one in found.texts:
        joined = ", marks joined" if one.is_composed else ""
        lines.append(
            f"{one.where}: {counted(one.n_characters, 'character')}: "
            f"{one.n_simplified:,} simplified, {one.n_apostrophes:,} apostrophes, "
            f"{one.n_removed:,} unseen signs taken out{joined}"
        )
    for clash in found.clashes or ():
        keys = ", ".join(f"{key} ({at})" for key, at in zip(clash.keys, clash.where, strict=True))
        lines.append(f"one key when folded: {keys}")
    lines.append(
        f"{counted(found.n_changed, 'character')} changed; for {found.use}; table {found.table} of "
        f"{counted(found.n_pairs, 'character')}, sha256 {found.table_sha256}"
    )
    return "".join(f"{line}\n" for line in lines)


def _table(name: str) -> "Table":
    from equipoise.terms.fold import built_in
    from equipoise.terms.opencc import opencc_table

    return opencc_table() if name == "opencc" else built_in()


def _answer(given: dict[str, Any]) -> object:
    from equipoise.terms.fold import built_in, fold
    from equipoise.terms.opencc import opencc_table

    if given.get("parity"):
        theirs = opencc_table().pairs
        return {old: fold(theirs.get(old, old)).text for old in built_in().pairs}
    if given.get("table"):
        return {"n_pairs": len(built_in().pairs), "sha256": built_in().sha256}
    one = fold(given["text"])
    return {"folded": one.text, "n_changed": one.n_changed}


def _parity() -> "tuple[tuple[Vector, ...], tuple[str, ...]]":
    """The built-in table held against OpenCC's, or why it cannot be."""
    from equipoise.terms.fold import built_in
    from equipoise.terms.opencc import installed
    from equipoise.terms.vectors import Vector

    if not installed():
        return (), ("parity with OpenCC: not installed; pip install 'equipoise[translation]'",)
    one = Vector(
        id="parity",
        says="each character is folded as what OpenCC makes of it is folded",
        input={"parity": True},
        expected=dict(built_in().pairs),
    )
    return (one,), ()


def _versions() -> dict[str, str]:
    import unicodedata

    from equipoise import __version__
    from equipoise.terms.opencc import installed

    return {"equipoise": __version__, "unicode": unicodedata.unidata_version, **installed()}
