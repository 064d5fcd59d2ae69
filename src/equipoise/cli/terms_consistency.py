"""``equipoise terms consistency``: is the approved rendering the same wherever the term occurs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.screen import write, write_json
from equipoise.cli.terms_morphology import asking_morphology
from equipoise.cli.terms_self_test import run_self_test, self_testing

if TYPE_CHECKING:
    from equipoise.terms.morphology import Morphology
    from equipoise.terms.vectors import Vector

_INSTALL = "pymorphy3 is not asked, or not installed (pip install 'equipoise[translation]')"


@click.command("consistency")
@click.argument("glossary", required=False, type=click.Path(path_type=Path))
@click.argument("chunks", required=False, type=click.Path(path_type=Path))
@asking_morphology
@self_testing
def command(
    glossary: Path | None,
    chunks: Path | None,
    *,
    way: str,
    is_self_test: bool,
    vectors: Path | None,
    as_json: bool,
) -> None:
    """Count in how many chunks the approved rendering of each term stands, in any of its forms.

    GLOSSARY has an entry a line: {"src": "未庄", "dst": "Вэйчжуан", "kind": "place"}, with "forms"
    where they are stored. CHUNKS has a piece of the text a line: {"id", "chapter", "source",
    "translation"}. Stored forms decide, morphology is the cross-check; without stored forms it
    decides. What a search for the base form alone would have flagged stands beside it.

    Example: `equipoise terms consistency glossary.jsonl chunks.jsonl`

    Exit codes: 0 measured, whatever came out, or the self-test passed; 1 a vector of the self-test
    failed; 2 a file is not what was wanted, or no term is due in any translated chunk; 3 a target
    has no stored forms and pymorphy3 is not installed.
    """
    from equipoise.cli.terms_consistency_told import told
    from equipoise.cli.terms_given import given
    from equipoise.errors import InputError, NotEstimable
    from equipoise.records.codec import pretty
    from equipoise.studies.translation.consistency import consistency
    from equipoise.studies.translation.reading import read_chunks, read_glossary

    morphology = _morphology(way)
    if is_self_test:
        run_self_test(
            "consistency",
            _answer,
            vectors=vectors,
            versions=_versions(morphology),
            as_json=as_json,
            more=() if vectors else _declensions(morphology),
            left_out=() if morphology else (f"declension by morphology: {_INSTALL}",),
        )
    if glossary is None or chunks is None:
        raise InputError(
            "the glossary or the chunks are not named",
            wanted="equipoise terms consistency GLOSSARY CHUNKS",
            mend="equipoise terms consistency --help",
        )
    found = consistency(read_glossary(given(glossary)), read_chunks(given(chunks)), morphology)[0]
    if as_json:
        write_json(pretty(found).decode())
    else:
        write(told(found))
    if found.share.value is None:
        raise NotEstimable("no term is due in a translated chunk: nothing was measured")


def _morphology(way: str) -> "Morphology | None":
    from equipoise.terms.morphology import Morphology

    if way == "off" or (way == "auto" and not Morphology.is_there()):
        return None
    return Morphology()


def _declensions(morphology: "Morphology | None") -> "tuple[Vector, ...]":
    """The vectors that need morphology."""
    from equipoise.terms.vectors import built_in_vectors

    return built_in_vectors("declension") if morphology else ()


def _versions(morphology: "Morphology | None") -> dict[str, str]:
    from equipoise import __version__

    return {"equipoise": __version__, **(morphology.versions if morphology else {})}


def _answer(given: dict[str, Any]) -> object:
    """What the matcher says of one vector: ``{term, text, kind, gender, case, forms}``."""
    from equipoise.terms.declension import Kind
    from equipoise.terms.matching import Matcher, Target
    from equipoise.terms.words import words_of

    text = given["text"]
    target = Target(
        text=given["term"],
        kind=Kind(given.get("kind", "term")),
        gender=given.get("gender", ""),
        is_case_sensitive=given.get("case", "sensitive") == "sensitive",
        forms=tuple(given.get("forms", ())),
    )
    asked = _morphology("off" if given.get("morphology") is False else "auto")
    found = Matcher(target, asked).match(words_of(text))
    said: dict[str, object] = {"state": found.state.value, "by": found.by}
    if found.is_disputed:
        said["disputed"] = True
    if given.get("naive"):
        said |= {"base": found.is_base_whole, "substring": found.is_substring}
    whys = found.morphology.whys if found.morphology else ()
    return said | ({"whys": [str(why) for why in whys]} if whys else {})
