"""``equipoise plan``: checks a study and writes what it promises."""

from pathlib import Path

import click

from equipoise.cli.screen import write, write_json
from equipoise.errors import as_word


@click.command("plan")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the outlook as JSON.")
def command(study: Path, *, as_json: bool) -> None:
    """Check the study in the folder STUDY and write its plan.

    Reads study.yaml and the files it names, and writes plan.json and E2E-PLAN.md. Nothing is
    executed. The same files give the same bytes. Prints for each partition and cell what it can
    tell, what that takes, and every reason why the study could not decide.

    Of an outcome study it prints its scenarios, in what its arms differ, its hypotheses with what
    they can find at all, and what it takes.

    Of a rating study the sets are made: who is asked about what, how well pairs and places are
    balanced, and what the answers will be able to tell, in RATING-PLAN.md.

    Exit codes: 0 the plan stands; 2 the study has faults, each with its line and the mend; 3
    something the study needs is missing, or the study is sealed with another plan.
    """
    from equipoise.cli.clock import now
    from equipoise.cli.kinds import is_rating

    if is_rating(study):
        from equipoise.cli.rating_planning import run_plan

        run_plan(study, as_json=as_json)
        return
    from equipoise.cli.outcome_plan_told import told_outcome
    from equipoise.cli.outcome_planning import compile_outcome, lacking
    from equipoise.cli.plan_told import told
    from equipoise.records.codec import pretty
    from equipoise.studies.loss.planning import plan_study, write_plan
    from equipoise.wiring import adapters

    compile_outcome(study)
    planned = plan_study(study, today=now().date(), adapters=adapters())
    write_plan(study, planned)
    if as_json:
        write_json(pretty(planned.outlook).decode())
    else:
        write(told_outcome(planned.plan, planned.outlook.judges) or told(planned.outlook))
        write(lacking(study, planned.plan.arms))
        click.echo(f"next: read {study / 'E2E-PLAN.md'}, then equipoise seal {as_word(study)}")
