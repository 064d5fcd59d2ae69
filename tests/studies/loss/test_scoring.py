"""The suite of one run, recomputed from what was put into its archive."""

import math
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from equipoise.errors import InputError, Tampered
from equipoise.records.codec import decode, pretty
from equipoise.records.event import Rating
from equipoise.records.plan import Plan
from equipoise.records.suite import Suite
from equipoise.records.trial import Ending, EndingKind, Fault, trial_id
from equipoise.studies.loss.scoring import open_run, read_suite, score_run, write_suite
from studies.loss.made_loss_runs import Run, partition, plan, run, study, units

REFUND = partition({"intent": "refund"}, weight=0.75, n_min=3)
INVOICE = partition({"intent": "invoice"}, weight=0.25, n_min=3)
BROKEN = Ending(kind=EndingKind.INFRASTRUCTURE_ERROR, fault=Fault.INFRASTRUCTURE, detail="refused")


def scored(path: Path, folder: Path, version: str = "v1") -> Suite:
    with duckdb.connect() as con:
        return score_run(con, open_run(path, folder), version).suite


def both(arg: float, tone: float | None) -> dict[str, float | None]:
    return {"tool_call_wrong_arg": arg, "tone_off": tone}


def small(tmp_path: Path, runs: list[Run], repetitions: int = 1, **more: Any) -> Suite:
    """The suite of runs over three refunds and three invoices."""
    made = small_plan(repetitions)
    folder = study(tmp_path / "study", made)
    return scored(run(folder, made, "release-2", runs, **more), folder)


def small_plan(repetitions: int = 1) -> Plan:
    return plan(
        (REFUND, INVOICE),
        units(REFUND, ("r1", "r2", "r3"), repetitions=repetitions)
        + units(INVOICE, ("i1", "i2", "i3"), repetitions=repetitions),
    )


ONES = [
    Run(unit="r1", lost=both(1, 1)),
    Run(unit="r2", lost=both(1, 0)),
    Run(unit="r3", lost=both(0, 0)),
    Run(unit="i1", lost=both(0, 1)),
    Run(unit="i2", lost=both(0, 0)),
    Run(unit="i3", lost=both(0, 0)),
]


@pytest.mark.requirement("E2E-36")
@pytest.mark.requirement("E2E-37")
@pytest.mark.requirement("X-E10")
def test_losses_spreads_and_standard_errors_are_those_of_the_units(tmp_path: Path) -> None:
    suite = small(tmp_path, ONES)
    refund, invoice = suite.partitions
    assert refund.loss == pytest.approx((1 + 0.75 + 0) / 3)
    mean = 1.75 / 3
    sd = math.sqrt(((1 - mean) ** 2 + (0.75 - mean) ** 2 + mean**2) / 2)
    assert refund.stddev_between == pytest.approx(sd)
    assert refund.se == pytest.approx(sd / math.sqrt(3))
    assert invoice.loss == pytest.approx(0.25 / 3)
    assert refund.by_category == pytest.approx({"tool_call_wrong_arg": 2 / 3, "tone_off": 1 / 3})
    assert refund.by_category_stats["tone_off"].se == pytest.approx(1 / 3)
    assert suite.suite_score == pytest.approx(0.75 * mean + 0.25 * 0.25 / 3)
    assert suite.covered_weight == 1.0
    assert suite.completion_rate == 1.0
    assert suite.coverage == pytest.approx(1.0)


@pytest.mark.requirement("E2E-01")
@pytest.mark.requirement("E2E-35")
def test_the_same_archive_gives_the_same_bytes_in_any_order_of_its_lines(tmp_path: Path) -> None:
    made = small_plan()
    one, other = study(tmp_path / "one", made), study(tmp_path / "other", made)
    first = scored(run(one, made, "release-2", ONES), one)
    again = scored(one / "archive" / first.run_id, one)
    turned = scored(run(other, made, "release-2", ONES[::-1]), other)
    assert pretty(first) == pretty(again)
    assert pretty(turned) == pretty(first)
    assert first.created_at == "2026-01-01T09:00:00.000+00:00"


