"""What a rating study promises: outputs, axes, sets, who rates them, and the rules that decide."""

from enum import StrEnum
from typing import Any

import msgspec

from equipoise.records.judge_held import JudgeRecord
from equipoise.records.packet import Asked, Doc


class Output(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One arm's output for one unit, a line of the outputs file.

    `cluster` is what units share (a chapter); `models` every model that touched it on its way
    (drafting, editing, selecting); null = not recorded, and then no model may judge it.
    """

    unit: str
    arm: str
    text: str
    lang: str = ""
    prompt: str = ""
    docs: tuple[Doc, ...] = ()
    cluster: str = ""
    models: tuple[str, ...] | None = None
    trial: str = ""


class SetKind(StrEnum):
    """What a set is for. Only `STUDY` sets are estimated from."""

    STUDY = "study"
    RETEST = "retest"  # a study set once more for the same annotator, re-ordered
    TUTORIAL = "tutorial"  # gives feedback, may be skipped
    LOUD = "loud"  # a wrong answer is told and asked again
    SILENT = "silent"  # only recorded


class RatingSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Outputs of one unit that are put side by side on one axis.

    `arms` are in the places of the design. `same` lists arms whose texts were identical: only the
    first of each group is shown. For a check `best` and `worst` are the arms that a careful rater
    picks (null = any), and a planted text stands under the arm's name in `planted`. `of` is the
    study set that a retest repeats.
    """

    id: str
    axis: str
    unit: str
    arms: tuple[str, ...]
    kind: SetKind = SetKind.STUDY
    cluster: str = ""
    same: tuple[tuple[str, ...], ...] = ()
    best: str | None = None
    worst: str | None = None
    planted: dict[str, str] = {}
    warning: str = ""
    of: str = ""


class AxisPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One axis: what is asked, and what is shown beside the outputs. Axes are never combined.

    `shows` names the documents of an output that are shown (``source``); `prompt` too where true.
    `form` is that of its packets.
    """

    name: str
    ask: str
    shows: tuple[str, ...] = ()
    shows_prompt: bool = False
    languages: tuple[str, ...] = ()
    criteria: tuple[Asked, ...] = ()
    form: str = ""


class AnnotatorPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One person who rates: on which axes, of outputs in which languages ("" tuple = all)."""

    name: str
    axes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


class Policy(StrEnum):
    """How model judges are used (X-C1)."""

    SINGLE = "single"
    DOUBLE = "double"
    PANEL = "panel"


class JudgePlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One judge: the specification of its model as an arm of kind ``model`` has it, and its family.

    `family` is read from the family map, never guessed; "" cannot be planned. `validation` is the
    record of an earlier validation, where one is named for a judge of single outputs.
    """

    name: str
    model: dict[str, Any]
    family: str
    validation: JudgeRecord | None = None


class PanelPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The judges and how they are asked.

    `repeats` is even, half in each order (for sets: permutations in equal numbers); `templates` are
    wordings, each asked equally often. A judge with more than `max_unreadable` of its answers
    unreadable is not used; a verdict needs answers of at least `quorum` of its repeats.
    `families_sha256` is the hash of the family map. A question is asked again up to `max_attempts`
    times where its answer cannot be read; of each text a judge sees `max_chars` characters at most.
    `max_usd` is for all judges together (null = no limit).
    """

    policy: Policy
    judges: tuple[JudgePlan, ...]
    repeats: int = 12
    templates: tuple[str, ...] = ("plain",)
    quorum: float = 0.5
    max_unreadable: float = 0.05
    double_rating_share: float = 0.20
    families_sha256: str = ""
    max_attempts: int = 3
    max_chars: int = 50_000
    max_usd: float | None = None
    concurrency: int = 4
    settings: dict[str, Any] = {}


class ChecksPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Attention checks on each axis: an annotator is kept with at least `need` of `n_silent` right.

    `n_equal` are silent sets in which two options have the same text; they have no right answer
    and do not count for `need`, but nobody can hold one copy for best and the other for worst.
    """

    n_silent: int = 0
    need: int = 0
    n_loud: int = 0
    n_tutorial: int = 0
    n_equal: int = 0


class AxisPower(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the sets of one axis can tell, by `stats.bws_power`.

    `n_answers` counts answers of the annotators planned to the `n_sets` study sets, of which
    `n_overlapping` are seen by two or more; `design_effect` is that of several answers to one set
    under `correlation`, times what sets smaller than the number of arms cost. `n_needed` answers
    find a difference of `mde` between any two arms with the planned power; the answers there are
    find `mde_reached` so (null = fewer than two clusters, of which nothing can be told), and `mde`
    with `power_reached`. `design` says how the sets were made. Limits count the `n_clusters` texts,
    or what texts share, that the sets are of.
    """

    axis: str
    n_sets: int
    n_answers: int
    n_overlapping: int
    comparisons: int
    design_effect: float
    n_needed: int
    mde_reached: float | None
    power_reached: float
    design: str = ""
    n_clusters: int = 0


class RatingPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The file `plan.json` of a rating study; the sha256 of its canonical bytes is its name.

    `mde` is in score units (best minus worst over shown, -1..1); `decides` is ``people``,
    ``panel`` or the name of one judge; `agreement_min` the smallest agreement beyond chance under
    which no ranking is given (null = none registered). `raters_per_set` people see each set of the
    overlap, one the rest. `outputs_sha256` covers the outputs file. `correlation` is what is
    assumed between two people's answers to one set, `longest` the most characters that one output
    may have. `threshold` has, where it is not empty, the units on which the threshold of a score is
    chosen (``calibration``) and those it is reported on (``final``); no unit is in both.
    `hidden` are further words that outputs are masked of, such as names of skills; `blinded_sha256`
    covers all that raters may see after masking.
    """

    kind: str
    title: str
    question: str
    seed: int
    arms: tuple[str, ...]
    baseline: str
    axes: tuple[AxisPlan, ...]
    sets: tuple[RatingSet, ...]
    outputs_file: str
    outputs_sha256: str
    set_size: int
    mde: float
    alpha: float = 0.05
    power: float = 0.8
    decides: str = "people"
    identical: str = "credit-both"
    annotators: tuple[AnnotatorPlan, ...] = ()
    raters_per_set: int = 3
    overlap: float = 1.0
    retest: float = 0.0
    checks: ChecksPlan = ChecksPlan()
    agreement_min: float | None = None
    panel: PanelPlan | None = None
    threshold: dict[str, Any] = {}
    rules: tuple[dict[str, Any], ...] = ()
    correlation: float = 0.0
    longest: int = 0
    powers: tuple[AxisPower, ...] = ()
    families_file: str = ""
    hidden: tuple[str, ...] = ()
    blinded_sha256: str = ""
    is_simulated: bool = False
    tool_version: str = ""
    study_sha256: str = ""
    format: int = 1
