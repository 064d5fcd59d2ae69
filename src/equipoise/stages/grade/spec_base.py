"""What every check's specification has, and where a check quotes from that shows nothing itself."""

from typing import Annotated

import regex
from pydantic import BaseModel, ConfigDict, Field, model_validator

from equipoise.stages.grade.templates import without_places

Seconds = Annotated[float, Field(gt=0, le=600, strict=False)]
Words = Annotated[tuple[str, ...], Field(min_length=1, strict=False)]


class Spec(BaseModel):
    """What every check has; fields that are not named are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @property
    def documents(self) -> tuple[str, ...]:
        """Gives the names of the documents that it looks at; none where a program decides."""
        named = getattr(self, "document", None)
        return (named,) if named is not None else ()


class Cite(Spec):
    """Where to quote from when the check itself has nothing to show.

    Args:
        document: name of one of the trial's documents.
        pattern: a regular expression; the first line with a match is quoted, else the last line.
    """

    document: str
    pattern: str = ""

    @model_validator(mode="after")
    def _compiles(self) -> "Cite":
        compiles(self.pattern)
        return self


def compiles(pattern: str) -> None:
    """Does nothing where it is a regular expression, whatever stands at its places.

    Raises:
        ValueError: it is none.
    """
    try:
        regex.compile(without_places(pattern, "x"))
    except regex.error as error:
        raise ValueError(f"no regular expression: {error}") from error
