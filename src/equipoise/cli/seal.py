"""``equipoise seal``: freezes a plan, so that runs may begin."""

from pathlib import Path

import click


@click.command("seal")
@click.argument("study", type=click.Path(path_type=Path))
def command(study: Path) -> None:
    """Seal the plan of the study in the folder STUDY.

    Writes seal.json: the plan's hash, the time, and how strongly that is borne out.

    Exit codes: 0 sealed; 2 the study has faults; 3 there is no plan, or it is not what study.yaml
    gives.
    """
    from equipoise.cli.clock import now
    from equipoise.studies.loss.sealing import seal_study

    seal = seal_study(study, now=now())
    click.echo(f"sealed {seal.plan_sha256} ({seal.label.value}) at {seal.sealed_at}")
