"""The verb `compare`: a baseline against one arm or more, from archives or from runs files."""

from pathlib import Path
from typing import Any

import click

_RULES = ["seed", "bonferroni", "maxt", "holm", "bh"]


@click.command("compare")
@click.argument("sources", nargs=-1, required=True, metavar="BASE [NEW]...")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="folder for the result")
@click.option("--baseline", help="which arm is the baseline, where one source holds several")
@click.option("--arm", "arms", multiple=True, help="compare only this arm (repeatable)")
@click.option("--base", help="loss study: arm, run or path to an archive that is the baseline")
@click.option("--new", help="loss study: arm or run that is compared")
@click.option("--catalog", metavar="VERSION", help="loss study: catalog version to compare under")
@click.option("--map", "mapping", type=click.Path(path_type=Path), help="mapping of runs files")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="one mapping entry")
@click.option("--unit", help="column that names the unit (short for --set unit=...)")
@click.option("--cluster", help="column that names what units share (--set cluster=...)")
@click.option(
    "--no-cluster", is_flag=True, help="take units for independent even if clusters exist"
)
@click.option("--criterion", help="which graded criterion decides")
@click.option(
    "--partition", multiple=True, help="label whose values are compared apart; a*b crosses two"
)
@click.option("--where", multiple=True, metavar="LABEL=VALUE", help="only units with this label")
@click.option("--pair/--unpair", default=None, help="force or forbid pairing by unit id")
@click.option(
    "--margin", type=float, help="smallest change that counts (default 0; rule seed 0.05)"
)
@click.option("--equivalence", type=float, help="half-width of the equivalence band (default 0.05)")
@click.option("--rule", type=click.Choice(_RULES), help="multiplicity rule (default maxt)")
@click.option("--level", type=float, help="confidence level (default 0.95)")
@click.option("--max-missing", type=float, help="largest share without outcome (default 0.10)")
@click.option("--family-size", type=int, help="number of planned comparison cells")
@click.option(
    "--mixed-versions",
    is_flag=True,
    help="compare arms graded under different versions of the harness all the same",
)
@click.option("--strict", is_flag=True, help="exit 4 when nobody can tell")
@click.option("--json", "as_json", is_flag=True, help="print report.json")
def command(**options: Any) -> None:
    """Compare a baseline with one arm or more and say better, worse, equivalent or cannot tell.

    With the folder of a loss study, or two archives of its runs, the plan's own rule decides:
    suites, TOP-REGRESSIONS.md, IMPROVEMENTS.md and LOSS-HISTORY.md are written.

    Of an outcome study hypotheses are answered, and outcome-results.jsonl and outcome.json written;
    the exit code is that of its own headline.

    Else BASE and NEW are archives (see `import`) or files of runs; `PATH::ARM` picks one arm of a
    source that holds several. With one source, --baseline names the arm the others are compared
    with.

    Exit codes: 0 nothing became worse; 1 an arm is worse, as a whole or in a listed cell; 2 wrong
    use or unreadable runs; 3 the disk is full; 4 nobody can tell (with --strict); 5 the runs are
    unusable.
    """
    from equipoise.cli.kinds import is_rating

    sources = options["sources"]
    if len(sources) == 1 and is_rating(Path(sources[0])):
        from equipoise.cli.rating_comparing import run_rating_compare

        raise SystemExit(run_rating_compare(Path(sources[0]), options))
    if _asks_for_loss(options):
        from equipoise.cli.loss_comparing import run_loss_compare

        raise SystemExit(run_loss_compare(options))
    from equipoise.cli.asked import Asked
    from equipoise.cli.comparing import run_compare

    raise SystemExit(run_compare(Asked.from_options(options)))


def _asks_for_loss(options: dict[str, Any]) -> bool:
    from equipoise.cli.loss_sources import is_loss

    is_asked = is_loss(options["sources"])
    if not is_asked and (foreign := [n for n in ("base", "new", "catalog") if options[n]]):
        from equipoise.errors import InputError

        raise InputError(
            f"--{foreign[0]} with sources that are no loss study",
            wanted="the folder of a loss study, or two archives of its runs",
            mend="for other runs name the sides with --baseline and --arm",
            code="no_study",
        )
    return is_asked
