"""What was found of a scenario pack by looking at it and at what its own suites run."""

import msgspec

from equipoise.records.notice import Notice, Severity


class ModuleFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A module of a seed: lines of code, and the share of them that its own suite runs.

    Blank lines and comments are no code. Null = not measured.
    """

    n_lines: int
    coverage: float | None = None


class SeedFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a seed is: its size, its past, its age, and what its own suite runs.

    `n_python` are all lines of its Python files, `n_lines` those of code outside of tests.
    `foreign` are imports that are neither of the standard library nor of the seed, as
    ``module (file)``, `markers` places with TODO or FIXME, `deprecated` files that call something
    deprecated, `drift` the habits of style in which files differ. `suite_s` is how long the own
    suite took, null = not measured, for which `unmeasured` says why.
    """

    n_commits: int
    n_authors: int
    first_at: str
    last_at: str
    n_python: int
    n_lines: int
    n_test_lines: int
    is_onboarded: bool
    modules: dict[str, ModuleFacts] = {}
    foreign: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    deprecated: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()
    suite_s: float | None = None
    n_tests: int | None = None
    unmeasured: str = ""


class SeedLint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A seed without a bug in it, and what there is to say of it; `sha256` names the seed."""

    sha256: str
    facts: SeedFacts
    notices: tuple[Notice, ...] = ()


class PackLint(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="pack_lint",
):
    """The file `proofs/pack.json`: the seeds of a pack by name, and what is said of the whole.

    It is stale when a seed is another, or when it was made by other `rules`.
    """

    rules: str
    seeds: dict[str, SeedLint]
    notices: tuple[Notice, ...] = ()
    tool_version: str = ""

    @property
    def told(self) -> tuple[Notice, ...]:
        """Gives everything that is said, of the pack first and then of its seeds."""
        return (*self.notices, *(one for seed in self.seeds.values() for one in seed.notices))

    @property
    def faults(self) -> tuple[str, ...]:
        """Gives what stands against running any scenario of the pack, a line each."""
        return faults_of(self.told)


def faults_of(notices: tuple[Notice, ...]) -> tuple[str, ...]:
    """Gives the messages of those notices that refuse, each with its place."""
    return tuple(
        f"{one.where}: {one.message}" if one.where else one.message
        for one in notices
        if one.severity is Severity.REFUSED
    )


class PlantedLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line that the bug put there, or beside which it took one away, and which own tests run it.

    `text` is the line; `tests` names those that run it, null = nothing can be run in it (a comment,
    a blank line).
    """

    file: str
    line: int
    text: str
    tests: tuple[str, ...] | None = None


class Corner(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a bug lies, as the seed's own suite sees it: run by no test, or run and not noticed.

    `unmeasured` says why nothing is known.
    """

    lines: tuple[PlantedLine, ...] = ()
    n_tests: int = 0
    unmeasured: str = ""

    @property
    def n_run(self) -> int:
        """Gives how many of the lines are run by some test."""
        return sum(bool(one.tests) for one in self.lines)


class Survivor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A spoilt reference that the hidden tests take for right: how it was spoilt, and its diff."""

    what: str
    where: str
    diff: str


class Mutation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The reference, spoilt on purpose in many ways, against the hidden tests.

    Of `n_made` ways `n_run` were tried (those tried are spread evenly); `n_unclear` ended without a
    verdict. `why` says why there is none.
    """

    n_made: int = 0
    n_run: int = 0
    n_caught: int = 0
    n_unclear: int = 0
    survivors: tuple[Survivor, ...] = ()
    why: str = ""
