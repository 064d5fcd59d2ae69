"""Derives what an outcome comparison says beside its rule, from the archives and the pack."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise import __version__
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.errors import InputError
from equipoise.records.codec import decode, digest, encode, pretty
from equipoise.records.counted import counted
from equipoise.records.event import Amendment
from equipoise.records.hypothesis import Hypothesis
from equipoise.records.outcome import RESULTS, OutcomeResult
from equipoise.records.outcome_plan import Control, OutcomePlan
from equipoise.records.outcome_report import OUTCOME, OutcomeFile, OutcomeVerdict, Standing
from equipoise.records.plan import Plan
from equipoise.records.proof import Proof
from equipoise.stages.decide.outcome import decided, waits, withheld
from equipoise.stages.estimate.outcome.arms import arm_of
from equipoise.stages.estimate.outcome.cases import cases_of
from equipoise.stages.estimate.outcome.hypotheses import verdicts_of
from equipoise.stages.estimate.outcome.items import alarms_of, as_proved, items_of
from equipoise.stages.estimate.outcome.scenarios import MAIN, value_of
from equipoise.stages.report.outcome.junit import to_outcome_junit
from equipoise.stages.report.outcome.page import to_outcome_page
from equipoise.stages.report.outcome.reading import Moved, OutcomeReading
from equipoise.studies.loss.comparing import Compared
from equipoise.studies.loss.pairing import Pair
from equipoise.studies.loss.scoring import ARCHIVES, LossRun, open_run, runs_of
from equipoise.studies.outcome.lints.packs import remarks, stored_lint
from equipoise.studies.outcome.packs import PROOFS, ReadPack
from equipoise.studies.outcome.queueing import LookedAt, looked_at
from equipoise.studies.outcome.results import results_of

PAGE, JUNIT = "report/index.html", "report/junit.xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an outcome comparison says, and the bytes of its files by name."""

    file: OutcomeFile
    files: dict[str, bytes]
    moved: tuple[Moved, ...] = ()


def tell(
    pair: Pair,
    compared: Compared,
    pack: ReadPack,
    stored: OutcomeFile | None = None,
    made_by: str = __version__,
) -> Told:
    """Derives `outcome-results.jsonl`, `outcome.json`, the page and `junit.xml`.

    Args:
        pair: the two runs that are compared.
        compared: what their rule says.
        pack: the study's scenarios, with the stored proofs.
        stored: the file as it was written: the same other runs are looked at again; null = the last
            run of each other arm.
        made_by: the version that the file names as its maker.

    Raises:
        InputError: a run was not graded under the catalog, or is gone.
        Tampered: an archive was altered.
    """
    results = {run.run_id: results_of(run, pair.version) for run in _runs(pair, stored)}
    every = [one for kept in results.values() for one in kept]
    new, base = pair.new.facts.arm, pair.base.facts.arm
    plan, proofs = pair.new.plan, proof_hashes(pack, _scenarios(every))
    was = stored.proofs if stored else {}
    remade = frozenset(name for name, sha256 in was.items() if proofs.get(name) != sha256)
    items = as_proved(items_of(every, _proofs(pack), (new, base)), stored, remade)
    summaries = tuple(arm_of(kept, _skills(plan, kept[0].arm)) for kept in results.values())
    queue = looked_at(every, items, pair, pack, stored)
    waiting = list(_waiting(plan, queue, (new, base)))
    by_arm = {kept[0].arm: kept for kept in results.values()}
    hypotheses = verdicts_of(_hypotheses(plan), by_arm, queue.barred)
    hypotheses = withheld(hypotheses, compared.comparison, waiting)
    file = OutcomeFile(
        new_arm=new,
        base_arm=base,
        runs=tuple(results),
        catalog_version=pair.version,
        control=_control(plan, {new, base}),
        arms=summaries,
        items=items,
        alarms=alarms_of(items),
        verdict=decided(compared.comparison, summaries, hypotheses, waiting),
        hypotheses=hypotheses,
        notes=stored.notes
        if stored and remade
        else (
            *_doubts(plan),
            *_amended(pair.new.amendments),
            *_remarks(pack, _scenarios(every)),
        ),
        origin=pack.pack.origin,
        waiting=queue.waiting,
        labels=queue.labels,
        n_labels=queue.n_labels,
        stale=queue.stale,
        hidden_now=queue.hidden_now,
        proofs=stored.proofs if stored else proofs,
        derived_by=made_by,
    )
    page = _page(pair, compared, file, results, queue.barred_for((new, base)))
    return Told(file=file, files=_files(page), moved=page.moved)


def _page(
    pair: Pair,
    compared: Compared,
    file: OutcomeFile,
    results: Mapping[str, tuple[OutcomeResult, ...]],
    barred: Mapping[str, str],
) -> OutcomeReading:
    new, base = results[pair.new.run_id], results[pair.base.run_id]
    return OutcomeReading(
        file=file,
        plan=pair.new.plan,
        comparison=compared.comparison,
        results=tuple(one for kept in results.values() for one in kept),
        origin=file.origin,
        cases=cases_of(new, base, barred),
        moved=tuple(_moved(new, base)),
    )


def _moved(new: Sequence[OutcomeResult], base: Sequence[OutcomeResult]) -> Iterator[Moved]:
    for name in dict.fromkeys(one.scenario for one in (*new, *base)):
        own = [[one for one in kept if one.scenario == name] for kept in (new, base)]
        means = []
        for kept in own:
            known = [value for one in kept if (value := value_of(one, MAIN)) is not None]
            means.append(sum(known) / len(known) if known else None)
        is_soft = any(one.tag == "soft" for kept in own for one in kept)
        yield Moved(name, means[0], means[1], "soft" if is_soft else "measured")


