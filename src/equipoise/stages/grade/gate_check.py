"""The check `dod_gate`: whether commands of a definition of done end with exit code 0."""

import msgspec

from equipoise.errors import NotEstimable
from equipoise.ports.suites import GateAsked, GateCommandAsked
from equipoise.records.codec import digest, encode
from equipoise.records.gate_run import GateResult, GateRun
from equipoise.records.scenario import GateCommand
from equipoise.stages.grade.checklists import own_commands
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.json_places import span_of
from equipoise.stages.grade.left_behind import left_by
from equipoise.stages.grade.material import Material, Page, keep_lines, page, read_lines
from equipoise.stages.grade.outcome_specs import GateSpec, expectation
from equipoise.stages.grade.quoting import MOST_QUOTES, exactly
from equipoise.stages.grade.suite_check import DIFF, WEAK, seed_of

_DECIDE = "gate"


def check_gate(spec: GateSpec, material: Material) -> Found:
    """Gives 1 where a core command did not end with exit code 0; others are only told.

    The commands of the agent's own checklists are run after them, and told as well. What each came
    to is kept as a line of a document of the trial, ``gate-<hash>.jsonl``; where that is there
    already for the same commands, seed and diff, nothing is run again.

    Raises:
        NotEstimable: the unit has no gate, the trial left no diff, or the commands cannot be run
            here.
    """
    wanted = expectation(spec, material, tuple[GateCommand, ...])
    asked = _asked(spec, wanted, material)
    if material.suites is None:
        raise NotEstimable("unbewertbar: commands cannot be run here", code="no_suites")
    name = f"{_DECIDE}-{_identity(asked)[:16]}.jsonl"
    if name in material.documents:
        seen = page(material, name)
        head, results = read_lines(name, seen.content, GateRun, GateResult)
        run = msgspec.structs.replace(head, results=results)
    else:
        run = material.suites.gate(asked)
        head = msgspec.structs.replace(run, results=())
        seen = keep_lines(material, name, (head, *run.results))
    return _found(run, seen)


def _asked(spec: GateSpec, wanted: tuple[GateCommand, ...], material: Material) -> GateAsked:
    diff = page(material, DIFF).content
    seed = seed_of(material)
    commands = [
        GateCommandAsked(id=one.id, command=one.command, is_core=one.is_core) for one in wanted
    ]
    return GateAsked(
        commands=(*commands, *own_commands(material, left_by(material))),
        timeout_s=spec.timeout_s,
        own_s=spec.own_s,
        sandboxes=spec.sandbox,
        seed=seed["of"],
        seed_sha256=seed["sha256"],
        diff=diff,
        lease=f"{material.trial.id}-gate",
    )


def _identity(asked: GateAsked) -> str:
    return digest(
        encode(
            [asked.commands, asked.timeout_s, asked.own_s, asked.seed_sha256, digest(asked.diff)]
        )
    )


def _found(run: GateRun, seen: Page) -> Found:
    unmet = [(number, one) for number, one in enumerate(run.results) if not one.is_met]
    lost = [(number, one) for number, one in unmet if one.is_core and not one.is_own]
    told = [
        *(f"{one.id}: {_how(one)}" for _, one in lost),
        *(
            f"not core, {one.id}: {_how(one)}"
            for _, one in unmet
            if not (one.is_core or one.is_own)
        ),
    ]
    own = [one for one in run.results if one.is_own]
    if own:
        n_met = sum(one.is_met for one in own)
        told.append(f"its own checklist: {n_met} of {len(own)} commands end with 0")
    if run.isolation in WEAK:
        told.append(f"in a weak sandbox ({run.isolation}): nothing kept the program from the host")
    places = tuple(
        place
        for number, _ in (lost or unmet)[:MOST_QUOTES]
        for place in exactly(seen, *span_of(seen, (1 + number,)))
    )
    return Found(raw=float(bool(lost)), places=places, note="; ".join(told)[:500])


def _how(one: GateResult) -> str:
    return f"exit code {one.exit_code}" if one.exit_code is not None else one.how
