"""Splits units into those on which something is chosen and those on which it is reported."""

from collections.abc import Mapping

from equipoise.errors import InputError
from equipoise.stages.plan.rating_outputs import Outputs
from equipoise.stages.plan.rating_sets import rng_of

CALIBRATION, FINAL = "calibration", "final"


def split_units(outputs: Outputs, *, share: float, seed: int) -> Mapping[str, list[str]]:
    """Gives the units of both parts, drawn by whole clusters; no unit and no cluster is in both.

    Args:
        outputs: units with their outputs; a unit without a cluster is one of its own.
        share: share of the clusters on which something is chosen.
        seed: what is drawn follows from it.

    Raises:
        InputError: one of the parts would be empty (``too_few_units``).
    """
    clusters: dict[str, list[str]] = {}
    for unit, by_arm in outputs.items():
        cluster = next((one.cluster for one in by_arm.values() if one.cluster), "")
        clusters.setdefault(f"c {cluster}" if cluster else f"u {unit}", []).append(unit)
    names = sorted(clusters)
    n = round(share * len(names))
    if not 0 < n < len(names):
        raise InputError(
            f"{len(names)} clusters of units cannot be split {share:g} to {1 - share:g}",
            wanted="a cluster at least for choosing the threshold, and one for reporting on it",
            mend="add units, or leave threshold out",
            code="too_few_units",
        )
    drawn = rng_of(seed, "threshold").permutation(len(names))[:n]
    chosen = {names[place] for place in drawn}
    parts: dict[str, list[str]] = {CALIBRATION: [], FINAL: []}
    for name in names:
        parts[CALIBRATION if name in chosen else FINAL] += clusters[name]
    return {part: sorted(units) for part, units in parts.items()}
