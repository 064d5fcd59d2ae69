"""A scenario: one task for a coding agent on a seed, and what decides what came of it."""

import hashlib
from enum import StrEnum

import msgspec


class ScenarioKind(StrEnum):
    """What is asked of the agent, and so what its main metric is."""

    FIX = "fix"
    FEATURE = "feature"
    STOP = "stop"  # the right thing is to stop, hand over or refuse
    DECOMPOSE = "decompose"
    EPIC = "epic"


class Confirmation(StrEnum):
    """What becomes of a question to the user where nobody is there."""

    SCRIPTED = "scripted"  # a scripted user has confirmed beforehand, in the words of the task
    SECOND_TURN = "second_turn"  # a scripted user confirms in a turn after the agent has stopped
    EXPECT_STOP = "expect_stop"  # stopping in the right state is what is scored
    NONE = "none"


class HiddenFiles(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Hidden tests by group: paths below the scenario's `hidden-tests`."""

    explicit: tuple[str, ...] = ()
    implicit: tuple[str, ...] = ()


class Regression(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the seed's own suite is run; from a pristine copy, so that an agent cannot edit it."""

    command: tuple[str, ...] = ("python", "-m", "pytest", "-q")
    pristine_copy: bool = True


class ArtifactRule(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An artifact that has to be there, and the contract file that it has to keep."""

    glob: str
    contract: str


class Dependency(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something of the environment that the skill relies on: provided, or exempted in words."""

    name: str
    provided: bool
    exemption: str | None = None


class EndState(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """What has to be there, and what must not, where the right thing is to stop.

    `unchanged` are patterns of paths that the agent must not add to, change or remove; of `present`
    each has to match a file that it left, of `absent` none. `told` are regular expressions: each
    has to be found in the last message or in a document that was left, so that an agent without a
    skill can be right as well. `about` says in words what is right here, for the report.
    """

    unchanged: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    about: str = ""


class Checkpoint(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Where an agent has to stop and wait for a confirmation: both signs are needed.

    The document that `document` matches has `field` of its front matter at one of `waiting`, and
    the last message matches one of `told`, regular expressions. `unchanged` as for an end state.
    """

    document: str
    field: str = "status"
    waiting: tuple[str, ...] = ("draft",)
    told: tuple[str, ...]
    unchanged: tuple[str, ...] = ()


class GateCommand(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """A command of the definition of done: its exit code decides; not core = it only tells."""

    id: str
    command: tuple[str, ...]
    is_core: bool = True
    about: str = ""


class RootCause(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """The true root cause, in two tracks: words that must occur, and a text a judge compares with.

    Of each group of `keywords` one word has to occur in the document that `document` matches, below
    the heading `section` (empty = anywhere), case and inflection aside. `statement` is what the
    judge holds the document against.
    """

    document: str
    section: str = ""
    keywords: tuple[tuple[str, ...], ...] = ()
    statement: str = ""


class ProofFiles(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Patches that prove a scenario: paths below its folder.

    `reference` is by the scenario's author, `third_party` by somebody who read the need text alone,
    `literal` does what the text says and no more, `senior` what a senior engineer would;
    `near_misses` are fixes that hidden tests must fail.
    """

    reference: str
    third_party: str | None = None
    literal: str | None = None
    senior: str | None = None
    near_misses: tuple[str, ...] = ()


class Scenario(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    rename={"answer_type": "answerType"},
):
    """The file `scenario.json`. Only `prompt` and the seed are ever seen by an agent.

    `seed` names a seed of the pack, ``seed-repo`` its materialised form in the scenario's folder.
    `bug_id` is a bug that the seed's script plants, of the `pattern`. `expected_end_state` says for
    a stop what must be and must not be there. `items` is the file of the expert decomposition,
    `deliverable` the path at which the prompt asks for the agent's. `confirmation_text` is what the
    scripted user says. `turns` are what the user says after that, each once the agent has stopped:
    a long epic goes on child by child so.
    """

    id: str
    kind: ScenarioKind
    seed: str
    prompt: str
    skill_under_test: str = ""
    answer_type: str = "e2e-outcome"
    bug_id: str | None = None
    pattern: str = ""
    difficulty: str | None = None
    hidden_tests: HiddenFiles = HiddenFiles()
    regression: Regression = Regression()
    artifacts: tuple[ArtifactRule, ...] = ()
    expected_end_state: EndState | None = None
    checkpoint: Checkpoint | None = None
    dod_gate: tuple[GateCommand, ...] = ()
    confirmation: Confirmation = Confirmation.NONE
    confirmation_text: str = ""
    turns: tuple[str, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    proofs: ProofFiles | None = None
    root_cause: RootCause | None = None
    items: str = ""
    deliverable: str = ""
    time_limit_s: float = 600.0
    held_out: bool = False
    about: str = ""


def said_later(scenario: Scenario) -> tuple[str, ...]:
    """Gives what the user says after the first turn: a confirmation, then what else is to come."""
    is_second = scenario.confirmation is Confirmation.SECOND_TURN
    return (*((scenario.confirmation_text,) if is_second else ()), *scenario.turns)


class Pack(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The file `pack.yaml`: whose scenarios these are and where their seeds come from.

    `origin` is ``built`` (written for the pack), ``snapshot`` (a private real project, a track of
    its own) or ``fork`` (public: models may know it, and every report says so). `without_stops`
    says why no scenario is there in which stopping is right; a study without one is refused else.
    """

    name: str
    version: str
    origin: str
    about: str = ""
    seeds: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    patterns: dict[str, str] = {}
    without_stops: str = ""


def bug_reference(bug_id: str) -> str:
    """Gives the name by which a run asks for a bug: its id says what is wrong, this does not."""
    return f"ref-{hashlib.sha256(bug_id.encode()).hexdigest()[:16]}"
