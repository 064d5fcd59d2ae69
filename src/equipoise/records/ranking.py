"""What ratings show on each axis: `ranking.json` with scores, differences, agreement and words."""

import msgspec

from equipoise.records.validation import JudgeShown, LockedThreshold, PanelShown

RANKING = "ranking.json"


class PlaceCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often each place was chosen, the first place first, and whether that is even.

    `choice` is ``best`` or ``worst``; `p` is the chance of such counts if places did not matter,
    `smallest_expected` below 5 makes it a rough guide. `is_one_order`: every set was shown in one
    order only, so that place and output cannot be told apart.
    """

    choice: str
    chosen: tuple[int, ...]
    expected: tuple[float, ...]
    chi_square: float
    df: int
    p: float
    smallest_expected: float
    is_one_order: bool


class ArmScore(msgspec.Struct, frozen=True, kw_only=True):
    """One arm's counts, its score (best - worst)/shown, and where it may stand in the order.

    `score` is null where the arm was never shown, `lo` and `hi` are percentiles of resampled
    clusters. `rank_best` and `rank_worst` follow from the simultaneous limits of all differences.
    `logit` is its strength in the sequential best-worst model less the mean of all arms; null with
    `why`. `closed_form` is ln(p/(1-p)), p = (best - worst + shown)/(2 shown).
    """

    arm: str
    shown: float
    best: float
    worst: float
    score: float | None
    lo: float | None
    hi: float | None
    rank_best: int | None
    rank_worst: int | None
    logit: float | None
    closed_form: float | None
    why: str = ""


class PairShown(msgspec.Struct, frozen=True, kw_only=True):
    """The difference of two arms' scores, `arm` less `against`, from -2 to 2.

    `lo` and `hi` hold for all pairs of the axis together at `level`; `inner_lo` and `inner_hi` are
    90 % limits of this pair alone, for two one-sided tests. `power` is the chance with which these
    answers would show a true difference of `mde`; `detectable` the difference that they show with
    80 %. `logit` is the difference in strength of the choice model with limits that hold together,
    `logit_even` the same of a judge with the length of the texts held equal.
    `won` and `lost` count the implied comparisons. `why` says why there is no difference or no
    interval. `word` is one of the five, `said` the sentence behind it, `indicative` what the word
    would be where a rule forbids to conclude.
    """

    arm: str
    against: str
    delta: float | None
    se: float | None
    lo: float | None
    hi: float | None
    level: float
    inner_lo: float | None
    inner_hi: float | None
    method: str
    n_sets: int
    n_clusters: int
    mde: float
    power: float | None
    detectable: float | None
    logit: float | None = None
    logit_lo: float | None = None
    logit_hi: float | None = None
    logit_why: str = ""
    logit_even: float | None = None
    won: float = 0.0
    lost: float = 0.0
    why: str = ""
    word: str = ""
    said: str = ""
    needed: str = ""
    indicative: str = ""


class RatingEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """What the verdicts of one source (people, a judge, the panel) say about the arms on one axis.

    `groups` are arms in order of score; arms of one group cannot be told apart from each other.
    `refused` counts answers left out, by fault. `order_effect` is the advantage, in logits, of
    being shown first where that was in the model.
    """

    source: str
    arms: tuple[ArmScore, ...]
    pairs: tuple[PairShown, ...]
    groups: tuple[tuple[str, ...], ...]
    n_answers: int
    n_sets: int
    n_units: int
    n_clusters: int
    refused: dict[str, int]
    places: tuple[PlaceCount, ...] = ()
    notes: tuple[str, ...] = ()


class Coefficient(msgspec.Struct, frozen=True, kw_only=True):
    """A coefficient of agreement with limits from resampled sets; null with `why` where none is."""

    name: str
    value: float | None
    lo: float | None = None
    hi: float | None = None
    why: str = ""


class AgreementShown(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement of people on one choice (``best``, ``worst``): raw, by chance, and beyond it.

    `primary` is Brennan-Prediger's coefficient with chance 1/m; `secondary` are agreement beyond
    the ranking (over names of arms), which goes to 0 where one arm clearly wins.
    """

    choice: str
    n_sets: int
    n_raters: int
    raw: Coefficient
    chance: float
    primary: Coefficient
    secondary: tuple[Coefficient, ...]


