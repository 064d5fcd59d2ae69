"""What is known of model judges: their stability, their agreement with people, a threshold."""

import msgspec

from equipoise.records.corrected import Corrected


class CorrectedShare(Corrected, frozen=True, kw_only=True):
    """How often people would prefer `arm` to `against`, from a judge's verdicts and its errors."""

    against: str


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """A source of verdicts held against people on the sets that both judged.

    `top1` is the share of sets in which its best is the people's, ties split; `random` what chance
    would earn and `ceiling` what one person earns against the others on the same sets. `beyond` is
    `top1` beyond chance 1/m (Brennan-Prediger), `kappa` Cohen's against the people's choice, `tau`
    the mean rank correlation within sets. `overall` is the correlation of scores over all sets: it
    is shown for contrast and never decides. `failed` names what was not met; empty = it passed.
    """

    source: str
    n_sets: int
    n_clusters: int
    top1: float | None
    lo: float | None
    hi: float | None
    strict: float | None
    random: float | None
    ceiling: float | None
    beyond: float | None
    ceiling_beyond: float | None
    tie_rate: float | None
    human_tie_rate: float | None
    position_p: float | None
    kappa: float | None
    tau: float | None
    overall: float | None
    languages: tuple[str, ...]
    unvalidated_languages: tuple[str, ...]
    corrections: tuple[CorrectedShare, ...]
    passed: bool
    failed: tuple[str, ...]
    rule: str
    why: str = ""


class JudgeShown(msgspec.Struct, frozen=True, kw_only=True):
    """One judge on one axis.

    `read_share` of `n_asked` judgements could be read; `unreadable` counts the others by state and
    `unreadable_by_arm` the share of what was unreadable among packets that showed the arm.
    `repeat_flips` is the mean share of repeats that contradict their set's majority; `order_flips`
    the share of sets whose verdict changes with the order; `no_majority` that of sets without a
    winner over all repeats (its tie rate). `first_place` is the share of verdicts for the place
    shown first, with limits over sets. `longer` is the share of its verdicts for the longest text.
    """

    judge: str
    family: str
    models: tuple[str, ...]
    n_asked: int
    n_read: int
    n_cached: int
    unreadable: dict[str, int]
    unreadable_by_arm: dict[str, float]
    is_unreadable_uneven: bool
    n_sets: int
    n_below_quorum: int
    repeat_flips: float | None
    order_flips: float | None
    no_majority: float | None
    first_place: float | None
    first_place_lo: float | None
    first_place_hi: float | None
    first_place_even: float | None
    is_position_biased: bool
    longer: float | None
    order_effect: float | None
    length_effect: float | None
    length_effect_lo: float | None
    length_effect_hi: float | None
    is_used: bool
    why_not: str = ""
    templates: dict[str, float] = {}
    validation: Validation | None = None
    is_simulated: bool = False


class PanelShown(msgspec.Struct, frozen=True, kw_only=True):
    """The judges together: how many independent ones they are worth, and the best single one.

    `error_correlation` and `effective` come from the sets that people judged too; null with `why`.
    """

    judges: tuple[str, ...]
    error_correlation: float | None
    effective: float | None
    best_single: str
    best_single_top1: float | None
    panel_top1: float | None
    longer_top1: float | None
    validation: Validation | None
    why: str = ""


class LockedThreshold(msgspec.Struct, frozen=True, kw_only=True):
    """At which score of a judge an output is chosen: fitted on one half, reported on the other.

    `s` is the threshold, null where none was found. `grid` are the thresholds tried, `calibration`
    and `final` the shares of accepted units that people prefer. `target` is a promised win rate
    (null = none: the best of the grid was taken). `data_sha256` covers the calibration data; once
    chosen, `s` stands in `threshold.json` and changes by an amendment only.
    """

    judge: str
    axis: str
    grid: tuple[float, ...]
    target: float | None
    s: float | None
    n_calibration: int
    calibration_rate: float | None
    n_final: int
    n_accepted: int
    final_rate: float | None
    final_lo: float | None
    final_hi: float | None
    level: float
    method: str
    data_sha256: str
    why: str = ""
    notes: tuple[str, ...] = ()
