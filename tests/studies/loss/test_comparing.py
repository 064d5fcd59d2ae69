"""Two runs of a loss study compared by its rule, as a user does it: files and exit codes."""

import math
from pathlib import Path

import msgspec
import pytest

from equipoise.records.codec import decode, pretty
from equipoise.records.plan import Mode, Provenance
from equipoise.records.suite import Suite
from equipoise.stages.report.loss.files import COLUMNS
from studies.loss.compared_loss_runs import (
    BROKEN,
    INVOICE,
    REFUND,
    N,
    called,
    losses,
    made,
    names,
    result,
    row,
    suites,
    table,
    two_parts,
    worse,
)
from studies.loss.made_loss_runs import V1, Run, graded, partition, plan, run, study, units


@pytest.mark.requirement("E2E-41")
@pytest.mark.requirement("E2E-47")
def test_a_planted_regression_is_listed_with_its_quote_and_ends_with_1(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    done = called("compare", folder)
    assert done.exit_code == 1, done.output
    assert "WORSE" in done.output
    (only,) = table(folder)
    assert tuple(only) == COLUMNS
    assert (only["partition"], only["kategorie"]) == ("intent=refund", "tool_call_wrong_arg")
    assert float(only["delta"]) == pytest.approx(0.3)
    assert only["n"] == str(N)
    assert only["run_id"] == suites(folder)["release-2"].run_id
    assert only["log_zitat"] == 'journal.jsonl:1 "wrong r0000" (+159)'
    assert table(folder, "IMPROVEMENTS.md") == []


@pytest.mark.requirement("E2E-43")
@pytest.mark.requirement("E2E-44")
@pytest.mark.requirement("X-E5")
def test_every_row_follows_from_the_two_suites(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    called("compare", folder)
    comparison, by_arm = result(folder), suites(folder)
    assert comparison.k == len(comparison.rows) == 4
    assert comparison.z == pytest.approx(2 + math.log(4) / 2)
    for found in comparison.rows:
        new, base = (
            next(
                p.by_category_stats[found.category]
                for p in by_arm[arm].partitions
                if f"intent={p.labels['intent']}" == found.partition
            )
            for arm in ("release-2", "release-1")
        )
        assert found.delta == pytest.approx((new.loss or 0) - (base.loss or 0))
        se = math.hypot(new.se or 0, base.se or 0)
        assert found.se_delta == pytest.approx(se)
        assert found.literal_lo == pytest.approx((found.delta or 0) - comparison.z * se)
        assert found.literal_hi == pytest.approx((found.delta or 0) + comparison.z * se)


@pytest.mark.requirement("E2E-48")
def test_equal_runs_give_the_header_alone_and_end_with_0(tmp_path: Path) -> None:
    folder = made(tmp_path, losses("r", 0.1) + losses("i", 0.1))
    done = called("compare", folder)
    assert done.exit_code == 0, done.output
    assert "no demonstrable regression" in done.output
    content = next(folder.joinpath("comparisons").glob("*/TOP-REGRESSIONS.md")).read_text()
    assert content.splitlines()[0] == f"| {' | '.join(COLUMNS)} |"
    assert len(content.splitlines()) == 2
    page = next(folder.joinpath("comparisons").glob("*/report/index.html")).read_text()
    assert "No demonstrable regression" in page


def test_equivalent_is_said_only_where_two_tests_show_it(tmp_path: Path) -> None:
    close = made(
        tmp_path / "close",
        losses("r", 0.1, 0) + losses("i", 0.1, 0),
        losses("r", 0.1, 0) + losses("i", 0.1, 0),
    )
    called("compare", close)
    found = result(close)
    assert found.verdict == "equivalent"
    assert found.suite_lo is not None
    assert found.suite_hi is not None
    assert -0.05 < found.suite_lo < found.suite_hi < 0.05
    few = partition({"intent": "refund"}, n_min=60)
    half = losses("r", 0.5, 0.5, n=60)
    wide = made(tmp_path / "wide", half, half, plan((few,), units(few, names("r", 60))))
    called("compare", wide)
    assert result(wide).verdict == "cannot tell"
    assert "units per side" in result(wide).needed
    assert called("compare", wide).exit_code == 0
    assert called("compare", wide, "--strict").exit_code == 4


@pytest.mark.requirement("X-E18")
def test_an_improvement_is_listed_by_the_mirrored_rule_in_its_own_file(tmp_path: Path) -> None:
    folder = made(
        tmp_path, losses("r", 0.1) + losses("i", 0.1), losses("r", 0.4) + losses("i", 0.1)
    )
    done = called("compare", folder)
    assert done.exit_code == 0
    assert "BETTER" in done.output
    (only,) = table(folder, "IMPROVEMENTS.md")
    assert float(only["delta"]) == pytest.approx(-0.3)
    assert table(folder) == []


@pytest.mark.requirement("E2E-45")
def test_a_large_delta_below_the_rule_gives_no_row(tmp_path: Path) -> None:
    few = partition({"intent": "refund"}, weight=1.0, n_min=20)
    promised = plan((few,), units(few, names("r", 20)))
    folder = made(tmp_path, losses("r", 0.45, n=20), losses("r", 0.15, n=20), promised)
    assert called("compare", folder).exit_code == 0
    found = row(folder, "intent=refund / tool_call_wrong_arg")
    assert found.delta == pytest.approx(0.3)
    assert found.failed == ("literal", "guarded")
    assert table(folder) == []


@pytest.mark.requirement("E2E-39")
@pytest.mark.requirement("X-E15")
@pytest.mark.parametrize("short", ["release-1", "release-2"])
def test_one_unit_below_n_min_on_either_side_is_shown_and_never_listed(
    tmp_path: Path, short: str
) -> None:
    base = losses("r", 0.1) + losses("i", 0.1)
    new = losses("r", 0.9) + losses("i", 0.1)
    cut = [one for one in (new if short == "release-2" else base) if one.unit != "r0399"]
    folder = made(
        tmp_path,
        cut if short == "release-2" else new,
        cut if short == "release-1" else base,
    )
    done = called("compare", folder)
    assert done.exit_code == 0
    assert "unterbelegt" in done.output
    found = row(folder, "intent=refund / tool_call_wrong_arg")
    assert (found.status, found.failed) == ("unterbelegt", ("n_min",))
    assert found.literal_lo is not None
    assert table(folder) == []
    status = {p.labels["intent"]: p.status for p in suites(folder)[short].partitions}
    assert status == {"refund": "unterbelegt", "invoice": "scored"}


def test_an_arm_without_spread_is_no_certainty(tmp_path: Path) -> None:
    """E2E-45 with the guard: 30 units without loss against 2,000 with 8 %."""
    part = partition({"intent": "refund"}, n_min=30)
    promised = plan((part,), units(part, names("r", 2000)), cells=(), k=1)
    cells = plan((part,), ()).cells[:1]
    promised = msgspec.structs.replace(promised, cells=cells, k=1)
    base = [
        Run(unit=name, lost={"tool_call_wrong_arg": 0, "tone_off": 0})
        if i < 30
        else Run(unit=name, lost={"tool_call_wrong_arg": None, "tone_off": None})
        for i, name in enumerate(names("r", 2000))
    ]
    folder = made(tmp_path, losses("r", 0.08, n=2000), base, promised)
    called("compare", folder)
    found = row(folder, "intent=refund / tool_call_wrong_arg")
    assert (found.literal_lo or 0) > 0.05
    assert found.failed == ("guarded",)


@pytest.mark.requirement("E2E-46")
def test_rows_stand_by_their_lower_bound_never_by_delta(tmp_path: Path) -> None:
    thin = partition({"intent": "thin"}, weight=0.5, n_min=40)
    thick = partition({"intent": "thick"}, weight=0.5, n_min=1500)
    promised = plan((thin, thick), units(thin, names("a", 40)) + units(thick, names("b", 1500)))
    folder = made(
        tmp_path,
        losses("a", 0.45, n=40) + losses("b", 0.35, n=1500),
        losses("a", 0.1, n=40) + losses("b", 0.1, n=1500),
        promised,
    )
    called("compare", folder)
    rows = table(folder)
    assert [r["partition"] for r in rows] == ["intent=thick", "intent=thin"]
    assert float(rows[0]["delta"]) < float(rows[1]["delta"])
    assert float(rows[0]["ci_low"]) > float(rows[1]["ci_low"])


@pytest.mark.requirement("E2E-40")
@pytest.mark.requirement("X-E17")
def test_too_many_aborts_leave_no_comparison_and_end_with_5(tmp_path: Path) -> None:
    cut = losses("r", 0.9) + [Run(unit=name, ending=BROKEN) for name in names("i")]
    folder = made(tmp_path, cut)
    done = called("compare", folder)
    assert done.exit_code == 5
    assert "NOT EVALUABLE" in done.output
    assert "infrastructure_error: refused" in done.output
    assert result(folder).rows == ()
    assert table(folder) == []
    history = folder.joinpath("LOSS-HISTORY.md").read_text().splitlines()
    assert history[3].split("|")[5].strip() == ""


@pytest.mark.requirement("E2E-41")
def test_without_a_baseline_it_stops_and_says_so(tmp_path: Path) -> None:
    promised = two_parts()
    folder = study(tmp_path / "study", promised)
    run(folder, promised, "release-2", losses("r", 0.1))
    done = called("compare", folder)
    assert done.exit_code == 3
    assert "baseline 'release-1' has no run" in done.output
    assert not folder.joinpath("comparisons").exists()


@pytest.mark.requirement("E2E-42")
def test_other_catalogs_are_refused_until_the_old_archive_is_graded_again(tmp_path: Path) -> None:
    v2 = msgspec.structs.replace(V1, version="v2")
    promised = plan((REFUND, INVOICE), units(REFUND, names("r")) + units(INVOICE, names("i")), v2)
    folder = study(tmp_path / "study", promised, V1, v2)
    before = losses("r", 0.1) + losses("i", 0.1)
    base = run(folder, promised, "release-1", before)
    run(folder, promised, "release-2", losses("r", 0.4) + losses("i", 0.1), v2, ordinal=2)
    done = called("compare", folder)
    assert done.exit_code == 2
    assert "not on one scale" in done.output
    assert "frozen reference set" in done.output
    graded(base, before, "release-1", v2)
    again = called("compare", folder)
    assert again.exit_code == 1, again.output
    assert result(folder).catalog_version == "v2"


@pytest.mark.requirement("E2E-08")
@pytest.mark.requirement("X-E6")
def test_modes_and_provenances_are_never_mixed(tmp_path: Path) -> None:
    promised = two_parts()
    arms = (promised.arms[0], msgspec.structs.replace(promised.arms[1], mode=Mode.B))
    folder = made(tmp_path / "modes", losses("r", 0.1), promised=two_parts(arms=arms))
    done = called("compare", folder)
    assert done.exit_code == 2
    assert "mode B" in done.output
    corpus = two_parts(provenance=Provenance.CORPUS)
    here = made(tmp_path / "here", losses("r", 0.1) + losses("i", 0.1))
    there = made(tmp_path / "there", losses("r", 0.1) + losses("i", 0.1), promised=corpus)
    mixed = called(
        "compare",
        next(here.glob("archive/release-1-*")),
        next(there.glob("archive/release-2-*")),
    )
    assert mixed.exit_code == 2
    assert "provenance korpus" in mixed.output


@pytest.mark.requirement("E2E-38")
def test_a_baseline_suite_without_partitions_or_edited_is_refused(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    called("compare", folder)
    path = next(folder.glob("archive/release-1-*/suites/*/suite.json"))
    good = path.read_bytes()
    suite = decode(good, Suite)
    assert called("compare", folder, "--base", path, "--new", "release-2").exit_code == 1
    path.write_bytes(pretty(msgspec.structs.replace(suite, partitions=())))
    bare = called("compare", folder, "--base", path, "--new", "release-2")
    assert bare.exit_code == 2
    assert "no partitions" in bare.output
    path.write_bytes(pretty(msgspec.structs.replace(suite, suite_score=0.9)))
    edited = called("compare", folder, "--base", path, "--new", "release-2")
    assert edited.exit_code == 1
    assert "not what its archive gives" in edited.output


@pytest.mark.requirement("X-E10")
def test_the_loss_is_compared_over_what_both_sides_could_evaluate(tmp_path: Path) -> None:
    blind = [
        Run(unit=one.unit, lost={**one.lost, "tone_off": None}, quote=one.quote)
        for one in losses("r", 0.1, 0) + losses("i", 0.1, 0)
    ]
    cells = tuple(msgspec.structs.replace(cell, category="") for cell in two_parts().cells[::2])
    folder = made(
        tmp_path,
        losses("r", 0.1, 0.9) + losses("i", 0.1, 0.9),
        blind,
        two_parts(cells=cells, k=len(cells)),
    )
    called("compare", folder)
    comparison = result(folder)
    assert [r.delta for r in comparison.rows] == pytest.approx([0.0, 0.0])
    assert any("only one side" in note for note in comparison.notes)
    assert comparison.verdict == "cannot tell"
    assert "25.0% of what is weighed was evaluated on one side only" in comparison.why


@pytest.mark.requirement("X-E14")
def test_pairs_narrow_the_interval_where_the_plan_says_so_and_only_there(tmp_path: Path) -> None:
    runs = (losses("r", 0.25) + losses("i", 0.3), losses("r", 0.2) + losses("i", 0.3))
    apart = made(tmp_path / "apart", *runs)
    paired = made(tmp_path / "paired", *runs, two_parts(paired=True))
    called("compare", apart)
    called("compare", paired)
    cell = "intent=refund / tool_call_wrong_arg"
    wide, narrow = row(apart, cell), row(paired, cell)
    assert wide.delta == narrow.delta
    assert (narrow.se_delta or 1) < 0.6 * (wide.se_delta or 0)
    assert (narrow.guarded_hi or 1) - (narrow.guarded_lo or 0) < (wide.guarded_hi or 0) - (
        wide.guarded_lo or 0
    )


@pytest.mark.requirement("X-E20")
def test_a_bootstrap_stands_beside_every_interval_and_is_the_same_twice(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    called("compare", folder)
    for found in result(folder).rows:
        assert found.bootstrap_lo is not None
        assert found.bootstrap_lo == pytest.approx(found.literal_lo, abs=0.02)
        assert found.bootstrap_hi == pytest.approx(found.literal_hi, abs=0.02)
        assert not found.is_disputed
