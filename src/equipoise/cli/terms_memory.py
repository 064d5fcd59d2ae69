"""``equipoise terms memory``: what a glossary in the prompt does, in four modes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from equipoise.cli.finite import FiniteRange
from equipoise.cli.screen import write, write_json
from equipoise.cli.terms_self_test import run_self_test, self_testing

if TYPE_CHECKING:
    from equipoise.studies.translation.injecting import Injecting
    from equipoise.studies.translation.reading import Given

F = TypeVar("F", bound=Callable[..., Any])

_MARGIN = FiniteRange(0.0, 1.0, min_open=True, max_open=True)


def _margins(function: F) -> F:
    """Adds one option for the margin of each axis."""
    for name, says in (
        ("cost", "The same in tokens of the prompt, as a share saved."),
        ("fidelity", "The same in fidelity, as a share of 100 points."),
        ("consistency", "What counts as a difference in consistency."),
    ):
        option = click.option(
            f"--margin-{name}", type=_MARGIN, default=0.05, show_default=True, help=says
        )
        function = option(function)
    return function


@click.command("memory")
@click.argument("glossary", required=False, type=click.Path(path_type=Path))
@click.argument("chunks", required=False, type=click.Path(path_type=Path))
@click.option("--takes", type=click.Path(path_type=Path), help="What models answered, JSON Lines.")
@click.option("--judgements", type=click.Path(path_type=Path), help="What judges said of it.")
@click.option("--example", "is_example", is_flag=True, help="Take the built-in text and takes.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Show what each mode puts in each prompt.")
@click.option("--chapter", type=click.IntRange(min=0), help="Only the chunks of this chapter.")
@click.option("--max-chunks", type=click.IntRange(min=1), help="At most so many chunks.")
@click.option(
    "--regen-on-echo",
    "is_regenerated",
    is_flag=True,
    help="Where a take repeats its prompt, the next attempt counts.",
)
@click.option(
    "--sticky",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="For how many chunks after it was met a term stays in the prompt.",
)
@click.option("--budget", type=click.IntRange(min=1), help="Tokens of injected lines at the most.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Of the exchange of M3.")
@_margins
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write memory.json, memory.md and each full output by its hash into this folder.",
)
@self_testing
def command(
    glossary: Path | None,
    chunks: Path | None,
    *,
    is_self_test: bool,
    vectors: Path | None,
    is_dry: bool,
    **options: Any,
) -> None:
    """Evaluate terminology memory: M0 no glossary, M1 what the chunk needs, M2 all, M3 exchanged.

    GLOSSARY and CHUNKS are as for `terms consistency`, without translations. A take is
    {"chunk", "mode", "output", "model", "tokens_in", "tokens_out", "attempt", "is_simulated"}, a
    judgement {"chunk", "mode", "judge", "answer"} with an answer of {"fidelity", "mistranslation",
    "omission", "addition", "wrong_names"}. Consistency, fidelity and tokens are three axes and
    never one. What repeats the glossary or the source is cut, flagged and left out of the clean
    figures.

    Examples: `equipoise terms memory --example --dry-run --chapter 6`, and `equipoise terms memory
    --example --chapter 6 --max-chunks 5 --regen-on-echo`

    Exit codes: 0 evaluated, whatever came out, or the self-test passed; 1 a vector of the self-test
    failed; 2 a file is not what was wanted; 3 fewer than 8 terms come back in another chapter, or a
    target has no stored forms and pymorphy3 is not installed.
    """
    if is_self_test:
        from equipoise import __version__
        from equipoise.cli.terms_memory_vectors import answer

        run_self_test(
            "memory",
            answer,
            vectors=vectors,
            versions={"equipoise": __version__},
            as_json=options["as_json"],
        )
    given = _given(glossary, chunks, options)
    if is_dry:
        _plan(given, options)
    else:
        _evaluate(given, options)


def _given(
    glossary: Path | None, chunks: Path | None, options: dict[str, Any]
) -> "dict[str, Given]":
    """The files by what they are; those of the example where it is asked for."""
    from equipoise.cli.terms_given import example, given
    from equipoise.errors import InputError

    paths = {
        "glossary": glossary,
        "chunks": chunks,
        "takes": options["takes"],
        "judgements": options["judgements"],
    }
    found = {name: given(path) for name, path in paths.items() if path is not None}
    if options["is_example"]:
        return {name: found.get(name) or example(f"{name}.jsonl") for name in paths}
    if not {"glossary", "chunks"} <= found.keys():
        raise InputError(
            "the glossary or the chunks are not named",
            wanted="equipoise terms memory GLOSSARY CHUNKS --takes FILE",
            mend="equipoise terms memory --help, or try --example",
        )
    return found


def _how(options: dict[str, Any]) -> "Injecting":
    from equipoise.studies.translation.injecting import Injecting
    from equipoise.terms.injection import Rules

    rules = Rules(sticky_depth=options["sticky"], budget=options["budget"])
    return Injecting(rules=rules, seed=options["seed"])


def _plan(given: "dict[str, Given]", options: dict[str, Any]) -> None:
    from equipoise.cli.terms_memory_told import plan_told
    from equipoise.records.codec import pretty
    from equipoise.studies.translation.injecting import chosen, plan_of
    from equipoise.studies.translation.reading import read_chunks, read_glossary

    glossary, chunks = read_glossary(given["glossary"]), read_chunks(given["chunks"])
    taken = chosen(chunks, chapter=options["chapter"], most=options["max_chunks"])
    found = plan_of(glossary, chunks, taken, _how(options))
    if options["as_json"]:
        write_json(pretty(found).decode())
    else:
        write(plan_told(found))


def _evaluate(given: "dict[str, Given]", options: dict[str, Any]) -> None:
    from equipoise.cli.terms_memory_told import told
    from equipoise.errors import InputError
    from equipoise.records.codec import pretty
    from equipoise.records.term_memory import Margins
    from equipoise.studies.translation.injecting import chosen
    from equipoise.studies.translation.memory import Asked, evaluate
    from equipoise.studies.translation.reading import read_chunks, read_glossary
    from equipoise.terms.morphology import Morphology

    if "takes" not in given:
        raise InputError(
            "no takes are given", wanted="--takes FILE", mend="--dry-run asks for none"
        )
    chunks = read_chunks(given["chunks"])
    margins = {name: options[f"margin_{name}"] for name in ("consistency", "fidelity", "cost")}
    found, outputs = evaluate(
        Asked(
            glossary=read_glossary(given["glossary"]),
            chunks=chunks,
            taken=chosen(chunks, chapter=options["chapter"], most=options["max_chunks"]),
            how=_how(options),
            takes=given["takes"],
            judgements=given.get("judgements"),
            margins=Margins(**margins),
            is_regenerated=options["is_regenerated"],
            morphology=Morphology() if Morphology.is_there() else None,
        )
    )
    if options["out"] is not None:
        from equipoise.studies.translation.memory_folder import write_memory

        write_memory(options["out"], found, outputs)
    write_json(pretty(found).decode()) if options["as_json"] else write(told(found))
