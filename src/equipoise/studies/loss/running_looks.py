"""Runs the arms of a plan that may stop early: by turns up to each look, then the look decides."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from equipoise.archive.store import Archive
from equipoise.errors import Blocked, as_word
from equipoise.records.event import Event, EventKind
from equipoise.records.plan import ArmPlan, Mode
from equipoise.studies.loss.looks import Looks, Taken, last_look, looks_of, taken_in
from equipoise.studies.loss.pairing import run_at
from equipoise.studies.loss.running_arm import clear_work, run_arm
from equipoise.studies.loss.running_asked import Adapters, ArmRun, Asked, Clock, Part
from equipoise.studies.loss.running_place import Place, find_place, is_finished
from equipoise.studies.loss.running_told import told_run
from equipoise.studies.loss.sealed import Sealed
from equipoise.studies.loss.taking import grades_missing, skipped, take_look


def run_by_looks(
    sealed: Sealed, arms: Sequence[ArmPlan], adapters: Adapters, asked: Asked, clock: Clock
) -> list[ArmRun]:
    """Executes what is due of the arms up to each look, and tells how they stand.

    No arm goes beyond a look that was not taken. A look is recorded in the archives of both runs
    before anything more is executed, and one that is recorded is never taken again.

    Args:
        sealed: the study.
        arms: those to execute; a look waits for the others.
        adapters: what reaches the outside.
        asked: what the user asked for.
        clock: gives the time.

    Raises:
        Blocked, StorageFull, Void: as for any run; or the baseline cannot be looked at.
        InputError: a look cannot be taken for what stands in the findings.
    """
    looks = looks_of(sealed.plan)
    assert looks is not None
    turns = _Turns(
        sealed=sealed, looks=looks, arms=arms, adapters=adapters, asked=asked, clock=clock
    )
    if not asked.is_dry:
        turns.refuse_unusable_baseline()
        turns.go()
    return turns.told()


@dataclass(slots=True, kw_only=True)
class _Turns:
    """The turns of one call: which part of which arm is due, and what came of it."""

    sealed: Sealed
    looks: Looks
    arms: Sequence[ArmPlan]
    adapters: Adapters
    asked: Asked
    clock: Clock
    runs: dict[str, ArmRun] = field(default_factory=dict)
    halted: str = ""
    n_begun: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def go(self) -> None:
        """Goes from look to look until none is left, all have stopped, or something comes first."""
        for number in range(1, self.looks.plan.looks + 1):
            going = self._going()
            if not going:
                break
            for arm in self.arms:
                if arm in going or arm.name == self.looks.plan.baseline:
                    run = self._part(arm, number)
                    if run.stopped or run.is_interrupted:
                        return
            if not all(self._look(arm, number) for arm in going):
                return
        self._end_baseline()

    def told(self) -> list[ArmRun]:
        """Gives how each arm stands."""
        found = []
        for arm in self.arms:
            stands = told_run(self.sealed, arm, find_place(self.sealed, arm))
            last = self.runs.get(arm.name)
            if last is not None:
                stands = replace(
                    stands,
                    n_before=last.n_before,
                    stopped=last.stopped,
                    is_interrupted=last.is_interrupted,
                    is_down=last.is_down,
                )
            is_open = not stands.is_finished and not stands.stopped
            halted = self.halted if is_open and not self.asked.is_dry else ""
            found.append(replace(stands, halted=halted, is_dry=self.asked.is_dry))
        return found

    def refuse_unusable_baseline(self) -> None:
        """Refuses an earlier archive as the baseline that no look could be taken against.

        Raises:
            Blocked: it is not graded under the plan's catalog, or of another mode.
        """
        plan = self.looks.plan
        if self._baseline is not None:
            return
        base = run_at(plan.baseline, self.sealed.root)
        if base is None:
            raise Blocked(f"the baseline {plan.baseline!r} is not there; mend: put it there")
        if plan.catalog_version not in base.versions or base.facts.mode != Mode.A.value:
            held = ", ".join(base.versions) or "nothing"
            raise Blocked(
                f"the baseline {plan.baseline} is of mode {base.facts.mode} and graded under "
                f"{held}; the planned looks need mode A and {plan.catalog_version}; mend: grade it "
                "under that catalog, or go on to the end with --skip-looks"
            )

    @property
    def _baseline(self) -> ArmPlan | None:
        plan = self.looks.plan
        return next((arm for arm in plan.arms if arm.name == plan.baseline), None)

    def _going(self) -> list[ArmPlan]:
        """Gives the arms that are looked at and have not come to their end."""
        plan = self.looks.plan
        return [
            arm
            for arm in plan.arms
            if arm.mode is Mode.A and arm.name != plan.baseline and not self._is_over(arm)
        ]

    def _place(self, arm: ArmPlan) -> Place:
        return find_place(self.sealed, arm)

    def _is_over(self, arm: ArmPlan) -> bool:
        place = self._place(arm)
        return not place.is_new and is_finished(place.path)

    def _part(self, arm: ArmPlan, number: int) -> ArmRun:
        """Executes what an arm lacks up to a look."""
        before = self.runs.get(arm.name)
        place = self._place(arm)
        if self._is_due(place, number):
            asked = self.asked.after(self.n_begun)
            if asked.max_cells == 0 and self.asked.max_cells:
                run = told_run(self.sealed, arm, place)
                told = f"{self.n_begun} cells were begun, as many as --max-cells allows"
                run = replace(run, stopped=told)
            else:
                began = time.monotonic()
                part = Part(units=self.looks.units(number), spent_s=self.seconds.get(arm.name, 0.0))
                run = run_arm(self.sealed, arm, self.adapters, asked, self.clock, part)
                self.seconds[arm.name] = part.spent_s + time.monotonic() - began
                self.n_begun += run.n_settled - run.n_before
        else:
            run = told_run(self.sealed, arm, place)
        if before is not None:
            run = replace(run, n_before=before.n_before)
        self.runs[arm.name] = run
        return run

    def _is_due(self, place: Place, number: int) -> bool:
        """Says whether something of an arm up to a look may still be missing."""
        if place.is_new:
            return True
        archive = Archive.open(place.path)
        return last_look(archive) < number and not is_finished(place.path)

    def _look(self, arm: ArmPlan, number: int) -> bool:
        """Takes a look at an arm, or finds it taken; false where it has to wait for something."""
        place, base = self._place(arm), self._baseline
        base_place = None if base is None else self._place(base)
        for other, where in ((arm, place), (base, base_place)):
            if other is not None and where is not None and self._lacks(other, where, number):
                self.halted = (
                    f"look {number} of {self.looks.plan.looks} waits for arm {other.name}; mend: "
                    f"equipoise run {as_word(self.sealed.root)}"
                )
                return False
        taken = self._taken(place, base_place, number)
        if taken is None:
            taken = self._took(place, base_place, number)
        if taken is None:
            return False
        # The baseline first: an arm that its look ended is not come to again.
        if base_place is not None:
            self._record(base_place, taken, ends=False)
        self._record(place, taken, ends=taken.stops or number == self.looks.plan.looks)
        return True

    def _took(self, place: Place, base: Place | None, number: int) -> Taken | None:
        base_id = None if base is None else base.run_id
        if self.asked.skips_looks:
            return skipped(self.looks, place.run_id, base_id or self.looks.plan.baseline, number)
        today, runs = self.clock().date(), self._runs(place, base)
        missing = grades_missing(self.sealed, today, runs, self.adapters.suites(self.clock))
        if missing and number < self.looks.plan.looks:
            self.halted = (
                f"look {number} of {self.looks.plan.looks} waits for grades: {missing}; mend: put "
                f"them into {self.sealed.root}/findings, then run again; or go on to the end with "
                "--skip-looks"
            )
            return None
        return take_look(self.sealed, self.looks, (place.run_id, base_id), number)

    @staticmethod
    def _runs(place: Place, base: Place | None) -> frozenset[str]:
        return frozenset({place.run_id, *([base.run_id] if base else [])})

    def _lacks(self, arm: ArmPlan, place: Place, number: int) -> bool:
        if place.is_new:
            return True
        stands = told_run(self.sealed, arm, place)
        return stands.n_settled < self.looks.n_executions(number) and not stands.is_finished

    @staticmethod
    def _taken(place: Place, base: Place | None, number: int) -> Taken | None:
        """Finds a look in either archive: a kill may have come between the two."""
        found = (
            one
            for where in (base, place)
            if where is not None
            for one in taken_in(Archive.open(where.path))
            if one.new == place.run_id and one.seen.number == number
        )
        return next(found, None)

    def _record(self, place: Place, taken: Taken, *, ends: bool) -> None:
        """Records a look, and the end of the run where it is one; what is there already stays."""
        archive = Archive.open(place.path)
        known = any(
            (one.new, one.seen.number) == (taken.new, taken.seen.number)
            for one in taken_in(archive)
        )
        if known and not (ends and not is_finished(place.path)):
            return
        at = self.clock().isoformat(timespec="milliseconds")
        with Archive.append_to(place.path) as writing:
            if not known:
                writing.append(
                    Event(
                        kind=EventKind.LOOK,
                        at=at,
                        outcome=taken.outcome,
                        detail=taken.why,
                        facts=taken.facts(),
                    )
                )
            if ends:
                self._finish(writing, taken.seen.number, at)
        if ends:
            clear_work(self.sealed, place)

    def _finish(self, writing: Archive, number: int, at: str) -> None:
        n_looks = self.looks.plan.looks
        n_left_out = self.looks.n_executions(n_looks) - self.looks.n_executions(number)
        if n_left_out:
            facts = {"look": str(number), "n_not_executed": str(n_left_out)}
            why = f"not executed: stopped at look {number} of {n_looks}"
            writing.append(Event(kind=EventKind.STOPPED, at=at, detail=why, facts=facts))
        writing.append(Event(kind=EventKind.FINISHED, at=at))

    def _end_baseline(self) -> None:
        """Ends the run of the baseline at the last look that any arm went through."""
        base = self._baseline
        if base is None or self._going() or self._is_over(base):
            return
        place = self._place(base)
        if place.is_new:
            return
        number = last_look(Archive.open(place.path))
        at = self.clock().isoformat(timespec="milliseconds")
        with Archive.append_to(place.path) as writing:
            self._finish(writing, number, at)
        clear_work(self.sealed, place)
