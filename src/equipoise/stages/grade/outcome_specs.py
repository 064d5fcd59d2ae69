"""What may stand in the checks of what an agent left: end states, checkpoints, contracts, causes.

Each takes one field, `expect`: the expectation itself, or a place such as ``{expected.end_state}``
that stands for what the unit expects.
"""

from typing import Any, TypeVar

import msgspec
import regex
from pydantic import model_validator

from equipoise.errors import NotEstimable
from equipoise.records.scenario import EndState
from equipoise.records.wanted import plainly
from equipoise.stages.grade.material import Material, values
from equipoise.stages.grade.spec_base import Spec
from equipoise.stages.grade.templates import has_places, resolved

T = TypeVar("T")


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


def expectation(spec: _Expecting, material: Material, kind: type[T]) -> T:
    """Gives what a unit expects, as its type.

    Raises:
        NotEstimable: the unit expects nothing of the kind, or what is none.
    """
    given = resolved(spec.expect, values(material))
    if fault := fault_of(given, kind):
        raise NotEstimable(f"the expectation is none: {fault}", code="no_expectation")
    return msgspec.convert(given, kind)


def fault_of(given: Any, kind: Any) -> str:
    """Says what is wrong with an expectation; empty where nothing is."""
    try:
        read = msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        return plainly(error)
    for one in read if isinstance(read, tuple | list) else (read,):
        for pattern in getattr(one, "told", ()):
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
