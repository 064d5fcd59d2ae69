"""Looks at a pack as a whole: where its seeds come from, and what each of them is like."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from equipoise import __version__
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.errors import InputError
from equipoise.ports.probes import Probes
from equipoise.records.codec import decode, pretty
from equipoise.records.counted import counted
from equipoise.records.lint import PackLint
from equipoise.records.proof import Proof
from equipoise.studies.outcome.lints.seeds import lint_seed
from equipoise.studies.outcome.pack_faults import REPOSITORY
from equipoise.studies.outcome.packs import PROOFS, MakeSeed, ReadPack

RULES = "4"
"""The rules by which seeds are looked at: what was found by others is stale."""
LINT = "pack.json"
"""The file beside the proofs that has what was found of the seeds."""

_MOST_NOTICES = 2
"""So many warnings about seeds stand in a report one by one; of more, how many."""


def lint_pack(pack: ReadPack, seed_of: MakeSeed, probes: Probes) -> PackLint:
    """Looks at every seed that a scenario of the pack starts from.

    Raises:
        InputError: a seed cannot be made.
        Blocked: no sandbox works here, so that the own suites cannot be run.
    """
    return PackLint(
        rules=RULES,
        seeds={name: lint_seed(name, seed_of(spec), probes) for name, spec in _seeds(pack).items()},
        tool_version=__version__,
    )


def write_lint(pack: ReadPack, lint: PackLint) -> Path:
    """Writes what was found beside the proofs, whole or not at all."""
    path = pack.folder / PROOFS / LINT
    with storage_errors(f"writing {LINT}"):
        path.parent.mkdir(exist_ok=True)
    replace_file(path, pretty(lint))
    return path


def lint_of(pack: ReadPack, seed_of: MakeSeed) -> tuple[PackLint | None, str]:
    """Gives what was stored of a pack's seeds, and why no scenario may be run ("" = they may).

    Raises:
        InputError: a seed cannot be made.
    """
    mend = f"mend: equipoise prove {pack.folder}"
    try:
        lint = stored_lint(pack)
    except InputError as error:
        return None, f"what was found of the seeds cannot be read: {error.found}; {mend}"
    if lint is None:
        return None, f"the seeds of the pack were never looked at; {mend}"
    if lint.rules != RULES:
        return lint, f"the seeds were looked at by rules of another version; {mend}"
    for name, spec in _seeds(pack).items():
        if name not in lint.seeds or lint.seeds[name].sha256 != seed_of(spec).sha256:
            return lint, f"what was found of seed {name} is stale: the seed changed; {mend}"
    faults = lint.faults
    return lint, f"the pack is not sound: {'; '.join(faults)}" if faults else ""


def remarks(pack: ReadPack, scenarios: Iterable[str], lint: PackLint | None) -> Iterator[str]:
    """Yields what a report on results of these scenarios has to say of the pack.

    Args:
        pack: the pack, with its stored proofs.
        scenarios: the ids of those that results are of.
        lint: what was found of its seeds; null = nothing is stored.
    """
    if lint is None:
        yield "Nobody looked at the seeds of the pack."
        return
    told = lint.told
    for notice in told if len(told) <= _MOST_NOTICES else ():
        yield f"Pack: {notice.where}: {notice.message}."
    if len(told) > _MOST_NOTICES:
        where = ", ".join(dict.fromkeys(notice.where for notice in told))
        yield f"Pack: {len(told)} warnings about {where}: see `equipoise prove`."
    survivors, warned = 0, 0
    for name in scenarios:
        path = pack.folder / PROOFS / f"{name}.json"
        if path.is_file():
            proof = decode(path.read_bytes(), Proof, where=f"{PROOFS}/{path.name}")
            warned += bool(proof.notices)
            survivors += len(proof.mutation.survivors) if proof.mutation is not None else 0
    if warned:
        yield f"Pack: {counted(warned, 'scenario')} proved with warnings: see `equipoise prove`."
    if survivors:
        yield (
            f"Pack: {counted(survivors, 'reference')} spoilt on purpose passed all hidden tests: "
            "see `equipoise prove`."
        )


def stored_lint(pack: ReadPack) -> PackLint | None:
    """Gives what was stored of a pack's seeds; null where nothing is.

    Raises:
        InputError: the file is no such record.
    """
    path = pack.folder / PROOFS / LINT
    if not path.is_file():
        return None
    return decode(path.read_bytes(), PackLint, where=f"{PROOFS}/{LINT}")


def _seeds(pack: ReadPack) -> dict[str, dict[str, object]]:
    """Gives the specification of each seed that scenarios start from, by name, without bugs."""
    found = {}
    for scenario in pack.scenarios:
        name = scenario.id if scenario.seed == REPOSITORY else scenario.seed
        found[name] = pack.seed(scenario, is_clean=True)
    return dict(sorted(found.items()))
