"""``equipoise plan``: checks a study and writes what it promises."""

from pathlib import Path

import click


@click.command("plan")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the outlook as JSON.")
def command(study: Path, *, as_json: bool) -> None:
    """Check the study in the folder STUDY and write its plan.

    Reads study.yaml and the files it names, and writes plan.json. Nothing is executed. The same
    files give the same bytes.

    Exit codes: 0 the plan stands; 2 the study has faults, each with its line and the mend; 3
    something the study needs is missing, or the study is sealed with another plan.
    """
    from equipoise.cli.clock import now
    from equipoise.studies.loss.planning import plan_study, write_plan

    planned = plan_study(study, today=now().date())
    write_plan(study, planned)
    del as_json
    click.echo(f"plan {planned.sha256}")
