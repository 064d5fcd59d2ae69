"""The result of a comparison: all that a report shows and `verify` derives again."""

import msgspec

from equipoise.records.estimate import (
    ArmEstimate,
    Comparison,
    CriterionEstimate,
    Flaky,
    Resource,
    UnitLine,
    UnitSets,
)
from equipoise.records.notice import Headline, Notice
from equipoise.records.terms import ArmSource, Terms
from equipoise.records.verdict import Verdict


class HeadlineCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A figure a source declares, the same from its rows, and whether it follows."""

    headline: Headline
    from_rows: float | None
    follows: bool | None
    note: str = ""


class CellLines(msgspec.Struct, frozen=True, kw_only=True):
    """The units that moved most in one comparison, and how many more there are."""

    comparison: str
    lines: tuple[UnitLine, ...]
    n_more: int = 0


class Estimates(msgspec.Struct, frozen=True, kw_only=True):
    """The file `estimates.json`: every number of a comparison, in a fixed order."""

    arms: tuple[ArmEstimate, ...]
    comparisons: tuple[Comparison, ...]
    unit_sets: tuple[UnitSets, ...]
    criteria: tuple[CriterionEstimate, ...] = ()
    resources: tuple[Resource, ...] = ()
    flaky: tuple[Flaky, ...] = ()
    n_flaky_beyond: int = 0
    lines: tuple[CellLines, ...] = ()
    headlines: tuple[HeadlineCheck, ...] = ()
    notices: tuple[Notice, ...] = ()


class ComparisonFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file `comparison.json`: terms, the arms' sources with their archive heads, the tool."""

    terms: Terms
    sources: tuple[ArmSource, ...]
    tool_version: str
    title: str = ""
    is_simulated: bool = False


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a report needs."""

    file: ComparisonFile
    estimates: Estimates
    verdicts: tuple[Verdict, ...]