class AnnotatorShown(msgspec.Struct, frozen=True, kw_only=True):
    """One annotator on one axis: checks, self-agreement on sets seen twice, times.

    `silent_right` of `silent_seen` silent checks; `loud_first_right` of `loud_seen` loud checks
    right at the first try. In `copies_apart` of `copies_seen` sets with one text twice one copy was
    called best and the other worst. `retest_best` is the share of `n_retest` repeated sets with the
    same best. `seconds_fast` is the time under which one in twenty of the sets lie, `n_fast` the
    sets that nobody can have read, or that took less than a quarter of the median of all. `guess`
    is what the annotator believed afterwards of who wrote the texts.
    """

    annotator: str
    n_answers: int
    n_skipped: int
    n_undone: int
    silent_right: int
    silent_seen: int
    loud_first_right: int
    loud_seen: int
    tutorial_right: int
    tutorial_seen: int
    copies_seen: int
    copies_apart: int
    is_excluded: bool
    is_complete: bool
    n_retest: int
    retest_best: float | None
    retest_worst: float | None
    n_timed: int
    seconds_median: float | None
    seconds_fast: float | None
    n_fast: int
    is_simulated: bool
    guess: str = ""
    why: str = ""


class PromiseShown(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule promises of an arm on one axis: ``superior``, ``non-inferior``, ``equivalent``.

    `is_kept` is true where the limits show it, false where they show that it is broken, null where
    they allow both; `word` is the axis's own word.
    """

    axis: str
    promise: str
    margin: float
    is_kept: bool | None
    word: str
    said: str


class RuleShown(msgspec.Struct, frozen=True, kw_only=True):
    """All that was promised of one arm against the baseline, axis by axis, and one word for it."""

    arm: str
    against: str
    promises: tuple[PromiseShown, ...]
    word: str
    said: str
    tags: tuple[str, ...] = ()


class LanguageShown(msgspec.Struct, frozen=True, kw_only=True):
    """The estimate of the deciding source in one language alone; it says no word.

    `language` is the direction, such as ``zh→ru``; "" = not marked. Limits hold for all pairs of
    the language together, and not for all languages.
    """

    language: str
    estimate: RatingEstimate


class GuessShown(msgspec.Struct, frozen=True, kw_only=True):
    """What those annotators say who believed afterwards that the texts came from there.

    `guess` is ``people``, ``machines``, ``both``, ``same``, ``unknown``, or "" for those who were
    not asked. It says no word: people prefer what they believe to be human, and here it is seen.
    """

    guess: str
    annotators: tuple[str, ...]
    estimate: RatingEstimate


class AxisShown(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one axis shows; axes are never combined.

    `mode` is ``kappa`` or ``no_kappa`` and `mode_said` its sentence. `blocked` says why there is no
    ranking (agreement below the registered minimum); null where there may be one. `decides` names
    the source whose words count. `people` leaves out who failed the checks, `people_all` nobody.
    `by_language` has the deciding source in each language, where there are several; `by_guess` has
    people by who they believed to have written the texts, where they were asked.
    """

    axis: str
    ask: str
    decides: str
    mode: str
    mode_said: str
    blocked: str | None
    people: RatingEstimate | None
    people_all: RatingEstimate | None
    agreement: tuple[AgreementShown, ...]
    annotators: tuple[AnnotatorShown, ...]
    judges: tuple[JudgeShown, ...] = ()
    judge_estimates: tuple[RatingEstimate, ...] = ()
    panel: PanelShown | None = None
    panel_estimate: RatingEstimate | None = None
    threshold: LockedThreshold | None = None
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    by_language: tuple[LanguageShown, ...] = ()
    by_guess: tuple[GuessShown, ...] = ()

    @property
    def deciding(self) -> RatingEstimate | None:
        """Gives the estimate of the source whose words count; null where it said nothing."""
        if self.decides == "people":
            return self.people
        if self.decides == "panel":
            alone = self.judge_estimates[0] if len(self.judge_estimates) == 1 else None
            return self.panel_estimate or alone
        return next((e for e in self.judge_estimates if e.source == self.decides), None)


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The file `ranking.json`: what follows from plan, archive and keys, and from nothing else.

    `heads` are the heads of the archives that the answers and judgements were read from; `unjoined`
    counts what no key fits, by reason.
    """

    title: str
    question: str
    arms: tuple[str, ...]
    baseline: str
    mde: float
    alpha: float
    power: float
    seed: int
    axes: tuple[AxisShown, ...]
    rules: tuple[RuleShown, ...]
    heads: dict[str, str]
    plan_sha256: str
    keys_sha256: str
    seal: str
    is_simulated: bool
    unjoined: dict[str, int]
    notes: tuple[str, ...] = ()
    derived_by: str = ""
    kind: str = "rating"
    format: int = 1

    def axis(self, name: str) -> AxisShown:
        """Gives the axis of that name."""
        return next(axis for axis in self.axes if axis.axis == name)

    @property
    def is_validated(self) -> bool:
        """Whether every judge whose words count has been validated against people."""
        deciding = [axis for axis in self.axes if axis.decides != "people"]
        return all("judge not validated" not in axis.tags for axis in deciding)
