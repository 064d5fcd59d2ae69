"""What a run is asked for, what it works with, and what it tells at its end."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from equipoise.ports import LogReader, Probe, StateStore, System
from equipoise.records.plan import ArmPlan, ProbeSpec, StateSpec
from equipoise.records.rating_plan import JudgePlan
from equipoise.records.suite import SuiteLook
from equipoise.stages.run.engine import Progress
from equipoise.studies.loss.grading_work import SuitesMaker


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a system is started in: the study's folder, all of our environment that it gets.

    `ledger` is the file in which programs are noted, so that a later run can end what was left;
    `clock` dates what is recorded (null = nothing is run); `spent_usd` is what earlier parts of
    the run of this arm have cost, as far as its archive knows; at most `most_calls` of a model are
    made at once (null = as many as the gateway allows); `state` is the address of the database that
    is the state, where it is one. `share` is the part of the money that is left, and of these
    calls, that is this system's; `max_tokens` the limit of answers where the arm names none.
    """

    folder: Path
    environment: Mapping[str, str]
    ledger: Path
    concurrency: int
    clock: Callable[[], datetime] | None = None
    spent_usd: float = 0.0
    state: str = ""
    most_calls: int | None = None
    share: float = 1.0
    max_tokens: int | None = None


JudgePrice = Callable[[JudgePlan, Path, int, date], float | None]
"""Gives what one answer of a judge costs at most, in US dollars: by the study's folder, so many
tokens of the question, and the day; null = nobody knows. It refuses a provider there is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Where a run leaves things on the machine: what the next start removes if it is killed.

    `work` is the run's folder for things that go at its end, `keep` the place of the snapshot of
    its `state` in it, `archive` the run's archive, `root` the folder of the study.
    """

    root: Path
    work: Path
    keep: Path
    archive: Path
    state: StateSpec | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """What reaches the outside, handed in by the wiring.

    `environment` gives the listed variables that are set, `observed` what a program started with
    them sees; `end_leftovers` ends the programs that a ledger names and that still live; `suites`
    makes, by a clock, what runs the hidden tests of a study, for planned looks. `held` notes what a
    run leaves on the machine for as long as it is entered, and first puts right what killed runs of
    whatever study left there. `price` gives the most that one answer of a
    judge costs.
    """

    system: Callable[[ArmPlan, Around], System]
    state_store: Callable[[StateSpec, Path], StateStore]
    probe: Callable[[ProbeSpec, Path, Mapping[str, str]], Probe]
    reader: Callable[[str], LogReader]
    environment: Callable[[Iterable[str]], Mapping[str, str]]
    observed: Callable[[Around], Awaitable[Mapping[str, str]]]
    end_leftovers: Callable[[Path], int]
    suites: Callable[[Callable[[], datetime]], SuitesMaker]
    held: Callable[[Held], AbstractContextManager[None]]
    price: JudgePrice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user asked for; null = what the plan says.

    `skips_looks`: go on to the end without looking, where the plan may stop early.
    `hears_signals`: SIGINT, SIGTERM and SIGHUP end the run in good order; only for the main thread.
    """

    arms: tuple[str, ...] = ()
    concurrency: int | None = None
    max_cells: int | None = None
    max_usd: float | None = None
    is_dry: bool = False
    skips_looks: bool = False
    hears_signals: bool = False
    on_progress: Callable[[str, Progress], None] | None = None

    def after(self, n_cells: int) -> "Asked":
        """Gives what is left to ask for once so many cells were executed."""
        if self.max_cells is None:
            return self
        return replace(self, max_cells=max(0, self.max_cells - n_cells))


@dataclass(frozen=True, slots=True, kw_only=True)
class LookTold:
    """One look that a run went through: against which run, what it saw and what it decided."""

    base: str
    outcome: str
    seen: SuiteLook
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The part of an arm that is due: its units in order, and the seconds earlier parts took.

    The run is not finished with it.
    """

    units: tuple[str, ...]
    spent_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What so many cells will take, by what `n_seen` cells of the arm took; null = nobody said.

    `tokens` by kind, as `Usage` has them; `busy_s` is the time of all attempts one after another.
    """

    n_cells: int
    n_seen: int = 0
    tokens: dict[str, int] | None = None
    usd: float | None = None
    busy_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRun:
    """How the run of one arm stands.

    `n_settled` of `n_cells` need no further attempt; `endings` counts how those ended, `n_voided`
    those that can carry no outcome and `voided_by` what was told of these, the most frequent first.
    `n_aborted` attempts gave no trial. `stopped` says why it ended before its end, `is_interrupted`
    that a signal ended it, `is_down` that the program behind the system did not stay up. `looks`
    are the planned looks it went through, `halted` what the next one waits for; `n_not_executed`
    cells were left out because it stopped at one, which `stopped_at` names: its number, and how
    many are planned. Of a dry run, `expected` is what is left of it, and `over_budget` says by how
    much all arms together will exceed the limit of money.
    """

    arm: str
    run_id: str
    path: str
    mode: str
    n_cells: int
    n_settled: int
    n_before: int
    n_aborted: int
    n_voided: int
    endings: dict[str, int]
    cost_usd: float | None
    n_cost_unknown: int
    voided_by: tuple[tuple[str, int], ...] = ()
    stopped: str = ""
    is_interrupted: bool = False
    is_down: bool = False
    is_finished: bool = False
    is_dry: bool = False
    halted: str = ""
    looks: tuple[LookTold, ...] = ()
    n_not_executed: int = 0
    stopped_at: tuple[int, int] | None = None
    expected: Estimate | None = None
    over_budget: str = ""

    @property
    def n_left(self) -> int:
        """Gives how many cells are still to be executed."""
        return self.n_cells - self.n_settled - self.n_not_executed


Clock = Callable[[], datetime]
