"""``equipoise amend``: a dated, reasoned change to a sealed study."""

import getpass
from pathlib import Path

import click


@click.command("amend")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--reason", required=True, help="Why, in a sentence; it stands in every report.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="One key changed.")
@click.option("--by", help="Who amends; default the login name.")
@click.option("--hidden-tests", is_flag=True, help="Take over mended hidden tests of the pack.")
def command(
    study: Path, *, reason: str, settings: tuple[str, ...], by: str | None, hidden_tests: bool
) -> None:
    """Amend the sealed study in the folder STUDY.

    Appends to amendments.jsonl, whose lines are chained to the plan's hash: what was sealed stays
    as it is, and every report shows the change with its date and reason. Without --set it is a
    remark. Keys: mde, rule, paired, double_rating, title, question, max_usd, max_minutes,
    cell_timeout_s, max_attempts, concurrency. Of a rating study: threshold.AXIS, the threshold that
    was locked.

    With --hidden-tests, of an outcome study: the hidden tests of its pack, mended and proved after
    sealing, take the place of the sealed ones, and a catalog of the next version is written to
    score every arm by them. Scores by the old tests are stale.

    Exit codes: 0 amended; 1 the study was changed after sealing; 2 a key or value cannot be
    amended so; 3 the study is not sealed.
    """
    from equipoise.cli.asked import pairs
    from equipoise.cli.clock import now
    from equipoise.cli.kinds import is_rating
    from equipoise.studies.loss.amending import amend_study
    from equipoise.studies.rating.amending import amend_rating

    if hidden_tests:
        from equipoise.cli.outcome_renewing import renew_told

        renew_told(study, reason=reason, by=by or _login(), has_settings=bool(settings))
        return
    amend = amend_rating if is_rating(study) else amend_study
    amendments = amend(
        study,
        reason=reason,
        by=by or _login(),
        now=now(),
        settings=pairs(settings, "--set"),
    )
    for one in amendments:
        change = f"{one.field}: {one.was} -> {one.now}" if one.field else "a remark"
        click.echo(f"amended {one.at} by {one.by}: {change}")


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
