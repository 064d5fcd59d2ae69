"""What may stand in the check `suite`: hidden tests, and how they are run."""

from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from equipoise.stages.grade.spec_base import Spec, Words
from equipoise.stages.grade.templates import places

Texts = Annotated[tuple[str, ...], Field(strict=False)]


class SuiteSpec(Spec):
    """Hidden tests, run against a fresh seed with the agent's diff on top, in a sandbox of theirs.

    Args:
        tests: their folder in the study's folder, in most studies ``{expected.tests}``: only what a
            unit expects may name it, for what a unit is given is seen by the agent.
        seed_tests: in place of `tests`, globs of the seed's own tests: what the agent did to them
            is left out.
        reference: a file with the diff of a solution that has to pass every test; without one
            nobody has shown that the tests can be passed.
        lost: any test that does not pass is the fault (``any``), each counts 1 (``each``), or the
            share of tests that do not pass counts (``share``, with a maximum of 1).
        paths: where the program's modules lie in the workspace.
        allowed, kept: globs of what the agent may have changed, and of what stays the seed's.
        apart: whether tests and program run in two processes, two sandboxes.
        python: the program's interpreter; empty = ours.
        command: tests of any language in place of pytest: with ``{report}`` for the JUnit file,
            ``{tests}`` for their folder, ``{workspace}``.
        at: where in the workspace the tests are put for a command.
        must_fail: ids of tests that fail whatever the program does, for a command.
        timeout_s: longest time for one run.
        sandbox: which are allowed, the first that works is used.
        environment: variables that the tests see.
    """

    tests: str = ""
    seed_tests: Texts = ()
    reference: str = ""
    lost: Literal["any", "each", "share"] = "any"
    paths: Words = (".", "src")
    allowed: Words = ("**",)
    kept: Texts = ()
    apart: bool = True
    python: str = ""
    command: Texts = ()
    at: str = "hidden-tests"
    must_fail: Texts = ()
    timeout_s: Annotated[float, Field(gt=0, le=7200, strict=False)] = 300.0
    sandbox: Words = ("bubblewrap",)
    environment: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_hidden(self) -> Self:
        if bool(self.tests) == bool(self.seed_tests):
            raise ValueError("one of tests and seed_tests is wanted, not both")
        seen = [
            place
            for text in (self.tests, self.reference)
            for place in places(text)
            if not place.startswith("expected.")
        ]
        if seen:
            raise ValueError(
                f"{{{seen[0]}}} is seen by the agent: name hidden tests by {{expected. ...}}"
            )
        for text in (self.tests, self.reference, self.at, *self.paths):
            path = PurePosixPath(text)
            if path.is_absolute() or ".." in path.parts:
                raise ValueError(f"{text!r} leads out of the folder it counts from")
        if not self.command and self.must_fail:
            raise ValueError("must_fail goes with a command; pytest has tests of ours that fail")
        return self

    @property
    def documents(self) -> tuple[str, ...]:
        """Gives none: an agent that changed nothing has shown what that is worth."""
        return ()
