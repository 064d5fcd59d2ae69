"""What a comparison of an outcome study found beside its rule: the file `outcome.json`."""

from enum import StrEnum

import msgspec

from equipoise.records.hypothesis import Aim
from equipoise.records.outcome_plan import Control
from equipoise.records.triage import Flagged, Triaged
from equipoise.records.verdict import Word

OUTCOME = "outcome.json"
"""File of a comparison."""


class RateOf(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pass rate of one arm: the mean over scenarios of the mean over their repetitions.

    `lo` and `hi` are limits at 95 % over scenarios; null with fewer than two of them. `n_cells` of
    `n_planned` cells were measured; `tag` is ``measured``, ``soft`` or ``underpowered``.
    """

    criterion: str
    value: float | None
    lo: float | None
    hi: float | None
    n_scenarios: int
    n_cells: int
    n_planned: int
    tags: tuple[str, ...]
    tier: str = ""
    why: str = ""


class CostOf(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a cell of an arm costs on average: null where no cell says."""

    tokens_in: float | None
    tokens_out: float | None
    turns: float | None
    wall_ms: float | None
    usd: float | None
    n_cells: int
    n_with_tokens: int
    n_with_usd: int
    is_estimated: bool = False


class ArmOutcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One arm: its pass rates, as a whole and by tier, what it costs, and what it did amiss.

    `tests` counts tests of a group over all cells: passed, and run. `found` counts cells by the
    kind of what was found in them. `truncated` counts cells cut at a limit, and those that do not
    tell.
    """

    arm: str
    run_id: str
    model: str
    skill: str
    is_simulated: bool
    rates: tuple[RateOf, ...]
    tests: dict[str, tuple[int, int]]
    cost: CostOf
    found: dict[str, int]
    truncated: tuple[int, int]
    endings: dict[str, int]
    main: RateOf | None = None


class ItemFlag(StrEnum):
    """What is odd about one hidden test."""

    CEILING = "ceiling"  # every cell of every arm passed it: it tells nothing apart
    FLOOR = "floor"  # no cell passed it
    ALL_ARMS_FAIL = "all arms fail"  # of several arms none ever passed it: is the test right?
    FREE = "free"  # implicit, and the literal-minded proof passes it: it comes by itself
    NOT_RED = "not red before"  # the seed passes it as it is: it measures nothing
    NOT_GREEN = "not green by reference"
    FLAKY = "flaky"  # the same work passed it once and failed it once


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One hidden test over all cells of its scenario.

    `red` and `green` are from the stored proof; null = it has no such run. `passed` counts for each
    arm the cells that passed it, of those that ran it. `discrimination` is its correlation with
    the other tests of its scenario over cells (corrected item-total); `between` the difference of
    the pass rates, new minus base. Null with the reason in `why`: both are no more than leads at
    the sizes of most studies.
    """

    scenario: str
    group: str
    test: str
    red: bool | None
    green: bool | None
    passed: dict[str, tuple[int, int]]
    discrimination: float | None
    between: float | None
    n_cells: int
    flags: tuple[ItemFlag, ...] = ()
    why: str = ""

    @property
    def tells_apart(self) -> bool:
        """Says whether some cells passed it and others not."""
        n_passed = sum(passed for passed, _ in self.passed.values())
        return 0 < n_passed < self.n_cells


class GroupAlarm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something a reader of a group of tests has to know before believing its pass rate."""

    scenario: str
    group: str
    what: str
    tests: tuple[str, ...] = ()


class Answer(StrEnum):
    """What the runs say to a hypothesis."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    NULL = "null"  # they do not say: cannot tell


class HypothesisVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one registered hypothesis, with the numbers that decided.

    `gain` is the mean over scenarios of the new arm's pass rate minus the base arm's, or the share
    of a resource that is saved; `lo` and `hi` its limits at `level`, of this hypothesis alone. `p`
    is of the exact sign-flip test against the threshold or margin, `smallest_p` the smallest that
    so many scenarios can give, `adjusted_p` what the family's rule makes of the larger of `p` and
    the level at which the interval would still decide. Null where `why` says so. `shown` is the
    word for the gain itself, as far as the answer holds it after the family's rule; null = none.
    """

    id: str
    statement: str
    metric: str
    aim: Aim
    bound: float
    primary: bool
    new: str
    base: str
    answer: Answer
    why: str
    gain: float | None
    lo: float | None
    hi: float | None
    level: float
    p: float | None
    adjusted_p: float | None
    smallest_p: float | None
    n_scenarios: int
    n_planned: int
    new_value: float | None
    base_value: float | None
    rule: str
    tags: tuple[str, ...]
    shown: Word | None = None

    def word_for(self, arm: str) -> Word | None:
        """Gives the word that it carries about an arm; null where it speaks for none (not worse).

        Args:
            arm: one of its two arms: what is a gain for one is a loss for the other.
        """
        if self.answer is Answer.NULL:
            return Word.CANNOT_TELL
        if self.shown is None:
            is_kept = self.aim is Aim.NOT_WORSE and self.answer is Answer.CONFIRMED
            return None if is_kept else Word.CANNOT_TELL
        if self.new != arm:
            turned = {Word.BETTER: Word.WORSE, Word.WORSE: Word.BETTER}
            return turned.get(self.shown, self.shown)
        return self.shown


class CaseVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the repetitions of one scenario say of one criterion, the new arm against the base arm.

    `word` is ``worse`` or ``better`` where more or fewer cells than chance would give passed
    everything: by Fisher's exact test on cells, `p`, and Holm over all cases of the comparison,
    `adjusted_p`. Null = nothing is lower, and nothing more is claimed. `passed` counts for the new
    and the base arm the cells that passed everything, of those measured; `new` and `base` are mean
    pass rates. `why` says what is missing, or why nobody can tell.
    """

    scenario: str
    criterion: str
    word: Word | None
    why: str
    new: float | None = None
    base: float | None = None
    passed: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    p: float | None = None
    adjusted_p: float | None = None
    tag: str = "measured"


class Standing(StrEnum):
    """What an outcome comparison may say at all."""

    DECIDED = "decided"
    EXPLORATORY = "exploratory"  # nothing was claimed beforehand
    CEILING = "ceiling"  # all arms are at 1.0: that proves nothing
    BLOCKED = "blocked"  # flagged cells wait for a label
    STALE = "stale"  # hidden tests were changed, or are known to be wrong
    OUT_OF_ENVIRONMENT = "out of environment"  # agents worked without the onboarding
    VOID = "void"  # too few cells ended with an outcome


class OutcomeVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The headline: what may be said, the word for it, and why."""

    standing: Standing
    word: Word
    why: str
    needed: str = ""
    tags: tuple[str, ...] = ()


class OutcomeFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The file `outcome.json`: arms, items, hypotheses and what waits, as one comparison saw them.

    `runs` are all that were looked at: the two that are compared, then the last of each other arm.
    `waiting` is what no label covers, `labels` those of what was looked at, `n_labels` how many the
    study had. `stale` are scenarios whose scores decide nothing any more, with the reason;
    `hidden_now` the hashes of the pack's hidden tests when it was made: scenario/group -> sha256;
    `proofs` those of the stored proofs by then: scenario -> sha256.
    `control` names what the two arms differ in; null = the plan does not say.
    `origin` is the pack's: what comes of a ``fork`` or a ``snapshot`` is never pooled with others.
    """

    new_arm: str
    base_arm: str
    runs: tuple[str, ...]
    catalog_version: str
    control: Control | None
    arms: tuple[ArmOutcome, ...]
    items: tuple[Item, ...]
    alarms: tuple[GroupAlarm, ...]
    verdict: OutcomeVerdict
    hypotheses: tuple[HypothesisVerdict, ...] = ()
    waiting: tuple[Flagged, ...] = ()
    labels: tuple[Triaged, ...] = ()
    n_labels: int = 0
    stale: dict[str, str] = {}
    hidden_now: dict[str, str] = {}
    proofs: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    origin: str = "built"
    derived_by: str = ""
