"""``equipoise prove``: shows that the scenarios of a pack are fair, before anybody is judged."""

from pathlib import Path

import click

from equipoise.cli.screen import write, write_json


@click.command("prove")
@click.argument("pack", type=click.Path(path_type=Path))
@click.option("--scenario", "only", multiple=True, help="Only this scenario; may be repeated.")
@click.option("--again", is_flag=True, help="Prove those as well whose proofs still hold.")
@click.option("--lint", "lint_only", is_flag=True, help="Only look: run and store nothing.")
@click.option(
    "--repeats",
    type=click.IntRange(1, 20),
    default=2,
    show_default=True,
    help="How often the reference is run, to find flaky tests: each time in another order, time "
    "zone and hash seed.",
)
@click.option(
    "--mutants",
    type=click.IntRange(0, 1000),
    default=12,
    show_default=True,
    help="How many spoilt references of a scenario its hidden tests have to notice.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the proofs as JSON.")
def command(
    pack: Path,
    *,
    only: tuple[str, ...],
    again: bool,
    lint_only: bool,
    repeats: int,
    mutants: int,
    as_json: bool,
) -> None:
    """Prove the scenarios of the pack in the folder PACK and store the proofs.

    Each hidden test has to fail on the seed and to pass with the reference solution; the seed's own
    suite has to stay green with the bug in it; near misses have to fail. Seeds, tests and
    repositories are looked at too. What still holds is not proved again; an interrupt keeps what
    was proved. No model is asked.

    Exit codes: 0 all are proved; 1 a scenario is not, and why; 2 the pack has faults; 3 no sandbox
    works here; 130 interrupted.
    """
    from equipoise.cli.clock import exact_now
    from equipoise.cli.prove_told import is_refused, json_of, lint_lines, progress, table
    from equipoise.studies.outcome.fairness import Means, looked_at
    from equipoise.studies.outcome.lints.packs import lint_of
    from equipoise.studies.outcome.packs import read_pack
    from equipoise.studies.outcome.proof_files import proof_of
    from equipoise.studies.outcome.proving_all import chosen, prove_pack
    from equipoise.studies.outcome.stopping import pack_lacks
    from equipoise.wiring.packs import seeds_of
    from equipoise.wiring.probes import SeedProbes
    from equipoise.wiring.suites import suites

    read = read_pack(pack)
    scenarios = chosen(read, only)
    probes = SeedProbes()
    if lint_only:
        with seeds_of(pack) as seed_of:
            seen = {one.id: looked_at(read, one, seed_of, probes) for one in scenarios}
            whys = [lint_of(read, seed_of)[1]]
            whys += [proof_of(read, one, seed_of(read.seed(one)))[1] for one in scenarios]
        write(lint_lines(seen, [why for why in whys if why]))
        raise SystemExit(int(is_refused(seen)))
    with (
        seeds_of(pack) as seed_of,
        suites(exact_now)(pack) as run,
        progress(len(scenarios)) as shown,
    ):
        means = Means(
            suites=run,
            seed_of=seed_of,
            probes=probes,
            repeats=repeats,
            most_mutants=mutants,
            on_step=shown.done,
        )
        lint, proved = prove_pack(read, scenarios, means, is_again=again, on_proof=shown.proved)
    if as_json:
        write_json(json_of(lint, proved))
    else:
        write(table(lint, proved))
        write("".join(f"note: {lack}\n" for lack in (() if only else pack_lacks(read))))
    if lint.faults or any(not one.proof.is_proved for one in proved):
        raise SystemExit(1)
