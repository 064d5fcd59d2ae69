"""What a study cannot do without, and what of it is not there: nothing is sampled then."""

import shutil
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from equipoise.errors import Blocked, InputError, nearest
from equipoise.records.plan import Mode, Plan
from equipoise.records.rating_plan import PanelPlan
from equipoise.stages.plan.draft import ArmDraft, StudyDraft
from equipoise.studies.loss.running_asked import Adapters, Around


def refuse_blocked(draft: StudyDraft, study: Path) -> None:
    """Does nothing where everything is there.

    Raises:
        Blocked: names everything that is missing.
    """
    missing = list(blockers(draft, study))
    if missing:
        raise Blocked("\n".join(f"missing: {one}" for one in missing))


def blockers(draft: StudyDraft, study: Path) -> Iterator[str]:
    """Yields what is missing, each with the mend.

    Looked for: the units (corpus access), the catalog (loss format), the reference set, the start
    command of each system and service, frozen logs, the state target, an earlier run as baseline.
    """
    for what, name in (
        ("the units file", draft.units),
        ("the loss catalog", draft.catalog),
        ("the reference set", draft.reference_set),
    ):
        if name is not None and not (study / name).is_file():
            yield f"{what} {name!r}; mend: put it there, or mend its name in study.yaml"
    for arm in draft.arms:
        yield from _of_arm(arm, study)
    if draft.state is not None and any(arm.mode is Mode.A for arm in draft.arms):
        for kind, target in (("directory", draft.state.directory), ("sqlite", draft.state.sqlite)):
            if target is not None and not (study / target).exists():
                empty = "; an empty folder where the system changes nothing"
                yield (
                    f"the state target ({kind}) {target!r}; mend: make it as the runs are to find "
                    f"it, or mend its path in study.yaml{empty if kind == 'directory' else ''}"
                )
        yield from _of_database(draft.state.postgres or "", study)
    yield from _of_baseline(draft, study)


def unusable(plan: Plan, study: Path, adapters: Adapters) -> Iterator[str]:
    """Yields a fault for each system, state and probe whose options its adapter refuses.

    Nothing is opened and nothing is started.
    """
    root = study.resolve()
    around = Around(
        folder=root, environment={}, ledger=root / "ledger", concurrency=plan.limits.concurrency
    )
    made: list[tuple[str, Callable[[], object]]] = []
    for arm in plan.arms:
        if arm.mode is Mode.A:
            made.append((f"arm {arm.name!r}", partial(adapters.system, arm, around)))
        elif form := arm.system["logs"].get("format"):
            made.append((f"arm {arm.name!r}", partial(adapters.reader, form)))
    if plan.state is not None:
        made.append(("state", partial(adapters.state_store, plan.state, study)))
    variables = {"service": "http://127.0.0.1:1"}
    made += [
        (f"probe {probe.name!r}", partial(adapters.probe, probe, study, variables))
        for probe in plan.probes
    ]
    if adapters.price is not None and isinstance(plan.judges, PanelPlan):
        made += [
            (f"judge {judge.name!r}", partial(adapters.price, judge, root, 1, date.max))
            for judge in plan.judges.judges
        ]
    for what, make in made:
        try:
            make()
        except InputError as error:
            yield f"study.yaml: {what}: {error}"


def _of_database(target: str, study: Path) -> Iterator[str]:
    """Yields the file that says what is in the study's own database, where it is not there."""
    word, _, name = target.partition(":")
    if word == "embedded" and name and not (study / name).is_file():
        yield f"what is in the database, {name!r}; mend: put it there, as SQL that psql takes"


def _of_arm(arm: ArmDraft, study: Path) -> Iterator[str]:
    commands = [("the start command of the service", arm.service.get("command"))]
    kind, options = next(iter(arm.system.items()))
    if kind == "command":
        argv = options.get("argv") if isinstance(options, dict) else options
        commands.append(("the command of the system", argv))
    for what, command in commands:
        program = _program(command)
        if program is not None and not _is_found(program, study):
            yield (
                f"{what} of arm {arm.name!r}: no program {program!r}; mend: install it, or write "
                "its path from the study folder"
            )
    path = options.get("path") if isinstance(options, dict) else None
    if kind == "logs" and isinstance(path, str) and not (study / path).exists():
        yield f"the logs of arm {arm.name!r}: {path!r}; mend: put them there, or mend the path"


def _program(command: Any) -> str | None:
    """Gives the program of a command; null where only the run will know it (a placeholder)."""
    first = command[0] if isinstance(command, list) and command else command
    if not isinstance(first, str) or not first or "{" in first:
        return None
    return first if isinstance(command, list) else first.split()[0]


def _is_found(program: str, study: Path) -> bool:
    if "/" in program:
        return (study / program).is_file()
    return shutil.which(program) is not None


def _of_baseline(draft: StudyDraft, study: Path) -> Iterator[str]:
    names = [arm.name for arm in draft.arms]
    if draft.baseline not in names and not (study / draft.baseline).exists():
        close = nearest(draft.baseline, names) or f"the arms are {', '.join(names)}"
        yield (
            f"the baseline {draft.baseline!r} is no arm and no file or folder; {close}; mend: name "
            "an arm, or an earlier archive or suite.json"
        )
