"""``equipoise seal``: freezes a plan, so that runs may begin or people be asked."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.errors import as_word

if TYPE_CHECKING:
    from equipoise.pipeline.sealing import Proofs
    from equipoise.records.event import Seal


@click.command("seal")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--sign", "key", type=click.Path(path_type=Path), help="An ssh key to sign the plan with."
)
@click.option(
    "--tsa-query",
    "query",
    type=click.Path(path_type=Path),
    help="Write the question for a time-stamping authority (RFC 3161) and seal nothing yet.",
)
@click.option("--token", type=click.Path(path_type=Path), help="The authority's answer.")
@click.option(
    "--ca", type=click.Path(path_type=Path), help="Certificates (PEM) the authority is trusted by."
)
def command(
    study: Path, *, key: Path | None, query: Path | None, token: Path | None, ca: Path | None
) -> None:
    """Seal the plan of the study in the folder STUDY.

    Writes seal.json: the plan's hash, the time, and how strongly that is borne out: self-declared;
    signed by an ssh key; witnessed by the dated token of somebody else, checked here and offline.
    Sealing the same plan again adds a proof and keeps the time. Nothing is sent anywhere.

    Exit codes: 0 sealed, or the query is written; 2 the study has faults, or a proof does not hold;
    3 there is no plan, it is not what study.yaml gives, or another one is sealed.
    """
    from equipoise.cli.kinds import is_rating
    from equipoise.pipeline.sealing import Proofs
    from equipoise.pipeline.witnessing import query as write_query

    if query is not None:
        write_query(_planned(study), query)
        click.echo(f"query {query}; send it to an authority, such as")
        click.echo(
            "  curl -H 'Content-Type: application/timestamp-query' --data-binary "
            f"@{query} -o answer.tsr ADDRESS"
        )
        click.echo(f"next: equipoise seal {as_word(study)} --token answer.tsr --ca root.pem")
        return
    seal = _sealed(study, Proofs(key=key, token=token, ca=ca))
    click.echo(f"sealed {seal.plan_sha256} at {seal.sealed_at}: {seal.label.value}")
    if seal.signer:
        click.echo(f"  signed by {seal.signer}")
    if seal.witnessed_at:
        click.echo(f"  witnessed at {seal.witnessed_at}")
    if seal.commit:
        click.echo(f"  plan.json is in commit {seal.commit}")
    _register(study, seal)
    click.echo(f"next: equipoise {_next(study) if is_rating(study) else 'run'} {study}")


def _register(study: Path, seal: "Seal") -> None:
    from equipoise.cli.outcome_planning import register

    done = register(study, seal)
    if done is not None:
        n, doubts = done
        click.echo(
            f"  {n} {'hypothesis' if n == 1 else 'hypotheses'} registered in hypotheses.json"
            if n
            else "  no hypotheses registered: the study is exploratory and decides nothing"
        )
        for doubt in doubts:
            click.echo(f"  ! {doubt}")


def _next(study: Path) -> str:
    """Gives what comes after the seal of a rating study: people are asked, or judges alone."""
    from equipoise.studies.rating.sealing import sealed_rating

    plan, _, _ = sealed_rating(study)
    return "annotate make" if plan.annotators else "grade"


def _planned(study: Path) -> bytes:
    from equipoise.cli.clock import now
    from equipoise.cli.kinds import is_rating

    if is_rating(study):
        from equipoise.studies.rating.sealing import planned_rating_content

        return planned_rating_content(study)
    from equipoise.cli.outcome_planning import compile_outcome
    from equipoise.studies.loss.sealing import planned_content

    compile_outcome(study)
    return planned_content(study, now=now())


def _sealed(study: Path, proofs: "Proofs") -> "Seal":
    from equipoise.cli.clock import now
    from equipoise.cli.kinds import is_rating

    if is_rating(study):
        from equipoise.studies.rating.sealing import seal_rating

        return seal_rating(study, now=now(), proofs=proofs)
    from equipoise.cli.outcome_planning import compile_outcome
    from equipoise.studies.loss.sealing import seal_study

    compile_outcome(study)
    return seal_study(study, now=now(), proofs=proofs)
