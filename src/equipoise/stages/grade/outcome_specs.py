"""What may stand in the checks of what an agent left: end states, checkpoints, contracts, causes.

Each takes one field, `expect`: the expectation itself, or a place such as ``{expected.end_state}``
that stands for what the unit expects.
"""

from typing import Any, TypeVar

import msgspec
import regex
from pydantic import model_validator

from equipoise.errors import NotEstimable
from equipoise.records.contract import ContractedDocument
from equipoise.records.scenario import Checkpoint, EndState, GateCommand, RootCause
from equipoise.records.wanted import plainly
from equipoise.stages.grade.material import Material, values
from equipoise.stages.grade.spec_base import Seconds, Spec, Words
from equipoise.stages.grade.templates import has_places, resolved

T = TypeVar("T")

NOT_APPLICABLE = "not applicable"
"""Begins the reason why a criterion has no meaning for a unit."""


class _Expecting(Spec):
    """A check that holds what was left against one expectation.

    Args:
        expect: the expectation, or the place where the unit has it.
    """

    expect: Any

    @model_validator(mode="after")
    def _can_be_held(self) -> "_Expecting":
        if isinstance(self.expect, str):
            if not has_places(self.expect):
                raise ValueError("expect is a place such as {expected.end_state}, or an object")
        elif fault := fault_of(self.expect, self.kind()):
            raise ValueError(fault)
        return self

    @classmethod
    def kind(cls) -> Any:
        """Gives the type of the expectation."""
        raise NotImplementedError

    @property
    def documents(self) -> tuple[str, ...]:
        """Gives none: an agent that left nothing has shown what that is worth."""
        return ()


class EndStateSpec(_Expecting):
    """What has to be there at the end, and what must not; `expect` is an end state."""

    @classmethod
    def kind(cls) -> Any:
        """Gives the type of the expectation."""
        return EndState


class CheckpointSpec(_Expecting):
    """Where an agent has to wait for a confirmation; `expect` is a checkpoint."""

    @classmethod
    def kind(cls) -> Any:
        """Gives the type of the expectation."""
        return Checkpoint


class ArtifactSpec(_Expecting):
    """Documents that must be left; `expect` lists them, each with its contract."""

    @classmethod
    def kind(cls) -> Any:
        """Gives the type of the expectation."""
        return tuple[ContractedDocument, ...]


class RootCauseSpec(_Expecting):
    """The true root cause, by words that must stand in a document; `expect` has them."""

    @classmethod
    def kind(cls) -> Any:
        """Gives the type of the expectation."""
        return RootCause


class GateSpec(_Expecting):
    """Commands of a definition of done, run against what was left; `expect` lists them.

    Args:
        expect: as above.
        timeout_s: longest time for one command.
        own_s: longest time for all commands of the agent's own checklists together.
        sandbox: which are allowed, the first that works is used.
    """

    timeout_s: Seconds = 120.0
    own_s: Seconds = 20.0
    sandbox: Words = ("bubblewrap",)

    @classmethod
    def kind(cls) -> Any:
        """Gives the type of the expectation."""
        return tuple[GateCommand, ...]


def expectation(spec: _Expecting, material: Material, kind: type[T]) -> T:
    """Gives what a unit expects, as its type.

    Raises:
        NotEstimable: the unit expects nothing of the kind, or what is none.
    """
    try:
        given = resolved(spec.expect, values(material))
    except NotEstimable as error:
        raise NotEstimable(f"{NOT_APPLICABLE}: {error.why}", code="no_expectation") from error
    if fault := fault_of(given, kind):
        raise NotEstimable(f"the expectation is none: {fault}", code="no_expectation")
    return msgspec.convert(given, kind)


def fault_of(given: Any, kind: Any) -> str:
    """Says what is wrong with an expectation; empty where nothing is."""
    try:
        read = msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        return plainly(error)
    for one in read if isinstance(read, tuple) else (read,):
        contract = one.contract if isinstance(one, ContractedDocument) else None
        for pattern in contract.forbidden if contract else getattr(one, "told", ()):
            if fault := pattern_fault(pattern):
                return fault
    return ""


def pattern_fault(pattern: str) -> str:
    """Says why a text is no regular expression; empty where it is one."""
    try:
        regex.compile(pattern)
    except regex.error as error:
        return f"{pattern!r} is no regular expression: {error}"
    return ""
