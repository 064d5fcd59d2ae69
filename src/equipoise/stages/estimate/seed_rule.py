"""What the seed rule asks of a cell beside its interval: bounds, and enough units in both arms."""

import msgspec

from equipoise.records.estimate import ArmEstimate, Comparison
from equipoise.records.terms import Direction, Rule, Terms
from equipoise.stats.power import least_units_of


def with_least_units(
    terms: Terms, one: Comparison, base: ArmEstimate | None, new: ArmEstimate | None
) -> Comparison:
    """Adds n_min = ceil(16 s^2 / margin^2) of each arm where the seed rule is in force.

    Only for cells of partitions and a margin above 0; an arm below its n_min is `unterbelegt`:
    shown, never listed.
    """
    if terms.rule is not Rule.SEED or not one.cell.label or terms.margin <= 0:
        return one
    return msgspec.structs.replace(
        one, n_min_new=_least(terms, new), n_min_base=_least(terms, base)
    )


def seed_bounds(
    terms: Terms, delta: float, se: float | None, limits: tuple[float, float], z: float
) -> dict[str, float]:
    """Gives both lower bounds of the change for the worse: guarded, and literal delta - z se."""
    is_lower = terms.direction is Direction.LOWER
    found = {"guarded_lo": limits[0] if is_lower else -limits[1]}
    if se is not None:
        found["literal_lo"] = (delta if is_lower else -delta) - z * se
    return found


def _least(terms: Terms, arm: ArmEstimate | None) -> int | None:
    """Gives n_min; without any spread that of the sample with one 0 and one 1 added."""
    if arm is None or arm.stddev_between is None or arm.mean is None:
        return None
    n = arm.n_units - arm.missing.units_without
    variance = arm.stddev_between**2
    if variance == 0.0:
        middle = (arm.mean * n + 1) / (n + 2)
        squares = n * (arm.mean - middle) ** 2 + middle**2 + (1 - middle) ** 2
        variance = squares / (n + 1)
    return least_units_of(variance, repr(terms.margin))
