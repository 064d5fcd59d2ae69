"""What two keys of a study file must not say of each other."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from equipoise.errors import nearest
from equipoise.records.plan import Mode
from equipoise.stages.plan.draft import StudyDraft
from equipoise.stages.plan.faults import Faults
from equipoise.stages.plan.sizing import DEFAULT_S, supported_by
from equipoise.stats.power import least_units

_Check = Callable[[StudyDraft, Faults], Iterable[str]]


def crosschecks(draft: StudyDraft, known: frozenset[str], faults: Faults) -> list[str]:
    """Gives the faults between keys, of those checks whose keys could all be read.

    Args:
        draft: what was read; only the fields in `known` are there.
        known: names of these fields.
        faults: says where they stand.
    """
    return [fault for needed, check in _CHECKS if needed <= known for fault in check(draft, faults)]


def _mode(draft: StudyDraft, faults: Faults) -> Iterator[str]:
    for arm in draft.arms:
        if draft.mode is not None and arm.mode is not draft.mode:
            does = "executes the system again" if arm.mode is Mode.A else "reads frozen logs"
            yield faults.at(
                ("mode",),
                f"is {draft.mode.value}, and arm {arm.name!r} {does}, which is mode "
                f"{arm.mode.value}",
                mend="leave mode out: it follows from the arms",
            )


def _sandbox(draft: StudyDraft, faults: Faults) -> Iterator[str]:
    executed = [arm.name for arm in draft.arms if arm.mode is Mode.A]
    if not executed:
        return
    whose = f"arm {executed[0]!r} executes the system (mode A)"
    if draft.state is None:
        yield faults.at(
            (),
            f"field 'state' is missing, and {whose}: without it nothing is put back (teardown)",
            wanted="the state the runs change: directory, sqlite or postgres",
            mend="write state: {directory: state}; where the system changes nothing, an empty "
            "folder of that name is enough (`mkdir state`)",
        )
    if draft.sandbox is None:
        yield faults.at(
            (),
            f"field 'sandbox' is missing, and {whose}",
            wanted="the variables it may see, all others are withheld",
            mend="write sandbox: {environment: [PATH, LANG]}",
        )


def _axes(draft: StudyDraft, faults: Faults) -> Iterator[str]:
    for key, values in draft.axes.items():
        for value in _twice(values):
            yield faults.at(("axes", key), f"has {value!r} twice", mend="write it once")
    for place, key in enumerate(draft.partitions.by):
        if key not in draft.axes:
            yield faults.at(
                ("partitions", "by", place),
                f"is {key!r}, which is no declared axis",
                wanted=f"one of {', '.join(draft.axes)}",
                mend=nearest(key, list(draft.axes)) or "declare it under axes",
            )
    for key in _twice(draft.partitions.by):
        yield faults.at(("partitions", "by"), f"has {key!r} twice", mend="write it once")


def _partitions(draft: StudyDraft, faults: Faults) -> Iterator[str]:
    by = set(draft.partitions.by)
    for place, one in enumerate(draft.partitions.of):
        path = ("partitions", "of", place, "labels")
        if set(one.labels) != by:
            yield faults.at(
                path,
                f"has {', '.join(one.labels)}",
                wanted=f"exactly the keys of partitions.by: {', '.join(draft.partitions.by)}",
                mend="name one value for each of them",
            )
        for key, value in one.labels.items():
            if key in draft.axes and value not in draft.axes[key]:
                valid = list(draft.axes[key])
                yield faults.at(
                    (*path, key),
                    f"is {value!r}, which axis {key!r} does not declare",
                    wanted=f"one of {', '.join(valid)}",
                    mend=nearest(value, valid) or f"declare it under axes.{key}",
                )
    named = [tuple(sorted(one.labels.items())) for one in draft.partitions.of]
    for labels in _twice(named):
        text = " × ".join(f"{key}={value}" for key, value in labels)
        yield faults.at(("partitions", "of"), f"has {text} twice", mend="write it once")


def _typed_n_min(draft: StudyDraft, faults: Faults) -> Iterator[str]:
    if draft.partitions.s_from is None and all(one.s_from is None for one in draft.partitions.of):
        yield from typed_n_mins(draft, faults, [one.s or DEFAULT_S for one in draft.partitions.of])


def typed_n_mins(draft: StudyDraft, faults: Faults, spreads: Sequence[float]) -> Iterator[str]:
    """Yields a fault for each hand-written `n_min` that the formula does not give.

    It says what that number of units supports: the seed's 58 for s = 0.3 is a slip for 576.
    """
    for place, (one, s) in enumerate(zip(draft.partitions.of, spreads, strict=True)):
        exact = least_units(s, draft.mde)
        if one.n_min is None or one.n_min == exact:
            continue
        fits = supported_by(one.n_min, s=s, mde=draft.mde)
        yield faults.at(
            ("partitions", "of", place, "n_min"),
            f"is {one.n_min}",
            wanted=f"{exact} = ceil(16 · {s:g}² / {draft.mde:g}²)",
            mend=f"leave n_min out; {one.n_min} units support mde {fits.mde:.3f} at s = {s:g}, or "
            f"s = {fits.s:.3f} at mde = {draft.mde:g}",
        )


def _names(draft: StudyDraft, faults: Faults) -> Iterator[str]:
    lists: dict[str, list[str]] = {
        "arms": [arm.name.casefold() for arm in draft.arms],
        "hops": [hop.id for hop in draft.hops],
        "probes": [probe.name for probe in draft.probes],
        "cells": list(draft.cells),
    }
    for key, names in lists.items():
        for name in _twice(names):
            yield faults.at((key,), f"has {name!r} twice", mend="give each its own name")


def _systems(draft: StudyDraft, faults: Faults) -> Iterator[str]:
    for place, arm in enumerate(draft.arms):
        kind, options = next(iter(arm.system.items()))
        path = ("arms", place, "system", kind)
        key, example = _NEEDED[kind]
        given = options.get(key) if isinstance(options, dict) else options
        if not given:
            yield faults.at(path, f"has no {key}", mend=f"write {kind}: {{{key}: {example}}}")
        if not arm.service and "{service}" in str(options):
            yield faults.at(
                path,
                "names {service}, and the arm has no service",
                mend="write service: {command: [...]}, or the address itself",
            )


_NEEDED = {
    "http": ("url", '"{service}/v1/messages"'),
    "command": ("argv", "[python, -m, desk]"),
    "callable": ("target", "package.module:function"),
    "agent": ("harness", "codex"),
    "model": ("model", "some-model-2026-01-15"),
    "logs": ("path", "logs/release-0"),
}
"""Kind of system -> the option without which it cannot be used, and an example."""


def _twice(values: Iterable[Any]) -> list[Any]:
    return [value for value, n in Counter(values).items() if n > 1]


_CHECKS: tuple[tuple[frozenset[str], _Check], ...] = (
    (frozenset({"mode", "arms"}), _mode),
    (frozenset({"arms", "state", "sandbox"}), _sandbox),
    (frozenset({"axes", "partitions"}), _axes),
    (frozenset({"axes", "partitions"}), _partitions),
    (frozenset({"partitions", "mde"}), _typed_n_min),
    (frozenset({"arms", "hops", "probes", "cells"}), _names),
    (frozenset({"arms"}), _systems),
)
"""The keys a check needs, and the check."""