@pytest.mark.requirement("E2E-05")
@pytest.mark.requirement("X-E8")
def test_a_category_that_cannot_be_evaluated_lowers_coverage_and_not_the_loss(
    tmp_path: Path,
) -> None:
    suite = small(tmp_path, [without_tone(one) for one in ONES])
    refund = suite.partitions[0]
    assert refund.by_category_stats["tone_off"].status == "unbewertbar"
    assert refund.by_category_stats["tone_off"].loss is None
    assert "tone_off" not in refund.by_category
    assert refund.loss == pytest.approx(2 / 3)
    assert refund.coverage == pytest.approx(0.75)
    assert suite.coverage == pytest.approx(0.75)


def without_tone(one: Run) -> Run:
    """The run with its tone not evaluable."""
    return Run(unit=one.unit, lost=both(one.lost["tool_call_wrong_arg"] or 0, None))


@pytest.mark.requirement("E2E-39")
@pytest.mark.requirement("X-E9")
def test_a_partition_short_of_units_is_told_and_left_out_of_the_score(tmp_path: Path) -> None:
    suite = small(tmp_path, ONES[:4])
    refund, invoice = suite.partitions
    assert invoice.status == "unterbelegt"
    assert (invoice.n, invoice.stddev_between, invoice.se) == (1, None, None)
    assert "a single unit has no spread" in invoice.why
    assert refund.status == "scored"


@pytest.mark.requirement("E2E-40")
@pytest.mark.requirement("X-E17")
@pytest.mark.parametrize(("n_broken", "has_score"), [(10, True), (11, False)])
def test_a_score_is_given_up_to_a_tenth_of_aborts_and_not_beyond(
    tmp_path: Path, n_broken: int, *, has_score: bool
) -> None:
    part = partition({"intent": "refund"}, n_min=50)
    made = plan((part,), units(part, (f"u{i:03}" for i in range(100))))
    runs = [
        Run(unit=f"u{i:03}", ending=BROKEN)
        if i < n_broken
        else Run(unit=f"u{i:03}", lost=both(i % 2, 0))
        for i in range(100)
    ]
    folder = study(tmp_path / "study", made)
    suite = scored(run(folder, made, "release-2", runs), folder)
    assert (suite.suite_score is not None) is has_score
    assert suite.completion_rate == pytest.approx(1 - n_broken / 100)
    assert suite.harness_errors == {"infrastructure_error: refused": n_broken}
    assert bool(suite.not_scored) is not has_score


@pytest.mark.requirement("E2E-51")
def test_a_harness_fault_changes_no_loss_and_a_retry_completes(tmp_path: Path) -> None:
    whole = small(tmp_path / "whole", ONES)
    retried = small(
        tmp_path / "retried",
        [
            Run(unit="r1", ending=BROKEN),
            Run(unit="r1", lost=both(1, 1), attempt=2),
            Run(unit="r1", lost=both(0, 0), attempt=3),
            *ONES[1:],
        ],
    )
    assert retried.completion_rate == 1.0
    assert [p.loss for p in retried.partitions] == [p.loss for p in whole.partitions]
    assert retried.harness_errors == {"infrastructure_error: refused": 1}


