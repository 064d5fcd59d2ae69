"""The report for programs: words, counts and numbers of each comparison as JSON."""

from collections.abc import Sequence

import msgspec

from equipoise.records.codec import pretty
from equipoise.records.estimate import CellKey, Interval
from equipoise.records.terms import Terms
from equipoise.records.verdict import Tag, Word
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import missing_beside, needed, sentence

FORMAT = "equipoise.report/1"


class WordCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How often each of the five words was said."""

    better: int = 0
    worse: int = 0
    equivalent: int = 0
    cannot_tell: int = msgspec.field(default=0, name="cannot tell")
    not_evaluable: int = msgspec.field(default=0, name="not evaluable")


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What a program decides by: words over all comparisons and over the headlines alone.

    `listed_regressions` and `listed_improvements` count the findings inside partitions.
    """

    all: WordCounts
    headline: WordCounts
    listed_regressions: int
    listed_improvements: int
    declared_figures_that_do_not_follow: int


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison: its verdict, the sentences of the page, and the numbers behind them.

    `delta` = new - base in the criterion's own unit, `gain` has the sign of better. What is not
    estimable is null, and `not_estimable` says why. `anchor` is its section in index.html.
    """

    id: str
    baseline: str
    arm: str
    cell: CellKey
    family: str
    family_size: int
    word: Word
    tags: tuple[Tag, ...]
    is_listed: bool
    sentence: str
    why: str
    needed: str
    missing: str
    rule: str
    level: float
    survives_missing: bool | None
    delta: float | None
    gain: float | None
    interval: Interval | None
    interval_equivalence: Interval | None
    fixed_interval: Interval | None
    adjusted_p: float | None
    mean_new: float | None
    mean_base: float | None
    n_units_new: int
    n_units_base: int
    n_pairs: int
    n_clusters: int | None
    units_to_show: int | None
    units_to_equate: int | None
    not_estimable: str
    anchor: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The file `report.json`."""

    format: str
    title: str
    tool_version: str
    is_simulated: bool
    is_exploratory: bool
    terms: Terms
    heads: dict[str, str]
    counts: Counts
    comparisons: tuple[Told, ...]


def to_json(reading: Reading) -> bytes:
    """Gives report.json: format, terms, archive heads, counts per word, every comparison."""
    file = reading.result.file
    return pretty(
        Summary(
            format=FORMAT,
            title=file.title,
            tool_version=file.tool_version,
            is_simulated=file.is_simulated,
            is_exploratory=reading.is_exploratory,
            terms=file.terms,
            heads={s.name: s.head or reading.heads.get(s.archive, "") for s in file.sources},
            counts=_counts(reading),
            comparisons=tuple(_told(reading, row) for row in reading.rows),
        )
    )


def _counts(reading: Reading) -> Counts:
    listed = [row for row in reading.rows if row.verdict.is_listed]
    return Counts(
        all=_words(reading.rows),
        headline=_words(reading.headlines),
        listed_regressions=_words(listed).worse,
        listed_improvements=_words(listed).better,
        declared_figures_that_do_not_follow=sum(
            check.follows is False for check in reading.result.estimates.headlines
        ),
    )


def _words(rows: Sequence[Row]) -> WordCounts:
    words = [row.verdict.word for row in rows]
    return WordCounts(
        better=words.count(Word.BETTER),
        worse=words.count(Word.WORSE),
        equivalent=words.count(Word.EQUIVALENT),
        cannot_tell=words.count(Word.CANNOT_TELL),
        not_evaluable=words.count(Word.NOT_EVALUABLE),
    )


def _told(reading: Reading, row: Row) -> Told:
    comparison, verdict = row.comparison, row.verdict
    return Told(
        id=comparison.id,
        baseline=comparison.baseline,
        arm=comparison.arm,
        cell=comparison.cell,
        family=comparison.family,
        family_size=comparison.family_size,
        word=verdict.word,
        tags=verdict.tags,
        is_listed=verdict.is_listed,
        sentence=sentence(reading, row),
        why=verdict.why,
        needed=needed(row),
        missing=missing_beside(row),
        rule=verdict.rule,
        level=verdict.level,
        survives_missing=verdict.survives_missing,
        delta=comparison.delta,
        gain=comparison.gain,
        interval=comparison.interval,
        interval_equivalence=comparison.interval_equivalence,
        fixed_interval=comparison.fixed_interval,
        adjusted_p=comparison.adjusted_p,
        mean_new=comparison.mean_new,
        mean_base=comparison.mean_base,
        n_units_new=comparison.n_units_new,
        n_units_base=comparison.n_units_base,
        n_pairs=comparison.n_pairs,
        n_clusters=comparison.n_clusters,
        units_to_show=comparison.units_to_show,
        units_to_equate=comparison.units_to_equate,
        not_estimable=comparison.not_estimable,
        anchor=f"index.html#{row.anchor}",
    )
