"""Estimates: what the trials of an arm, and of two arms set against each other, say."""

import msgspec


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """Two limits, the level they hold at, and the method that gave them."""

    lo: float
    hi: float
    level: float
    method: str


class PassK(msgspec.Struct, frozen=True, kw_only=True):
    """Chance that any (`at`) and that all (`hat`) of k repetitions succeed, averaged over units."""

    k: int
    at: float
    hat: float
    n_units: int


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """What is missing in one arm and cell, in repetitions of units.

    `planned` = repetitions that should have an outcome; `evaluable` = those that have one;
    `reasons` = reason -> count of the others. `units_without` = units with no outcome at all.
    `worst_lo`, `worst_hi` bound the mean whatever the missing outcomes were (Manski).
    `mean_as_failure` counts each missing outcome as the worst value.
    """

    planned: int
    evaluable: int
    reasons: dict[str, int] = {}
    units_without: int = 0
    worst_lo: float | None = None
    worst_hi: float | None = None
    mean_as_failure: float | None = None


class CellKey(msgspec.Struct, frozen=True, kw_only=True):
    """One cell of the comparison: all units (`label` empty) or those with one label value."""

    label: str = ""
    value: str = ""

    @property
    def text(self) -> str:
        """Gives the cell's name as printed: ``overall``, ``intent=refund``, ``refund × de``."""
        if "×" in self.label:
            return self.value
        return f"{self.label}={self.value}" if self.label else "overall"


class ArmEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """One arm in one cell. Means are over units; a unit's value is the mean of its repetitions.

    `mean` is null with `not_estimable` saying why. `stddev_between` is the sd of unit means
    (ddof 1), `se` = stddev_between/sqrt(n_units) (null below two units,
    and where no spread was seen: 0 would pass for certainty), `stddev_within` the mean
    over units of the sd over repetitions. `interval` speaks of "units like these", `fixed_interval`
    of "this very set of units" (repetition noise only; null without repetitions).
    """

    arm: str
    cell: CellKey
    n_units: int
    n_trials: int
    n_attempts_beyond_first: int
    missing: Missing
    n_clusters: int | None = None
    mean: float | None = None
    not_estimable: str = ""
    interval: Interval | None = None
    fixed_interval: Interval | None = None
    stddev_between: float | None = None
    se: float | None = None
    stddev_within: float | None = None
    icc: float | None = None
    is_degenerate: bool = False
    is_binary: bool = False
    pass_k: tuple[PassK, ...] = ()
    n_flaky: int = 0
    cost_usd: float | None = None
    n_cost_missing: int = 0
    duration_ms: float | None = None
    n_duration_missing: int = 0
    tokens: int | None = None
    n_tokens_missing: int = 0
    reducer: str = "mean over repetitions, then mean over units"


class CriterionEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """One further criterion of one arm in one cell: shown beside the deciding one, never decided.

    Means are over units as in `ArmEstimate`; `n_units` counts those with a value of `n_all`.
    """

    arm: str
    cell: CellKey
    criterion: str
    n_units: int
    n_all: int
    mean: float | None = None
    stddev_between: float | None = None
    se: float | None = None
    interval: Interval | None = None


class PValue(msgspec.Struct, frozen=True, kw_only=True):
    """A p-value beside the interval: which test, two-sided value, what it treats as the sample."""

    test: str
    p: float
    n: int
    note: str = ""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One arm against the baseline in one cell.

    `delta` = new - base in the criterion's own unit; `gain` has the sign of better. `interval` is
    the deciding one, at the level the multiplicity rule gives this cell (`adjusted_level`);
    `interval_single` the same unadjusted, for a reader who looks at this cell alone;
    `interval_equivalence` the 90 % one (1 - 2 alpha) that decides `equivalent`. `fixed_interval`
    speaks of this very set of units. `literal_lo`/`guarded_lo` are the two lower bounds of the
    seed rule on the loss increase, and which of them failed is said in the verdict; `n_min_new`,
    `n_min_base` are the units each arm needs before that rule may list the cell (null under other
    rules). `worst_lo`,
    `worst_hi` bound delta whatever the missing outcomes were.
    """

    id: str
    baseline: str
    arm: str
    cell: CellKey
    pairing: str
    n_units_new: int
    n_units_base: int
    n_pairs: int
    family: str = "headline"
    family_size: int = 1
    n_clusters: int | None = None
    mean_new: float | None = None
    mean_base: float | None = None
    delta: float | None = None
    gain: float | None = None
    se: float | None = None
    correlation: float | None = None
    interval: Interval | None = None
    interval_single: Interval | None = None
    interval_equivalence: Interval | None = None
    fixed_interval: Interval | None = None
    adjusted_level: float | None = None
    critical_z: float | None = None
    adjusted_p: float | None = None
    literal_lo: float | None = None
    guarded_lo: float | None = None
    n_min_new: int | None = None
    n_min_base: int | None = None
    worst_lo: float | None = None
    worst_hi: float | None = None
    p_values: tuple[PValue, ...] = ()
    n_better: int | None = None
    n_worse: int | None = None
    n_same: int | None = None
    is_degenerate: bool = False
    not_estimable: str = ""
    units_to_show: int | None = None
    units_to_equate: int | None = None
    achieved_mde: float | None = None
    reportable: float | None = None
    excludable: float | None = None


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """Cost, tokens or time of one arm against the baseline, per unit; only where comparable.

    `not_comparable` says why no comparison is drawn (unknown prices, arms not shown equal or
    better in outcome). `n_missing` counts trials without the figure, never counted as 0.
    """

    baseline: str
    arm: str
    kind: str
    unit: str
    total_new: float | None = None
    total_base: float | None = None
    n_missing_new: int = 0
    n_missing_base: int = 0
    mean_new: float | None = None
    mean_base: float | None = None
    n_pairs: int = 0
    delta: float | None = None
    interval: Interval | None = None
    ratio: float | None = None
    ratio_interval: Interval | None = None
    not_comparable: str = ""


class UnitLine(msgspec.Struct, frozen=True, kw_only=True):
    """One unit worth looking at: its values in both arms and the trials and quotes behind them."""

    unit: str
    base: float | None = None
    new: float | None = None
    labels: dict[str, str] = {}
    trials: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    note: str = ""


class Flaky(msgspec.Struct, frozen=True, kw_only=True):
    """A unit whose repetitions disagree, with its rate."""

    arm: str
    unit: str
    rate: float
    n: int
    modal: str = ""
    any_pass: bool | None = None
    all_pass: bool | None = None


class UnitSets(msgspec.Struct, frozen=True, kw_only=True):
    """How the unit ids of an arm and the baseline relate; compared before anything else is said."""

    baseline: str
    arm: str
    n_shared: int
    n_only_base: int
    n_only_new: int
    only_base: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
