"""``--self-test`` of the actions of ``terms``: vectors, a difference for each that fails."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from equipoise.cli.screen import write, write_json

if TYPE_CHECKING:
    from equipoise.records.self_test import SelfTest
    from equipoise.terms.vectors import Vector

F = TypeVar("F", bound=Callable[..., Any])


def self_testing(function: F) -> F:
    """Adds `--self-test`, `--vectors FILE` and `--json` to an action."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print it as JSON."),
        click.option(
            "--vectors",
            type=click.Path(dir_okay=False, path_type=Path),
            help="With --self-test: take the vectors of this file, one JSON object a line.",
        ),
        click.option(
            "--self-test",
            "is_self_test",
            is_flag=True,
            help="Hold the command against answers that are known, and stop.",
        ),
    ):
        function = option(function)
    return function


def run_self_test(
    action: str,
    answer: Callable[[dict[str, Any]], object],
    *,
    vectors: Path | None,
    versions: Mapping[str, str],
    as_json: bool,
    more: "tuple[Vector, ...]" = (),
    left_out: tuple[str, ...] = (),
) -> None:
    """Runs the vectors of an action, tells the outcome and leaves with 1 where one failed.

    Args:
        action: such as ``kana``; names the built-in vectors, too.
        answer: gives for the input of a vector what JSON can hold.
        vectors: a file of the user in place of the built-in vectors.
        versions: name -> version of what answers.
        as_json: print a record.
        more: vectors whose answers are made here, such as the parity with another program.
        left_out: checks that cannot be made here, and why.
    """
    from equipoise.cli.terms_texts import read_bytes
    from equipoise.records.codec import pretty
    from equipoise.records.self_test import FailedVector, SelfTest
    from equipoise.terms.vectors import built_in_vectors, failures, vectors_of

    taken = (
        vectors_of(read_bytes(vectors), where=str(vectors)) if vectors else built_in_vectors(action)
    )
    taken += more
    failed = failures(taken, answer)
    found = SelfTest(
        command=f"terms {action}",
        vectors=str(vectors) if vectors else "built-in",
        n=len(taken),
        n_passed=len(taken) - len(failed),
        failed=tuple(FailedVector(id=one.id, says=one.says, diff=one.diff) for one in failed),
        versions=dict(versions),
        left_out=left_out,
    )
    if as_json:
        write_json(pretty(found).decode())
    else:
        write(_told(found))
    raise SystemExit(int(bool(failed)))


def _told(found: "SelfTest") -> str:
    lines = [f"{one.id}: {one.says}\n{one.diff}" for one in found.failed]
    lines += [f"left out: {why}" for why in found.left_out]
    lines += [f"{name} {version}" for name, version in found.versions.items()]
    lines.append(f"{found.n_passed} of {found.n} vectors of {found.command} passed")
    return "".join(f"{line}\n" for line in lines)