@pytest.mark.requirement("E2E-26")
@pytest.mark.requirement("E2E-27")
@pytest.mark.requirement("X-E13")
@pytest.mark.requirement("X-E22")
@pytest.mark.requirement("ABX-47")
def test_repetitions_are_averaged_inside_the_unit_and_wavering_is_named(tmp_path: Path) -> None:
    runs = [
        Run(unit=unit, repetition=r, lost=both(value, value))
        for unit, values in {
            "r1": (1, 0, 0),
            "r2": (1, 1, 1),
            "r3": (0, 0, 0),
            "i1": (0, 0),
            "i2": (0, 0, 0),
            "i3": (0, 0, 0),
        }.items()
        for r, value in enumerate(values, start=1)
    ]
    suite = small(tmp_path, runs, repetitions=3)
    refund = suite.partitions[0]
    assert refund.n == 3
    assert refund.n_executions == 9
    assert refund.loss == pytest.approx((1 / 3 + 1 + 0) / 3)
    means = (1 / 3, 1.0, 0.0)
    sd = math.sqrt(sum((m - sum(means) / 3) ** 2 for m in means) / 2)
    assert refund.stddev_between == pytest.approx(sd)
    assert refund.se == pytest.approx(sd / math.sqrt(3))
    assert refund.stddev_within == pytest.approx(math.sqrt((2 / 3) / 6))
    assert [(f.unit, f.n) for f in suite.flaky] == [("r1", 3)]
    assert suite.flaky[0].rate == pytest.approx(1 / 3)
    assert suite.flaky[0].categories == ("tool_call_wrong_arg", "tone_off")
    assert suite.incomplete_units == ("i1",)


@pytest.mark.requirement("E2E-13")
@pytest.mark.requirement("E2E-26")
def test_an_anchor_that_differs_when_run_again_is_a_flake_and_its_first_run_counts(
    tmp_path: Path,
) -> None:
    suite = small(tmp_path, [*ONES, Run(unit="r3", attempt=2, lost=both(1, 1))])
    assert suite.anchors_differing == ("r3",)
    assert [(f.unit, f.rate) for f in suite.flaky] == [("r3", 0.5)]
    assert suite.partitions[0].loss == pytest.approx(1.75 / 3)


@pytest.mark.requirement("E2E-29")
@pytest.mark.requirement("X-E12")
def test_rater_variance_is_added_in_variance_and_has_no_column_of_its_own(tmp_path: Path) -> None:
    trials = [trial_id(one.unit, "release-2", None, 1, 1) for one in ONES]
    ratings = [
        Rating(trial=trial, criterion="v1:tone_off", rater=rater, value=value)
        for trial, values in zip(trials[:4], ((0, 1), (0, 0), (1, 0), (1, 1)), strict=True)
        for rater, value in zip("ab", values, strict=True)
    ]
    calm = small(tmp_path / "calm", ONES)
    noisy = small(tmp_path / "noisy", ONES, ratings=ratings)
    noise = (1 + 0 + 1 + 0) / (2 * 4)
    assert noisy.raters["tone_off"].variance == pytest.approx(noise)
    assert noisy.raters["tone_off"].lo < noise < noisy.raters["tone_off"].hi
    for before, after in zip(calm.partitions, noisy.partitions, strict=True):
        was, now = before.by_category_stats["tone_off"], after.by_category_stats["tone_off"]
        assert (now.stddev_between or 0) ** 2 == pytest.approx(
            (was.stddev_between or 0) ** 2 + noise
        )
        assert (after.stddev_between or 0) ** 2 == pytest.approx(
            (before.stddev_between or 0) ** 2 + (0.1 / 0.4) ** 2 * noise
        )
        assert not {name for name in msgspec.to_builtins(after) if "rater" in name}


@pytest.mark.requirement("E2E-15")
@pytest.mark.requirement("E2E-25")
def test_overweight_drawing_does_not_shift_the_score(tmp_path: Path) -> None:
    rare = partition({"intent": "rare"}, weight=0.02, n_min=50, draw_probability=1.0)
    common = partition({"intent": "common"}, weight=0.98, n_min=50, draw_probability=0.01)

    def suite(folder: Path, n_rare: int) -> Suite:
        made = plan(
            (rare, common),
            units(rare, (f"r{i:03}" for i in range(n_rare)))
            + units(common, (f"c{i:03}" for i in range(50))),
        )
        runs = [Run(unit=f"r{i:03}", lost=both(i % 2, i % 2)) for i in range(n_rare)]
        runs += [Run(unit=f"c{i:03}", lost=both(0, 0)) for i in range(50)]
        return scored(run(study(folder, made), made, "release-2", runs), folder)

    thin, thick = suite(tmp_path / "thin", 50), suite(tmp_path / "thick", 400)
    assert thick.suite_score == pytest.approx(thin.suite_score)
    assert thin.suite_score == pytest.approx(0.02 * 0.5)
    assert [p.weight for p in thick.partitions] == [0.02, 0.98]


