"""``equipoise verify``: the sceptic's command; whatever does not follow is named."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.screen import write, write_json
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.pipeline.faults import Check, Fault

_ALTERED = 1


@click.command("verify")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print checks and faults as JSON.")
def command(path: Path, *, as_json: bool) -> None:
    """Prove that nothing was altered since recording.

    PATH is an archive, a comparison or a loss study. Of an archive every line, document, quote and
    column is checked against what it must follow from; of a comparison also the archives it cites,
    and every estimate, verdict and page is derived again; of a study its plan and seal, all its
    archives, suites and comparisons, and its history. One line is printed for each thing checked,
    and one for each fault: file, line, what was expected, what was found.

    Who rewrites every line and the head as well is found only by comparing the head hash with one
    that was kept elsewhere (a report prints it).

    Exit codes: 0 verified; 1 something was altered; 2 there is nothing to verify at PATH.
    """
    if run_verify(path, as_json=as_json):
        raise SystemExit(_ALTERED)


def run_verify(path: Path, *, as_json: bool) -> int:
    """Verifies what is at the path, tells of it, and gives how many faults were found."""
    checks: list[Check] = []
    for check in _checks(path):
        checks.append(check)
        if not as_json:
            write("".join(f"{line}\n" for line in _told(check)))
    faults = [fault for check in checks for fault in check.faults if not fault.is_note]
    if as_json:
        write_json(_as_json(path, checks, is_whole=not faults))
    else:
        write(_end(path, checks, faults))
    return len(faults)


def _checks(path: Path) -> Iterator["Check"]:
    from equipoise.cli.loss_sources import is_study
    from equipoise.pipeline.verifying import check_archive
    from equipoise.pipeline.verifying_comparison import check_comparison

    if path.joinpath("archive.json").exists():
        yield from check_archive(path)
    elif is_study(path):
        from equipoise.studies.loss.verifying import check_study

        yield from check_study(path)
    elif path.joinpath("comparison.json").exists():
        yield from check_comparison(path)
    else:
        raise InputError(
            f"{path} is neither an archive nor a comparison nor a study",
            wanted="a folder with archive.json, comparison.json or plan.json",
            mend="give a folder made by `equipoise import`, `compare` or `plan`",
            code="nothing_to_verify",
        )


def _told(check: "Check") -> Iterator[str]:
    is_wrong = any(not fault.is_note for fault in check.faults)
    yield f"{'FAULT' if is_wrong else 'ok   '} {check.thing}: {check.says}"
    for fault in check.faults:
        yield f"      {'note' if fault.is_note else 'fault'}: {fault.text}"


def _end(path: Path, checks: list["Check"], faults: list["Fault"]) -> str:
    if faults:
        first = faults[0].text
        return f"not verified: {path}: {len(faults)} fault(s), the first: {first}\n"
    heads = [check.says for check in checks if check.thing == "head.json"]
    return f"verified: {path}{''.join(f', {head}' for head in heads)}\n"


def _as_json(path: Path, checks: list["Check"], *, is_whole: bool) -> str:
    from equipoise.records.codec import pretty

    return pretty({"path": str(path), "is_verified": is_whole, "checks": checks}).decode()
