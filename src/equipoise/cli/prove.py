"""``equipoise prove``: shows that the scenarios of a pack are fair, before anybody is judged."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from equipoise.cli.screen import write, write_json

if TYPE_CHECKING:
    from equipoise.records.proof import Proof, ProofRun


@click.command("prove")
@click.argument("pack", type=click.Path(path_type=Path))
@click.option("--scenario", "only", multiple=True, help="Only this scenario; may be repeated.")
@click.option(
    "--repeats",
    type=click.IntRange(1, 20),
    default=2,
    show_default=True,
    help="How often the reference is run, to find flaky tests.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the proofs as JSON.")
def command(pack: Path, *, only: tuple[str, ...], repeats: int, as_json: bool) -> None:
    """Prove the scenarios of the pack in the folder PACK and store the proofs.

    Each hidden test has to fail on the seed and to pass with the reference solution; the seed's own
    suite has to stay green with the bug in it; near misses have to fail. No model is asked.

    Exit codes: 0 all are proved; 1 a scenario is not, and why; 2 the pack has faults; 3 no sandbox
    works here.
    """
    from equipoise.cli.clock import exact_now
    from equipoise.errors import InputError, nearest
    from equipoise.records.codec import pretty
    from equipoise.studies.outcome.packs import read_pack
    from equipoise.studies.outcome.proving import prove, write_proof
    from equipoise.wiring.packs import seeds_of
    from equipoise.wiring.suites import suites

    read = read_pack(pack)
    known = {scenario.id: scenario for scenario in read.scenarios}
    for name in only:
        if name not in known:
            raise InputError(
                f"the pack has no scenario {name!r}",
                wanted=f"one of {', '.join(known)}",
                mend=nearest(name, list(known)),
                code="no_scenario",
            )
    proofs: list[Proof] = []
    with seeds_of(pack) as seed_of, suites(exact_now)(pack) as run:
        for scenario in read.scenarios:
            if only and scenario.id not in only:
                continue
            proof = prove(
                read,
                scenario,
                run,
                seed_of,
                repeats=repeats,
                on_run=None if as_json else _tell,
            )
            write_proof(read, proof)
            proofs.append(proof)
            if not as_json:
                write(_verdict(proof))
    if as_json:
        write_json(pretty(proofs).decode())
    if any(not proof.is_proved for proof in proofs):
        raise SystemExit(1)


def _tell(run: "ProofRun") -> None:
    mark = "no" if run.faults or run.missing else "ok"
    n_passed = sum(outcome == "passed" for outcome in run.tests.values())
    counted = f"{n_passed} of {len(run.tests)} pass" if run.status else "not run"
    click.echo(
        f"  {mark}  {run.what:12} {run.group:10} {counted:14} ({run.wanted.value})", err=True
    )


def _verdict(proof: "Proof") -> str:
    if proof.is_proved:
        return f"{proof.scenario}: proved by {len(proof.runs)} runs\n"
    return f"{proof.scenario}: not proved\n" + "".join(f"  {one}\n" for one in proof.faults)
