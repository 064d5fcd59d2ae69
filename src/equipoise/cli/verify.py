"""``equipoise verify``: the sceptic's command; whatever does not follow is named."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.screen import write, write_json
from equipoise.errors import EquipoiseError, InputError

if TYPE_CHECKING:
    from equipoise.pipeline.faults import Check, Fault

_ALTERED = 1
_MADE_OTHERWISE = 4


@click.command("verify")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--ca",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Certificates (PEM) that the authority behind a witnessed seal is trusted by.",
)
@click.option("--json", "as_json", is_flag=True, help="Print checks and faults as JSON.")
def command(path: Path, *, ca: Path | None, as_json: bool) -> None:
    """Prove that nothing was altered since recording.

    PATH is an archive, a comparison, a loss study or a rating study. Of an archive every line,
    document, quote and column is checked against what it must follow from; of a comparison also the
    archives it cites, and every estimate, verdict and page is derived again; of a study its plan,
    seal, archives, suites and comparisons, and its history; of a rating study also its
    packets and keys. One line is printed for each thing checked, and one for each fault: file,
    line, what was expected, what was found.

    Who rewrites every line and the head as well is found only by comparing the head hash with one
    that was kept elsewhere (a report prints it).

    What another version of equipoise derived may follow otherwise from the same lines. It is named
    with that version, and is neither verified nor altered.

    Exit codes: 0 verified; 1 something was altered; 2 there is nothing to verify at PATH; 4 nobody
    can tell: what is left was made by another version.
    """
    raise SystemExit(run_verify(path, ca=ca, as_json=as_json))


def run_verify(path: Path, *, as_json: bool, ca: Path | None = None) -> int:
    """Verifies what is at the path, tells of it, and gives the exit code."""
    checks: list[Check] = []
    for check in _guarded(_checks(path, ca)):
        checks.append(check)
        if not as_json:
            write("".join(f"{line}\n" for line in _told(check)))
    faults = [fault for check in checks for fault in check.faults if not fault.is_note]
    if as_json:
        write_json(_as_json(path, checks, faults))
    else:
        write(_end(path, checks, faults))
    if any(not fault.made_by for fault in faults):
        return _ALTERED
    return _MADE_OTHERWISE if faults else 0


def _guarded(checks: Iterator["Check"]) -> Iterator["Check"]:
    """Yields the checks; what breaks them off after the first is a fault like any other."""
    from equipoise.pipeline.faults import Check, Fault

    has_begun = False
    try:
        for check in checks:
            yield check
            has_begun = True
    except (EquipoiseError, OSError, ValueError) as error:
        if not has_begun:
            raise
        what = "nothing further could be checked"
        fault = Fault(file="the rest", what=what, found=str(error))
        yield Check(thing="the rest", says="not verified", faults=(fault,))


def _checks(path: Path, ca: Path | None) -> Iterator["Check"]:
    from equipoise.cli.clock import now
    from equipoise.cli.kinds import is_rating
    from equipoise.cli.loss_sources import is_study
    from equipoise.pipeline.verifying import check_archive
    from equipoise.pipeline.verifying_comparison import check_comparison

    if ca is not None and not is_study(path):
        raise InputError(f"--ca with {path}", wanted="a loss study, whose seal may be witnessed")
    if path.joinpath("archive.json").exists():
        yield from check_archive(path)
    elif is_study(path) and is_rating(path):
        from equipoise.cli.rating_verifying import check_rating

        yield from check_rating(path, ca=ca)
    elif is_study(path):
        from equipoise.studies.loss.verifying import check_study
        from equipoise.studies.outcome.verifying import check_outcomes, check_registered
        from equipoise.studies.outcome.verifying_proofs import check_proofs

        yield from check_study(path, today=now().date(), ca=ca)
        yield from check_registered(path)
        yield from check_proofs(path)
        yield from check_outcomes(path)
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
    kinds = {_kind(fault) for fault in check.faults}
    mark = "FAULT" if "fault" in kinds else "OTHER" if "other" in kinds else "ok   "
    mark = "LEFT " if check.is_left_out else mark
    yield f"{mark} {check.thing}: {check.says}"
    for fault in check.faults:
        yield f"      {_kind(fault)}: {fault.text}"


def _kind(fault: "Fault") -> str:
    return "note" if fault.is_note else "other" if fault.made_by else "fault"


def _end(path: Path, checks: list["Check"], faults: list["Fault"]) -> str:
    altered = [fault for fault in faults if not fault.made_by]
    if altered:
        first = altered[0].text
        return f"not verified: {path}: {len(altered)} fault(s), the first: {first}\n"
    if faults:
        versions = ", ".join(sorted({fault.made_by for fault in faults}))
        return (
            f"nobody can tell: {path}: {len(faults)} thing(s) were made by version {versions} and "
            "follow otherwise here; nothing was found altered\n"
        )
    heads = [check.says for check in checks if check.thing == "head.json"]
    if left_out := [check.thing for check in checks if check.is_left_out]:
        return f"verified, except {', '.join(left_out)}: {path}\n"
    return f"verified: {path}{''.join(f', {head}' for head in heads)}\n"


def _as_json(path: Path, checks: list["Check"], faults: list["Fault"]) -> str:
    from equipoise.records.codec import pretty

    versions = sorted({fault.made_by for fault in faults if fault.made_by})
    told = {"path": str(path), "is_verified": not faults, "made_by": versions, "checks": checks}
    return pretty(told).decode()
