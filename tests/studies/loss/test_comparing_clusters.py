"""Units that share something count for less, and the files say so."""

import math
from pathlib import Path

import pytest

from studies.loss.compared_loss_runs import called, made, names, result, row
from studies.loss.made_loss_runs import Run, partition, plan, units

N = 400
PART = partition({"intent": "refund"}, n_min=100)
CELL = "intent=refund / tool_call_wrong_arg"


def losses(arg: float, clusters: int | None) -> list[Run]:
    """Units in clusters that lose as a whole; the first share of them loses."""
    size = N // clusters if clusters else 1
    return [
        Run(
            unit=name,
            lost={"tool_call_wrong_arg": float(i // size * size < arg * N), "tone_off": 0.0},
            quote=f"wrong {name}",
            cluster=f"book {i // size}" if clusters else None,
        )
        for i, name in enumerate(names("r", N))
    ]


@pytest.mark.requirement("X-C10")
def test_units_that_lose_together_widen_the_interval_as_their_clusters_do(tmp_path: Path) -> None:
    promised = plan((PART,), units(PART, names("r", N)))
    apart = made(tmp_path / "apart", losses(0.35, None), losses(0.1, None), promised)
    shared = made(tmp_path / "shared", losses(0.35, 40), losses(0.1, 40), promised)
    assert called("compare", apart).exit_code == 1
    done = called("compare", shared)
    assert done.exit_code == 0, done.output
    one, other = row(apart, CELL), row(shared, CELL)
    assert one.delta == pytest.approx(0.25)
    assert other.delta == pytest.approx(0.25)
    ratio = (other.se_delta or 0) / (one.se_delta or 1)
    assert math.sqrt(10) < ratio < 1.15 * math.sqrt(10)
    assert other.failed == ("literal", "guarded")
    assert any("share clusters" in note for note in result(shared).notes)
    assert not any("share clusters" in note for note in result(apart).notes)


def test_clusters_of_one_unit_and_a_partition_of_one_cluster_change_nothing(tmp_path: Path) -> None:
    promised = plan((PART,), units(PART, names("r", N)))
    cells = []
    for name, clusters in (("none", None), ("ones", N), ("whole", 1)):
        base = (
            losses(0.1, clusters)
            if clusters != 1
            else [
                Run(unit=r.unit, lost=r.lost, quote=r.quote, cluster="book")
                for r in losses(0.1, None)
            ]
        )
        new = (
            losses(0.4, clusters)
            if clusters != 1
            else [
                Run(unit=r.unit, lost=r.lost, quote=r.quote, cluster="book")
                for r in losses(0.4, None)
            ]
        )
        folder = made(tmp_path / name, new, base, promised)
        called("compare", folder)
        cells.append(row(folder, CELL).se_delta)
    assert cells[0] == cells[1] == cells[2]
