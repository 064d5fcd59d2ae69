"""Many trials are graded in processes of their own, which take only what can be handed over."""

from contextlib import AbstractContextManager
from pathlib import Path

from equipoise.ports.suites import Suites
from equipoise.records.catalog import Catalog, Category
from equipoise.records.plan import Mode
from equipoise.records.trial import Trial
from equipoise.studies.loss.grading_work import Bench, Work, grades_of

N_TRIALS = 1600
"""Enough for processes of their own."""


def test_a_study_without_hidden_tests_grades_many_trials_whatever_could_run_them(
    tmp_path: Path,
) -> None:
    def made(_: Path) -> AbstractContextManager[Suites]:
        raise AssertionError("there are no hidden tests to run")

    said = Category(
        id="said", weight=1.0, type="deterministic", max=1, check={"regex": {"pattern": "x"}}
    )
    bench = Bench(
        blobs=tmp_path,
        catalog=Catalog(version="v1", categories=(said,)),
        mode=Mode.A,
        root=tmp_path,
        suites=made,
    )
    work = [
        Work(
            trial=Trial(id=f"t{number}", unit=f"u{number}", arm="only"),
            documents={},
            brief=None,
            holdout=None,
            barred="cut off",
        )
        for number in range(N_TRIALS)
    ]
    found = list(grades_of(bench, work))
    assert [one.grades["said"].trial for one in found] == [f"t{n}" for n in range(N_TRIALS)]
    assert {one.grades["said"].not_evaluable for one in found} == {"cut off"}