def _files(reading: OutcomeReading) -> dict[str, bytes]:
    return {
        RESULTS: b"".join(encode(one) + b"\n" for one in reading.results),
        OUTCOME: pretty(reading.file),
        PAGE: to_outcome_page(reading),
        JUNIT: to_outcome_junit(reading),
    }


def write(folder: Path, told: Told) -> None:
    """Writes the files of an outcome comparison into its folder, each whole or not at all."""
    for name, content in told.files.items():
        with storage_errors(f"writing {name}"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, content)


def _runs(pair: Pair, stored: OutcomeFile | None) -> list[LossRun]:
    """Gives the two runs, then the last run of each other arm, or those of the stored file."""
    own = [pair.new, pair.base]
    if pair.new.study is None:
        return own
    if stored is not None:
        known = {run.run_id for run in own}
        names = [name for name in stored.runs if name not in known]
        n_amendments = len(pair.new.amendments)
        return [
            *own,
            *(
                open_run(pair.home / ARCHIVES / name, pair.home, n_amendments=n_amendments)
                for name in names
            ),
        ]
    taken = {run.facts.arm for run in own}
    last = {
        run.facts.arm: run
        for run in runs_of(pair.home)
        if run.facts.arm not in taken and pair.version in run.versions
    }
    return [*own, *(last[arm] for arm in sorted(last))]


def _hypotheses(plan: Plan) -> tuple[Hypothesis, ...]:
    return plan.outcome.hypotheses if isinstance(plan.outcome, OutcomePlan) else ()


def _scenarios(results: list[OutcomeResult]) -> list[str]:
    return sorted({one.scenario for one in results})


def _proofs(pack: ReadPack) -> dict[str, Proof]:
    found = {}
    for scenario in pack.scenarios:
        path = pack.folder / PROOFS / f"{scenario.id}.json"
        if path.is_file():
            found[scenario.id] = decode(path.read_bytes(), Proof, where=f"{PROOFS}/{path.name}")
    return found


def proof_hashes(pack: ReadPack, scenarios: Iterable[str]) -> dict[str, str]:
    """Gives the hashes of the stored proofs of scenarios; empty where one is gone."""
    paths = {name: pack.folder / PROOFS / f"{name}.json" for name in scenarios}
    return {
        name: digest(path.read_bytes()) if path.is_file() else "" for name, path in paths.items()
    }


def _control(plan: Plan, arms: set[str]) -> Control | None:
    if not isinstance(plan.outcome, OutcomePlan):
        return None
    found = (one.control for one in plan.outcome.contrasts if {one.new, one.base} == arms)
    return next(found, None)


def _skills(plan: Plan, arm: str) -> str:
    if not isinstance(plan.outcome, OutcomePlan):
        return ""
    return ", ".join(one.name for one in plan.outcome.skills if one.arm == arm)


def _remarks(pack: ReadPack, scenarios: Sequence[str]) -> tuple[str, ...]:
    """Gives what the stored look at the pack says; that it cannot be read stops no comparison."""
    try:
        return tuple(remarks(pack, scenarios, stored_lint(pack)))
    except InputError as error:
        return (
            f"Pack: what was seen of it cannot be read ({error}); `equipoise prove` looks again",
        )


def _amended(amendments: Iterable[Amendment]) -> Iterator[str]:
    """Yields what was changed after sealing, and what that means where it was hidden tests."""
    for one in amendments:
        what = one.field or "remark"
        if one.field == "hidden":
            what = "hidden tests; they were chosen when outcomes could be seen"
        yield f"Amended {one.at[:10]} by {one.by}: {what}: {one.reason}"


def _doubts(plan: Plan) -> tuple[str, ...]:
    return plan.outcome.doubts if isinstance(plan.outcome, OutcomePlan) else ()


def _waiting(plan: Plan, queue: LookedAt, arms: Collection[str]) -> Iterator[OutcomeVerdict]:
    """Yields what stands against any verdict."""
    if isinstance(plan.outcome, OutcomePlan) and not plan.outcome.in_environment:
        yield waits(
            Standing.OUT_OF_ENVIRONMENT,
            "Agents worked without the onboarding that their skills are made for",
            "seeds with their onboarding",
        )
    if isinstance(plan.outcome, OutcomePlan) and plan.outcome.rounds.chooses:
        yield waits(
            Standing.EXPLORATORY,
            f"This is round {plan.outcome.rounds.number} of optimisation: it chooses what is tried "
            "next, on scenarios that were looked at",
            "a study with final: true, on scenarios that are held out",
        )
    if queue.stale:
        first = "; ".join(f"{name}: {why}" for name, why in list(queue.stale.items())[:3])
        yield waits(
            Standing.STALE,
            f"The scores of {counted(len(queue.stale), 'scenario')} decide nothing: {first}",
            "the tests mended and proved, then all arms scored again (docs: outcome study) or run",
        )
    if waiting := queue.waiting_for(arms):
        first = "; ".join(one.name for one in waiting[:3])
        yield waits(
            Standing.BLOCKED,
            f"{counted(len(waiting), 'flag')} without a label: {first}",
            "a look at each, and its label: `equipoise triage STUDY`",
        )
