"""Hypotheses: what was claimed of which arms before anything was run."""

from enum import StrEnum

import msgspec

from equipoise.records.terms import Rule

HYPOTHESES = "hypotheses.json"
"""File of the study, written when it is sealed: a list of `Registered`."""

RESOURCES = ("tokens", "usd", "turns", "wall_ms")
"""Metrics of what the arms take; all others are of what they deliver."""


class Aim(StrEnum):
    """The direction of a hypothesis, said of the *gain* of the new arm over the base arm.

    The gain of a criterion is pass rate of the new arm minus that of the base arm, in [-1, 1]; that
    of a resource (tokens, usd, turns, wall_ms) the share that is saved, 1 - new / base. With an
    interval of the gain, a claim is

    * ``better``: confirmed where all of it lies above `threshold`, rejected where all lies below;
    * ``worse``: confirmed where all of it lies below -`threshold`, rejected where all lies above;
    * ``not_worse``: confirmed where all of it lies above -`margin`, rejected where all lies below;
    * ``equivalent``: confirmed where all of it lies within ±`margin`, rejected where all lies
      outside;

    and null otherwise: the data do not say.
    """

    BETTER = "better"
    WORSE = "worse"
    NOT_WORSE = "not_worse"
    EQUIVALENT = "equivalent"


class Hypothesis(msgspec.Struct, frozen=True, kw_only=True):
    """One hypothesis as it stands in the plan.

    Args:
        id: such as ``H3``.
        statement: the claim in words.
        metric: a criterion of the catalog, ``main`` (of each scenario the main metric of its kind),
            ``hidden`` (explicit and implicit hidden tests together), ``loss`` (all criteria as the
            catalog weighs them), or a resource: ``tokens``, ``usd``, ``turns``, ``wall_ms``.
        direction: what is claimed, see `Aim`.
        threshold: of better and worse, in [0, 1); null for the others.
        margin: of not_worse and equivalent, in (0, 1); null for the others.
        primary: whether it belongs to the one family that carries the study's claim.
        rule: how the primary ones share the level, the same in all of them; null = not primary, and
            then nothing is claimed at a level over the family.
        level: confidence, 0.95 (an equivalence holds two one-sided tests at 1 - level).
        new, base: the arms.
        scenarios: ids of the scenarios that count, all of which can be scored by the metric.
        is_judged: a model judges the metric: whatever is said of it is [soft].
        is_underpowered: fewer than 6 scenarios or 3 repetitions.
        smallest_p: the smallest p that a sign-flip test over so many scenarios can give: two-sided,
            for an equivalence, which is two tests, one-sided.
        detectable: of better and worse the smallest gain that is found with 80 % to lie beyond the
            threshold, where a scenario gains all or nothing and none loses; null = none is, or the
            direction is another.
    """

    id: str
    statement: str
    metric: str
    direction: Aim
    threshold: float | None
    margin: float | None
    primary: bool
    rule: Rule | None
    level: float
    new: str
    base: str
    scenarios: tuple[str, ...]
    is_judged: bool = False
    is_underpowered: bool = False
    smallest_p: float = 1.0
    detectable: float | None = None


class Registered(Hypothesis, frozen=True, kw_only=True):
    """A hypothesis with when it was registered, and with which plan: an entry of the file.

    `registered_at` is the time of the seal, `plan_sha256` the name of the plan that has the same
    hypotheses in `outcome.hypotheses`.
    """

    registered_at: str
    plan_sha256: str
