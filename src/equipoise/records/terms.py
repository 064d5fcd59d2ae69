"""The terms of a comparison: everything besides the trials that fixes its numbers and verdicts."""

from enum import StrEnum

import msgspec


class Direction(StrEnum):
    """Whether more of a criterion is better (a pass rate) or worse (a loss)."""

    HIGHER = "higher"
    LOWER = "lower"


class Pairing(StrEnum):
    """How two arms are set against each other."""

    AUTO = "auto"  # paired where unit ids match
    PAIRED = "paired"
    UNPAIRED = "unpaired"


class Rule(StrEnum):
    """How a family of comparisons is guarded against chance findings."""

    SEED = "seed"  # z = 2 + ln(k)/2, literal and guarded bound both beyond the margin
    BONFERRONI = "bonferroni"
    MAX_T = "maxt"
    HOLM = "holm"
    BH = "bh"  # a triage list: expected share of false lines <= 1 - level


class ArmSource(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One arm: its name in the comparison, and the archive and arm it comes from."""

    name: str
    archive: str
    arm: str
    head: str = ""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked and by which rules it is decided.

    Args:
        baseline: name of the arm the others are compared with.
        arms: names of the other arms, in the order given.
        criterion: the graded criterion that decides.
        direction: whether more of it is better.
        partitions: label keys whose values form the comparison cells.
        where: label filters (key -> value) that restrict the units.
        pairing: as asked; what was done stands in each comparison.
        margin: superiority margin in the criterion's unit, >= 0; a change counts when its interval
            lies wholly beyond it.
        equivalence: half-width of the band inside which two arms count as equivalent, > 0.
        rule, level: the multiplicity rule over the family and its confidence level.
        family_size: number of planned comparison cells when fixed beforehand; null = the cells
            found in the data.
        max_missing: largest share of planned repetitions without outcome at which an arm is still
            compared.
        mixed_versions: compare arms although what ran and graded them had different versions.
        seed: root seed of every resampling.
        is_sealed: whether these terms were sealed before the runs; if not, every verdict is
            exploratory.
        defaulted: names of the terms nobody chose.
    """

    baseline: str
    arms: tuple[str, ...]
    criterion: str
    direction: Direction
    partitions: tuple[str, ...] = ()
    where: dict[str, str] = {}
    pairing: Pairing = Pairing.AUTO
    margin: float = 0.0
    equivalence: float = 0.05
    rule: Rule = Rule.MAX_T
    level: float = 0.95
    family_size: int | None = None
    max_missing: float = 0.10
    use_clusters: bool = True
    mixed_versions: bool = False
    seed: int = 20250101
    is_sealed: bool = False
    defaulted: tuple[str, ...] = ()
