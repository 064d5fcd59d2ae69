"""A suite: what one arm lost, per partition and category; and two suites set against each other."""

import msgspec

from equipoise.records.judge_held import JudgeHeld
from equipoise.records.plan import Mode, Provenance, Stopping


class CategoryStats(msgspec.Struct, frozen=True, kw_only=True):
    """One category in one partition; null where fewer than the needed units could be evaluated."""

    loss: float | None
    stddev_between: float | None
    se: float | None
    n: int
    status: str


class PartitionScore(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `suite.json`; keys as the file has them.

    `status` is ``scored``, ``unterbelegt`` (n < n_min) or ``unbewertbar``. `loss` and the spreads
    are null where they could not be measured, and `why` says so. `n` counts units. `achieved_mde` =
    4 s / sqrt(n). Adversarial units stand in rows of their own, with weight 0.
    """

    labels: dict[str, str]
    weight: float
    n: int
    n_min: int
    loss: float | None
    stddev_between: float | None
    se: float | None
    stddev_within: float | None
    coverage: float
    status: str
    by_category: dict[str, float]
    by_category_stats: dict[str, CategoryStats]
    n_planned: int
    n_executions: int
    achieved_mde: float | None = None
    is_adversarial: bool = False
    why: str = ""


class SuiteFlaky(msgspec.Struct, frozen=True, kw_only=True):
    """A unit whose repetitions disagree: the share of its repetitions that lost anything.

    `categories` are those that some of its repetitions lost and others not.
    """

    unit: str
    rate: float
    n: int
    categories: tuple[str, ...] = ()


class RaterSpread(msgspec.Struct, frozen=True, kw_only=True):
    """How far raters differ about the same trial: variance, its 95 % limits, trials rated twice.

    The variance is already part of every `stddev_between` of its category and of the loss.
    """

    variance: float
    lo: float
    hi: float
    n: int


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """The file `suite.json`: one arm under one catalog, one mode and one provenance.

    `suite_score` is null when more than a tenth of the planned executions did not complete, or no
    partition is scored; `not_scored` then says why. `covered_weight` is the share of all partition
    weight that the scored partitions hold. `harness_errors` counts endings by kind and detail.
    `results_sha256` is the hash of the outcomes and grades it follows from, whatever their order
    and times. `n_not_executed` executions were left out because the run stopped at a planned look:
    they are in no count of this file. `derived_by` is the version of the tool that made the file;
    `harness_version` the one that executed the run.
    """

    catalog_version: str
    mode: Mode
    provenance: Provenance
    mde: float
    suite_score: float | None
    completion_rate: float
    partitions: tuple[PartitionScore, ...]
    run_id: str
    created_at: str
    plan_sha256: str
    sample_budget: int
    arm: str
    se: float | None = None
    coverage: float = 0.0
    covered_weight: float = 0.0
    not_scored: str = ""
    is_simulated: bool = False
    seal: str = ""
    results_sha256: str = ""
    catalog_sha256: str = ""
    harness_version: str = ""
    harness_errors: dict[str, int] = {}
    incomplete_units: tuple[str, ...] = ()
    flaky: tuple[SuiteFlaky, ...] = ()
    anchors_differing: tuple[str, ...] = ()
    clipped: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    raters: dict[str, RaterSpread] = {}
    n_not_executed: int = 0
    derived_by: str = ""


class LossCitation(msgspec.Struct, frozen=True, kw_only=True):
    """The quote behind a row: of the unit that adds most to the category's loss."""

    unit: str
    trial: str
    document: str
    name: str
    line: int | None
    start: int
    end: int
    quote: str
    n_further: int = 0


class LossRow(msgspec.Struct, frozen=True, kw_only=True):
    """One registered comparison cell of two suites, new against base.

    `literal_lo`, `literal_hi` = delta -+ z se_delta; `guarded_lo`, `guarded_hi` the same z inside
    MOVER on quasi-Wilson limits. A row is listed only where both lower bounds are above `mde`,
    both sides have `n_min` units, the cell was registered, and a citation stands behind it;
    `failed` names what of this is missing. `reportable` is the smallest true change that this run
    lists with 80 % probability, `excludable` the largest the interval still allows. `is_disputed`:
    the bootstrap, a cross-check that decides nothing, would have decided otherwise.
    """

    partition: str
    category: str
    status: str
    n_new: int
    n_base: int
    n_min: int
    delta: float | None = None
    se_delta: float | None = None
    literal_lo: float | None = None
    literal_hi: float | None = None
    guarded_lo: float | None = None
    guarded_hi: float | None = None
    loss_new: float | None = None
    loss_base: float | None = None
    reportable: float | None = None
    excludable: float | None = None
    bootstrap_lo: float | None = None
    bootstrap_hi: float | None = None
    is_disputed: bool = False
    is_listed: bool = False
    is_improvement: bool = False
    failed: tuple[str, ...] = ()
    citation: LossCitation | None = None

    @property
    def is_flat(self) -> bool:
        """Says whether neither side showed any spread, so that literal limits have no width."""
        return self.se_delta is not None and self.se_delta <= _NO_SPREAD

    @property
    def limits(self) -> tuple[float, float] | None:
        """Gives the limits to print: the literal ones, or the guarded where no spread was seen.

        Literal limits of no width, from units that are all alike, would read as certainty.
        """
        lo, hi = self.literal_lo, self.literal_hi
        if self.is_flat:
            lo, hi = self.guarded_lo, self.guarded_hi
        return None if lo is None or hi is None else (lo, hi)


_NO_SPREAD = 1e-12


class SuiteLook(msgspec.Struct, frozen=True, kw_only=True):
    """What the plan's rule for early stopping says at one look at the suite score.

    `number` of `looks` planned ones, 0 before the first. `statistic` is the z statistic against the
    margin with `boundary` its critical value, or the wealth of the bets with the wealth that
    decides. `delta` is the difference of the suite scores over the units so far, new minus base,
    `lo` and `hi` its limits at the look's critical value, the wider of literal and guarded: they
    hold at all looks together, at 1 - alpha; null with bets. `word` is ``worse`` or ``better``
    where the boundary is crossed: the run may end.
    """

    rule: Stopping
    number: int
    looks: int
    fraction: float
    n_executed: int
    n_planned: int
    statistic: float | None = None
    boundary: float | None = None
    word: str = ""
    delta: float | None = None
    lo: float | None = None
    hi: float | None = None


class ScoreDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The difference of the suite scores over the partitions scored on both sides.

    `lo` and `hi` are guarded limits at 90 %. `covered` is the share of all partition weight in it;
    `n` the units of the smaller side, `factor` how many times as many would show equivalence with
    80 % probability if nothing had changed. `unseen` is the share of what was weighed that only
    one side could evaluate: there the sides may differ by anything.
    """

    delta: float
    lo: float
    hi: float
    covered: float
    n: int
    factor: float
    unseen: float = 0.0

    def holds(self, mde: float) -> tuple[bool, bool]:
        """Says whether the difference lies below mde, and above -mde, whatever was not seen."""
        rest = 1.0 - self.unseen
        return rest * self.hi + self.unseen < mde, rest * self.lo - self.unseen > -mde


class LossComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The file `regressions.json`: two suites compared by the plan's rule.

    `verdict` is one of the five words for the change as a whole, `why` its one sentence.
    `suite_delta` is the difference of the suite scores over the partitions scored in both, with
    guarded 90 % limits: inside +-`mde` they show equivalence. `base_archive` is the baseline's
    archive, relative to the study; `n_saved` and `n_saved_base` count the executions that early
    stopping saved the new run and the base. `derived_by` is the version of the tool that made the
    comparison's files. `judges` are the model judges held against people's grades in these runs.
    `n_amendments` counts the amendments that the study had by then.
    """

    run_id: str
    base_run_id: str
    catalog_version: str
    mode: Mode
    provenance: Provenance
    mde: float
    k: int
    z: float
    paired: bool
    rows: tuple[LossRow, ...]
    verdict: str
    why: str
    needed: str = ""
    tags: tuple[str, ...] = ()
    looks: int = 1
    notes: tuple[str, ...] = ()
    base_arm: str = ""
    new_arm: str = ""
    suite_delta: float | None = None
    suite_lo: float | None = None
    suite_hi: float | None = None
    plan_sha256: str = ""
    base_archive: str = ""
    look: SuiteLook | None = None
    n_saved: int = 0
    n_saved_base: int = 0
    derived_by: str = ""
    judges: tuple[JudgeHeld, ...] = ()
    n_amendments: int = 0


class HistoryRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `history.jsonl`, one row of `LOSS-HISTORY.md`: a suite, and what it was found.

    `suite` and `comparison` are paths relative to the study; `comparison` is empty for a baseline
    that was compared with nothing. `befunde` counts the regressions listed. `harness_version` is
    that of the program which executed or read the runs; empty in rows of a time that did not say.
    """

    datum: str
    catalog_version: str
    mode: Mode
    provenance: Provenance
    suite_score: float | None
    completion: float
    coverage: float
    mde: float
    sample_budget: int
    n_unterbelegt: int
    befunde: int | None
    top_ci_low: float | None
    suite: str
    suite_sha256: str
    comparison: str = ""
    harness_version: str = ""
