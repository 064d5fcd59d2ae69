"""``equipoise annotate status``: progress, checks, times and agreement; no arm is named."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.kinds import refuse_unrated
from equipoise.cli.screen import write, write_json

if TYPE_CHECKING:
    from equipoise.annotate.agreeing import Agreed, AxisAgreement
    from equipoise.annotate.dashboard import Overview, Person


@click.command("status")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--database",
    default="",
    help="Answers are in PostgreSQL: postgresql://USER@HOST/DATABASE, or env:NAME of a variable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(study: Path, *, database: str, as_json: bool) -> None:
    """Show how far the campaign of the study in the folder STUDY is.

    For each person sets done, checks, times; for each axis how often people agree, beyond chance,
    with an interval and the number of sets that two or more of them judged. The key is not read:
    no arm is named.

    Exit codes: 0 shown; 2 a file cannot be read; 3 there is no campaign.
    """
    refuse_unrated(study)
    from equipoise.annotate.answers import answers_file, open_store
    from equipoise.annotate.campaign import read_campaign
    from equipoise.annotate.dashboard import overview
    from equipoise.annotate.store import check_belong
    from equipoise.wiring.annotating import answers_database

    campaign = read_campaign(study)
    answers, secret = [], b""
    kept_elsewhere = answers_database(database)
    if kept_elsewhere is not None or answers_file(study).is_file():
        store = open_store(study, kept_elsewhere)
        try:
            answers, secret = store.all(), store.secret
        finally:
            store.close()
    check_belong(answers, campaign.packets)
    found = overview(campaign, answers, secret)
    n_simulated = sum(one.is_simulated for one in answers)
    if as_json:
        write_json(_as_json(found, n_simulated))
    else:
        write("".join(f"{line}\n" for line in _told(found, n_simulated)))


def _told(found: "Overview", n_simulated: int) -> Iterator[str]:
    yield f"{found.n_done:,} of {found.n_all:,} sets done"
    if n_simulated:
        yield f"simulated: {n_simulated:,} answers were given by a program, not by people"
    for person in found.people:
        yield f"  {_person(person, found)}"
    for axis in found.axes:
        yield from _axis(axis)


def _person(person: "Person", found: "Overview") -> str:
    parts = [f"{person.name}: {person.n_done:,} of {person.n_all:,}"]
    if person.n_skipped:
        parts.append(f"{person.n_skipped:,} skipped")
    for kind, check in person.checks.items():
        if check.n:
            wrong = f", {check.n_wrong_tries} wrong tries" if check.n_wrong_tries else ""
            parts.append(f"{kind} {check.n_right} of {check.n} right{wrong}")
    if found.need:
        parts.append("checks passed" if person.is_passed else "checks not passed so far")
    if person.median_s is not None:
        parts.append(f"median {person.median_s:.0f} s")
    if person.n_fast:
        parts.append(f"{person.n_fast:,} too fast to have been read")
    return "; ".join(parts)


def _axis(axis: "AxisAgreement") -> Iterator[str]:
    yield f"{axis.axis}: {axis.n_sets:,} sets judged, {axis.n_overlapping:,} by two or more"
    if axis.mode != "kappa":
        yield f"  no-kappa mode: {axis.label}"
        return
    yield f"  {'better' if axis.is_paired else 'best'}: {_agreed(axis.best)}"
    if not axis.is_paired:
        yield f"  worst: {_agreed(axis.worst)}"


def _agreed(found: "Agreed") -> str:
    if found.raw is None or found.chance is None or found.beyond is None:
        return f"no agreement: {found.why}"
    interval = found.interval
    limits = f"{interval.low:.2f} to {interval.high:.2f}" if interval else f"none: {found.why}"
    return (
        f"raw {found.raw:.2f}, chance {found.chance:.2f}, beyond chance {found.beyond:.2f} "
        f"(interval {limits})"
    )


def _as_json(found: "Overview", n_simulated: int) -> str:
    from dataclasses import asdict

    from equipoise.records.codec import pretty

    told = asdict(found)
    for person in told["people"]:
        del person["code_passed"], person["code_failed"]
    return pretty(told | {"n_simulated": n_simulated}).decode()
