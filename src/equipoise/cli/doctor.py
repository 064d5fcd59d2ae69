"""``equipoise doctor``: what this machine has, what is missing, what that costs, and the mend."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from equipoise.cli.doctor_checks import Finding

_BLOCKED = 3
_MARKS = {"found": "ok     ", "missing": "missing", "needed": "NEEDED "}


@click.command("doctor")
@click.argument("study", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(study: Path | None, *, as_json: bool) -> None:
    """Check this machine and say what is missing.

    Prints one line for each tool, with what its absence costs and how to install it. Nothing but
    Python itself is needed by every study: a missing tool takes away only what needs it. With the
    folder of a STUDY, what that study needs is looked at more closely: its databases are reached,
    its state may be put back, its programs are there, its models can be asked. Nothing is changed,
    but that what killed runs left on this machine is ended, put right and removed.

    Exit codes: 0 nothing is missing that is needed; 2 the study cannot be read; 3 something the
    study needs is missing.
    """
    from equipoise.cli.doctor_agents import of_agents
    from equipoise.cli.doctor_checks import of_leftovers, of_machine
    from equipoise.cli.doctor_rating import of_rating
    from equipoise.cli.doctor_study import of_study
    from equipoise.cli.kinds import is_rating

    findings = [*of_machine(study or Path()), of_leftovers(), *of_agents()]
    if study is not None:
        looks = of_rating if is_rating(study) else of_study
        findings = list(looks(study, findings))
    click.echo(_as_json(findings) if as_json else _told(findings, study), nl=False)
    if any(finding.is_needed and not finding.is_there for finding in findings):
        raise SystemExit(_BLOCKED)


def _told(findings: "list[Finding]", study: Path | None) -> bytes:
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.state]} {finding.name}: {finding.found}")
        if not finding.is_there:
            lines.append(f"        costs: {finding.costs}")
            lines.append(f"        mend:  {finding.mend}")
    needed = [finding.name for finding in findings if finding.state == "needed"]
    missing = [finding.name for finding in findings if finding.state == "missing"]
    lines.append("")
    if needed:
        lines.append(f"{study} needs what is missing here: {', '.join(needed)}")
    else:
        for_whom = f"{study} has all it needs" if study else "ready"
        without = f"; not there: {', '.join(missing)}" if missing else ""
        lines.append(f"{for_whom}{without}")
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def _as_json(findings: "list[Finding]") -> bytes:
    from equipoise.records.codec import pretty

    return pretty(
        [
            {
                "name": finding.name,
                "state": finding.state,
                "found": finding.found,
                "costs": finding.costs,
                "mend": finding.mend,
                "is_needed": finding.is_needed,
            }
            for finding in findings
        ]
    )
