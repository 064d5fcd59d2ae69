"""The critical value over the family of cells, under each rule."""

from pathlib import Path

import duckdb
import msgspec
import pytest
from scipy.stats import norm

from equipoise.errors import InputError
from equipoise.records.estimate import CellKey
from equipoise.records.terms import Rule
from equipoise.stages.estimate.family import cell_family, headline_family
from stages.estimate.made_columns import Row, estimated, terms_of


def _rows(n_intents: int, *, repeat_label: bool = False) -> list[Row]:
    def labels(i: int) -> dict[str, str | None]:
        intent = f"i{i % n_intents}"
        return {"intent": intent, "again": intent} if repeat_label else {"intent": intent}

    return [
        Row(
            unit=f"u{i:03}",
            arm=arm,
            value=float((i // n_intents + (arm == "new")) % 3 == 0),
            labels=labels(i),
        )
        for i in range(12 * n_intents)
        for arm in ("base", "new")
    ]


def _critical(rule: Rule, k: int, tmp_path: Path) -> float:
    terms = msgspec.structs.replace(terms_of("base", "new", partitions=("intent",)), rule=rule)
    found = estimated(_rows(k), terms, tmp_path).estimates.comparisons
    cell = next(c for c in found if c.cell.label)
    assert cell.family_size == k
    assert cell.critical_z is not None
    return cell.critical_z


@pytest.mark.requirement("E2E-44")
def test_the_seed_rule_takes_z_of_two_plus_half_the_logarithm(tmp_path: Path) -> None:
    assert _critical(Rule.SEED, 10, tmp_path) == pytest.approx(3.151, abs=5e-4)


def test_bonferroni_splits_the_level(tmp_path: Path) -> None:
    assert _critical(Rule.BONFERRONI, 10, tmp_path) == pytest.approx(norm.isf(0.0025))


def test_max_t_over_cells_that_share_nothing_is_sidaks(tmp_path: Path) -> None:
    expected = norm.isf((1 - 0.95 ** (1 / 10)) / 2)
    assert _critical(Rule.MAX_T, 10, tmp_path) == pytest.approx(expected)


def test_max_t_knows_that_the_same_cells_twice_are_no_further_cells(tmp_path: Path) -> None:
    """Ten cells that are five, each under two labels: the value is that of five."""
    terms = terms_of("base", "new", partitions=("intent", "again"))
    found = estimated(_rows(5, repeat_label=True), terms, tmp_path).estimates.comparisons
    cell = next(c for c in found if c.cell.label)
    assert cell.family_size == 10
    assert cell.critical_z == pytest.approx(norm.isf((1 - 0.95 ** (1 / 5)) / 2), abs=0.02)


def test_a_family_planned_larger_is_kept_and_a_smaller_one_refused() -> None:
    terms = msgspec.structs.replace(
        terms_of("base", "new", partitions=("intent",)), rule=Rule.BONFERRONI, family_size=50
    )
    with duckdb.connect() as con:
        assert cell_family(con, terms, {}, {}).critical_z == pytest.approx(norm.isf(0.0005))
        small = msgspec.structs.replace(terms, family_size=0)
        with pytest.raises(InputError, match="planned with 0"):
            cell_family(con, small, {(1, CellKey(label="a", value="b")): 0.0}, {})


def test_several_arms_share_the_level_of_the_headline() -> None:
    assert headline_family(terms_of("base", "a", "b")).level == pytest.approx(0.975)
    assert headline_family(terms_of("base", "a")).level == pytest.approx(0.95)