@pytest.mark.requirement("E2E-49")
@pytest.mark.requirement("X-E21")
def test_adversarial_units_stand_apart_and_never_in_the_score(tmp_path: Path) -> None:
    made = plan(
        (REFUND, INVOICE),
        units(REFUND, ("r1", "r2", "r3"))
        + units(REFUND, ("evil",), is_adversarial=True)
        + units(INVOICE, ("i1", "i2", "i3")),
    )
    folder = study(tmp_path / "study", made)
    suite = scored(
        run(folder, made, "release-2", [*ONES, Run(unit="evil", lost=both(1, 1))]), folder
    )
    plain = small(tmp_path / "plain", ONES)
    assert suite.suite_score == plain.suite_score
    assert [(p.is_adversarial, p.n, p.weight) for p in suite.partitions] == [
        (False, 3, 0.75),
        (False, 3, 0.25),
        (True, 1, 0.0),
    ]


def test_no_spread_is_told_and_is_no_certainty(tmp_path: Path) -> None:
    suite = small(tmp_path, [Run(unit=one.unit, lost=both(0, 0)) for one in ONES])
    assert all("no certainty" in part.why for part in suite.partitions)
    assert any("no spread" in note for note in suite.notes)


@pytest.mark.requirement("E2E-38")
def test_a_suite_without_partitions_is_refused(tmp_path: Path) -> None:
    suite = small(tmp_path, ONES)
    bare = pretty(msgspec.structs.replace(suite, partitions=()))
    with pytest.raises(InputError, match="no partitions"):
        read_suite(bare, "suite.json")


def test_an_edited_suite_is_refused_and_an_old_one_replaced(tmp_path: Path) -> None:
    made = small_plan()
    folder = study(tmp_path / "study", made)
    found = open_run(run(folder, made, "release-2", ONES), folder)
    with duckdb.connect() as con:
        suite = score_run(con, found, "v1").suite
    path = write_suite(found, suite)
    assert path.parent.name == "v1-A-synthetisch"
    write_suite(found, suite)
    path.write_bytes(pretty(msgspec.structs.replace(suite, suite_score=0.01)))
    with pytest.raises(Tampered, match="not what its archive gives"):
        write_suite(found, suite)
    path.write_bytes(pretty(msgspec.structs.replace(suite, results_sha256="0" * 64)))
    write_suite(found, suite)
    assert decode(path.read_bytes(), Suite) == suite


@pytest.mark.requirement("E2E-42")
def test_a_catalog_the_run_was_not_graded_under_is_refused(tmp_path: Path) -> None:
    made = small_plan()
    folder = study(tmp_path / "study", made)
    path = run(folder, made, "release-2", ONES)
    folder.joinpath("catalogs", "loss-catalog.v2.json").write_bytes(
        folder.joinpath("catalogs", "loss-catalog.v1.json").read_bytes().replace(b'"v1"', b'"v2"')
    )
    with pytest.raises(InputError, match="not graded under catalog v2"):
        scored(path, folder, "v2")


def test_a_changed_catalog_or_plan_is_refused(tmp_path: Path) -> None:
    made = small_plan()
    folder = study(tmp_path / "study", made)
    path = run(folder, made, "release-2", ONES)
    catalog = folder / "catalogs" / "loss-catalog.v1.json"
    catalog.write_bytes(catalog.read_bytes().replace(b"0.3", b"0.4"))
    with pytest.raises(InputError, match="new version"):
        scored(path, folder)
    path.joinpath("plan.json").write_bytes(pretty(msgspec.structs.replace(made, mde=0.2)))
    with pytest.raises(Tampered, match="the run followed"):
        scored(path, folder)
