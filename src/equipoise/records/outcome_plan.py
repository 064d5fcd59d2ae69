"""What the plan of an outcome study promises beside what every plan does."""

from enum import StrEnum

import msgspec

from equipoise.records.hypothesis import Hypothesis


class ScenarioPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One scenario that is run: its kind, its tier, what it can be scored by, and its proof.

    `main` is the main metric of its kind. `proof_sha256` names the stored proof that it is fair,
    `oracle_sha256` its task, its seed and what decides about it: a score under another is stale.
    """

    id: str
    kind: str
    tier: str
    main: str
    metrics: tuple[str, ...]
    proof_sha256: str
    held_out: bool = False
    oracle_sha256: str = ""


class Control(StrEnum):
    """What two arms differ in, and so what a difference between them can be laid to."""

    L1 = "L1"  # the text of the skills: two versions of them
    L2 = "L2"  # whether there are skills
    L3 = "L3"  # another model without skills: a cheap one with them against a dear one without
    MIXED = "mixed"  # anything else: nothing can be laid to one of the differences


class SkillPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A skill that an arm is given: its name, its folder in the study, and what is in it."""

    arm: str
    name: str
    folder: str
    sha256: str


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """Two arms that are held against each other, and in what they differ.

    `differs` has a line for each difference of their agents; `skills` says in which skills they
    differ, empty where they have the same.
    """

    new: str
    base: str
    control: Control
    differs: tuple[str, ...] = ()
    skills: str = ""


class ContrastProof(msgspec.Struct, frozen=True, kw_only=True):
    """What came of rendering both arms of a contrast for a scenario, without starting anything.

    `shown` are the parts of the session (argument, variable, prompt, file, mount) that differ as
    they are; `remains` those that still differ with the skills taken out of both arms: none, or
    more than the skills differs. `why_not` says why nothing could be rendered here.
    """

    new: str
    base: str
    scenario: str
    shown: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    why_not: str = ""


class Phase(StrEnum):
    """A phase of a campaign, from small bugs to whole epics."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A study that went through once, by the hashes of what shows it.

    `study` is its path as it was named; `archives` run id -> head of its archive, `comparisons`
    path of a result -> its sha256 (none where it has one arm).
    """

    study: str
    phase: Phase | None
    plan_sha256: str
    archives: dict[str, str]
    comparisons: dict[str, str]
    is_simulated: bool = False


class EarlierRound(msgspec.Struct, frozen=True, kw_only=True):
    """A study that somebody looked at before this one was made, and the scenarios it ran."""

    study: str
    plan_sha256: str
    scenarios: tuple[str, ...]
    comparisons: dict[str, str] = {}


class Rounds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which round of optimisation a study is: 0 is the first look, 2 the last that is allowed.

    `is_final`: its claim rests on what is held out, and on nothing else. `held_out` are scenarios
    of the pack that are not run here for that. `chain` has the studies before, the first one first;
    `changed` the arms that are not what they were in the last of them, and `stale` the scenarios
    whose task, seed or hidden tests changed since: what any arm scored in them there counts no
    more.
    """

    number: int = 0
    is_final: bool = False
    held_out: tuple[str, ...] = ()
    chain: tuple[EarlierRound, ...] = ()
    changed: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()

    @property
    def chooses(self) -> bool:
        """Says whether the study chooses what is tried next, and so cannot carry a claim."""
        return self.number > 0 and not self.is_final


class CellCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one cell is expected to take, from and to, before any was run; null = unknown."""

    source: str
    tokens: tuple[float, float] | None = None
    usd: tuple[float, float | None] | None = None


class OutcomePlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The part `outcome` of a plan: the pack's scenarios and what is claimed of them.

    `origin` is also the track: what came of a snapshot of a private project is never put together
    with what came of seeds that were built. Without `hypotheses` the study is exploratory: it
    describes, and decides nothing. `in_environment` is false where agents work without the overlay
    that says how work is done here: such a study is out of the environment that its skills are made
    for, and decides nothing either. `after` is the study that the phase rests on; `cell` what a
    cell is expected to take; `doubts` say what else stands against a verdict.
    """

    pack: str
    pack_version: str
    origin: str
    scenarios: tuple[ScenarioPlan, ...]
    skills: tuple[SkillPlan, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    in_environment: bool = True
    phase: Phase | None = None
    after: Finished | None = None
    rounds: Rounds = Rounds()
    cell: CellCost | None = None
    doubts: tuple[str, ...] = ()

    @property
    def is_exploratory(self) -> bool:
        """Says whether nothing was claimed beforehand."""
        return not self.hypotheses

    @property
    def undecided(self) -> tuple[str, ...]:
        """Says why nothing may be decided, whatever comes out; none = it may."""
        found = []
        if self.is_exploratory:
            found.append("exploratory: no hypotheses were registered")
        if not self.in_environment:
            found.append(
                "out-of-environment: agents work without the onboarding that skills are made for"
            )
        if self.rounds.chooses:
            found.append(
                f"round {self.rounds.number} of optimisation: it chooses, and what is held out "
                "decides, in a final study"
            )
        return tuple(found)
