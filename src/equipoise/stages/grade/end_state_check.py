"""The check `end_state`: whether what has to be there is there, and what must not be is not."""

from collections.abc import Iterator

from equipoise.records.scenario import EndState
from equipoise.stages.grade.finding import Fault, Found, plain
from equipoise.stages.grade.left_behind import Left, find, left_by, matching, told_in
from equipoise.stages.grade.material import OUTPUT, Material
from equipoise.stages.grade.outcome_specs import EndStateSpec, expectation
from equipoise.stages.grade.quoting import MOST_QUOTES, cited

_MOST_NAMED = 3


def check_end_state(spec: EndStateSpec, material: Material) -> Found:
    """Gives 1 where the state is not the one that is right, with everything that is wrong.

    Raises:
        NotEstimable: the unit expects no state, nobody froze the workspace, or an expression takes
            too long.
    """
    state = expectation(spec, material, EndState)
    left = left_by(material)
    faults = [*path_faults(state, left), *told_faults(state.told, material, left)]
    return told_as_one(faults, material)


def told_as_one(faults: list[Fault], material: Material) -> Found:
    """Gives what was found as one: lost where there is any fault, and each of them in the note."""
    if not faults:
        return Found(raw=0.0)
    places = tuple(place for _, found in faults for place in found)[:MOST_QUOTES]
    note = plain("; ".join(why for why, _ in faults))
    return Found(raw=1.0, places=places or cited(material, None, OUTPUT), note=note[:500])


def path_faults(state: EndState, left: Left) -> Iterator[Fault]:
    """Yields what is wrong with the paths that were changed, left, or not left."""
    yield from unchanged_faults(state.unchanged, left)
    for glob in state.present:
        if not matching(left.files, glob):
            yield f"left no {glob}", ()
    for glob in state.absent:
        if found := matching(left.files, glob):
            yield f"left {_named(found)}, where {glob} must not be", left.named(found[0])


def unchanged_faults(globs: tuple[str, ...], left: Left) -> Iterator[Fault]:
    """Yields what was changed though it had to stay as it was."""
    if globs and left.unseen:
        yield f"left a workspace in which nobody can see what stayed: {left.unseen}", ()
    for glob in globs:
        if found := matching(left.changed, glob):
            places = tuple(place for one in found[:_MOST_NAMED] for place in left.named(one))
            yield f"changed {_named(found)}, where {glob} had to stay", places


def told_faults(patterns: tuple[str, ...], material: Material, left: Left) -> Iterator[Fault]:
    """Yields what was told neither in the last message nor in a document that was left."""
    for pattern in patterns:
        if find(pattern, told_in(material, left)) is None:
            yield f"told nowhere: {pattern}", ()


def _named(paths: list[str]) -> str:
    more = len(paths) - _MOST_NAMED
    return ", ".join(paths[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
