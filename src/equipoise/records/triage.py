"""Triage: cells with odd scores wait for a label, and a verdict waits for them."""

from enum import StrEnum

import msgspec

TRIAGE = "triage.jsonl"
"""File of a study: a line for each label, chained to the plan's hash."""


class Label(StrEnum):
    """What an odd score was found to be, once somebody looked at transcript and artifacts."""

    ORACLE = "oracle problem"  # the hidden tests ask for what nobody was told, or are wrong
    FIXTURE = "fixture defect"  # the seed or its surroundings are broken
    SKILL = "true skill defect"
    MODEL = "model behaviour difference"


class FlagKind(StrEnum):
    """By which rule a cell, or a whole scenario, was flagged."""

    ALL_ARMS_FAIL = "all arms fail"  # of a scenario: some hidden test, or the end state
    BROKEN = "suite broken, hidden tests pass"
    TAMPERING = "tampering"
    TEST_EDITS = "test edits"
    HISTORY = "history read"
    SEARCH = "search for what is hidden"
    ESCAPE = "escape"
    EMPTY_CLAIM = "claim without work"
    TRANSCRIPT = "incomplete transcript"
    INFRASTRUCTURE = "infrastructure"
    TIME = "implausible time"
    FLAKY = "flaky"  # of a scenario: the same work passed a test and failed it


class Flagged(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A cell, or a scenario as a whole, that a verdict waits for.

    `id` is the cell's id, or the scenario's where it is flagged as a whole; `arm`, `run_id`,
    `trial` are empty then. `told` has a line for each flag. `evidence` names documents to look at:
    name -> sha256 in the archive `run_id`. `oracle` is what its tests were: group -> sha256, and
    ``seed``.
    """

    id: str
    scenario: str
    flags: tuple[FlagKind, ...]
    told: tuple[str, ...]
    arm: str = ""
    repetition: int = 0
    run_id: str = ""
    trial: str = ""
    evidence: dict[str, str] = {}
    oracle: dict[str, str] = {}

    @property
    def name(self) -> str:
        """Gives it in words: scenario, arm and repetition."""
        if not self.trial:
            return f"{self.scenario}, all cells"
        return f"{self.scenario}, {self.arm}, repetition {self.repetition}"


class Triaged(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="triaged"
):
    """One label, by whom and when, with what was flagged then; never altered, only followed.

    A later line about the same thing takes its place. `flags`, `evidence` and `oracle` are those of
    the moment; flags that come later wait for a label of their own.
    """

    at: str
    by: str
    label: Label
    note: str
    id: str
    scenario: str
    flags: tuple[FlagKind, ...]
    arm: str = ""
    repetition: int = 0
    run_id: str = ""
    trial: str = ""
    evidence: dict[str, str] = {}
    oracle: dict[str, str] = {}
