"""``equipoise terms slice``: a folder of chapters, measured in one go."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.screen import write, write_json
from equipoise.cli.terms_morphology import asking_morphology
from equipoise.cli.terms_self_test import run_self_test, self_testing

if TYPE_CHECKING:
    from equipoise.records.slice import Slice
    from equipoise.terms.morphology import Morphology


@click.command("slice")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@asking_morphology
@self_testing
def command(
    folder: Path | None,
    *,
    way: str,
    is_self_test: bool,
    vectors: Path | None,
    as_json: bool,
) -> None:
    """Measure the chapters in FOLDER: lengths, repeated prompts, coverage and precision of terms.

    FOLDER holds source/NAME.txt and target/NAME.txt, one chapter a file under one name, and
    glossary.jsonl with an entry a line: {"src", "dst", "forms"}. In place of the two folders it may
    hold chunks.jsonl. Until the files are there the command is blocked and says so.

    Example: `equipoise terms slice corpus`

    Exit codes: 0 measured, or the self-test passed; 1 a vector of the self-test failed; 2 a file
    cannot be read; 3 blocked: there is no corpus yet.
    """
    from equipoise.cli.terms_folder import read_folder
    from equipoise.cli.terms_slice_told import told
    from equipoise.errors import Blocked, InputError
    from equipoise.records.codec import pretty
    from equipoise.records.slice import Slice
    from equipoise.studies.translation.slices import slice_of, versions

    morphology = _morphology(way)
    if is_self_test:
        run_self_test("slice", _answer, vectors=vectors, versions=versions(None), as_json=as_json)
    if folder is None:
        raise InputError(
            "no folder is named",
            wanted="equipoise terms slice FOLDER",
            mend="equipoise terms slice --help",
        )
    try:
        found = slice_of(read_folder(folder), morphology)
    except Blocked as reason:
        if as_json:
            blocked = Slice(
                state="blocked", folder=str(folder), why=str(reason), versions=versions(morphology)
            )
            write_json(pretty(blocked).decode())
        raise
    if as_json:
        write_json(pretty(found).decode())
    else:
        write(told(found))


def _morphology(way: str) -> "Morphology | None":
    from equipoise.terms.morphology import Morphology

    is_asked = way == "on" or (way == "auto" and Morphology.is_there())
    return Morphology() if is_asked else None


def _answer(given: dict[str, Any]) -> object:
    """What a slice says of one vector: ``{source, target, glossary}``; stored forms alone."""
    import json

    from equipoise.studies.translation.corpora import corpus_of
    from equipoise.studies.translation.reading import Given, read_glossary
    from equipoise.studies.translation.slices import slice_of

    lines = "\n".join(json.dumps(line) for line in given.get("glossary", ()))
    glossary = read_glossary(Given(where="glossary", data=lines.encode())) if lines else None
    found = slice_of(corpus_of("vector", given["source"], given["target"], glossary=glossary), None)
    return _said(found)


def _said(found: "Slice") -> dict[str, object]:
    terms = {"coverage": found.coverage, "precision": found.precision}
    return {
        "chapters": [one.name for one in found.chapters],
        "lengths": {
            one.unit: [
                None if ratio.value is None else round(ratio.value, 4)
                for ratio in (one.full, one.clean)
            ]
            for one in found.lengths
        },
        "echoed": {one.name: one.echo for one in found.chapters if one.echo},
        "terms": {
            name: None
            if one is None
            else {"full": [one.full.n_yes, one.full.n], "clean": [one.clean.n_yes, one.clean.n]}
            for name, one in terms.items()
        },
        "against": [case for one in terms.values() if one for case in one.against],
    }
