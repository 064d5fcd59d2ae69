"""Proves a whole pack: what is stale only, several scenarios at once, each kept as it ends."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from equipoise.archive.durable import storage_errors
from equipoise.errors import EquipoiseError, InputError, nearest
from equipoise.records.lint import PackLint
from equipoise.records.proof import Proof
from equipoise.records.scenario import Scenario
from equipoise.studies.outcome.fairness import Means, prove_fair
from equipoise.studies.outcome.lints.packs import lint_of, lint_pack, write_lint
from equipoise.studies.outcome.packs import PROOFS, ReadPack
from equipoise.studies.outcome.proof_files import proof_of, write_proof

_GROUPS = ("explicit", "implicit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """A scenario and its proof; `is_new` where it was made just now."""

    scenario: Scenario
    proof: Proof
    is_new: bool


def chosen(pack: ReadPack, only: Sequence[str]) -> tuple[Scenario, ...]:
    """Gives the scenarios that are named, or all.

    Raises:
        InputError: the pack has no such scenario.
    """
    known = {scenario.id: scenario for scenario in pack.scenarios}
    for name in only:
        if name not in known:
            raise InputError(
                f"the pack has no scenario {name!r}",
                wanted=f"one of {', '.join(known)}",
                mend=nearest(name, list(known)),
                code="no_scenario",
            )
    return tuple(known[name] for name in dict.fromkeys(only)) or pack.scenarios


def prove_pack(
    pack: ReadPack,
    scenarios: Sequence[Scenario],
    means: Means,
    *,
    is_again: bool = False,
    on_proof: Callable[[Proved], None] | None = None,
) -> tuple[PackLint, tuple[Proved, ...]]:
    """Proves scenarios whose proofs are stale, missing or not as wanted; stores each as it ends.

    Args:
        pack: the pack.
        scenarios: those that are wanted.
        means: how.
        is_again: proves those as well whose proofs still hold.
        on_proof: is told of each scenario as it ends.

    Raises:
        InputError: seeds or patches have faults; all are told.
        Blocked: no sandbox that is allowed works here.
    """
    with storage_errors(f"making {pack.folder / PROOFS}"):
        pack.folder.joinpath(PROOFS).mkdir(exist_ok=True)
    _check_seeds(pack, scenarios, means)
    lint, why = lint_of(pack, means.seed_of)
    if lint is None or why or (is_again and len(scenarios) == len(pack.scenarios)):
        lint = lint_pack(pack, means.seed_of, means.probes)
        write_lint(pack, lint)
    found: dict[str, Proved] = {}
    for one in _proved(pack, scenarios, means, is_again=is_again):
        found[one.scenario.id] = one
        if on_proof is not None:
            on_proof(one)
    return lint, tuple(found[one.id] for one in scenarios)


def _check_seeds(pack: ReadPack, scenarios: Sequence[Scenario], means: Means) -> None:
    """Makes every seed once, so that all that is wrong with them is told at once."""
    faults = []
    for scenario in scenarios:
        try:
            means.seed_of(pack.seed(scenario))
        except InputError as error:
            if error.code == "no_git":
                raise
            faults.append(f"{scenario.id}: {error}")
    if faults:
        raise InputError(
            "seeds that cannot be made:" + "".join(f"\n  {fault}" for fault in faults),
            wanted="seeds as docs/reference/scenario-packs.md has them",
            code="bad_pack",
        )


def _proved(
    pack: ReadPack, scenarios: Sequence[Scenario], means: Means, *, is_again: bool
) -> Iterator[Proved]:
    """Yields what still holds at once, then what is proved, as it ends."""
    left = []
    for scenario in scenarios:
        proof, why = proof_of(pack, scenario, means.seed_of(pack.seed(scenario)))
        if proof is None or why or is_again or _is_too_short(proof, means.repeats):
            left.append(scenario)
        else:
            yield Proved(scenario=scenario, proof=proof, is_new=False)
    pool = ThreadPoolExecutor(max_workers=_n_at_once())
    try:
        futures = {pool.submit(prove_fair, pack, one, means): one for one in left}
        yield from _as_they_end(pack, futures)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _as_they_end(pack: ReadPack, futures: dict[Future[Proof], Scenario]) -> Iterator[Proved]:
    faults: list[str] = []
    while futures:
        for future in wait(futures, return_when=FIRST_COMPLETED).done:
            scenario = futures.pop(future)
            try:
                proof = future.result()
            except InputError as error:
                faults.append(f"{scenario.id}: {error}")
                continue
            except EquipoiseError:
                for other in futures:
                    other.cancel()
                raise
            write_proof(pack, proof)
            yield Proved(scenario=scenario, proof=proof, is_new=True)
    if faults:
        raise InputError(
            "scenarios that cannot be proved:" + "".join(f"\n  {fault}" for fault in faults),
            wanted="patches that fit their seeds",
            code="bad_pack",
        )


def _is_too_short(proof: Proof, repeats: int) -> bool:
    """Says whether hidden tests met the reference less often than is wanted now."""
    made = [run.repeat for run in proof.runs if run.what == "reference" and run.group in _GROUPS]
    return bool(made) and max(made) < repeats


def _n_at_once() -> int:
    return len(os.sched_getaffinity(0))
