"""The literal report rule of a pack per cell, asked of `calc`, from what `compare` estimated."""

from typing import Any

from packs.product import Compared, calc


def literal_cells(found: Compared, baseline: str, arm: str, mde: str) -> dict[str, Any]:
    """Gives k, z and one entry per cell of a comparison made with ``--rule seed --unpair``.

    The outcome is better when higher, the pack's loss is 1 - outcome. Counts, means and spreads
    are those of `estimates.json`; the rule itself is `calc report_rule.literal`.
    """
    cells = found.cells()
    k = found.comparison(cells[0])["family_size"]
    rows = [_cell(found, baseline, arm, cell, (k, mde)) for cell in cells]
    return {"k": k, "z": found.comparison(cells[0])["critical_z"], "mde": float(mde), "cells": rows}


def _cell(
    found: Compared, baseline: str, arm: str, cell: str, rule: tuple[int, str]
) -> dict[str, Any]:
    compared = found.comparison(cell)
    base = _side(found.arm(baseline, cell), compared["n_min_base"])
    new = _side(found.arm(arm, cell), compared["n_min_new"])
    one: dict[str, Any] = {
        "cell": cell,
        **{f"{key}_base": value for key, value in base.items()},
        **{f"{key}_new": value for key, value in new.items()},
        "delta": -compared["delta"],
        "se_delta": None,
        "ci_low": None,
        "ci_high": None,
        "interval_above_mde": False,
        "degenerate_zero_variance": 0.0 in (base["stddev_between"], new["stddev_between"]),
    }
    if None not in (base["se"], new["se"]):
        rows = {
            f"{key}_{side}": value[key]
            for side, value in (("new", new), ("base", base))
            for key in ("stddev_between", "n")
        }
        told = calc(
            "report_rule.literal",
            loss_new=new["loss"],
            loss_base=base["loss"],
            k=rule[0],
            mde=float(rule[1]),
            **rows,
        )
        one |= {key: told[key] for key in ("se_delta", "ci_low", "ci_high")}
        one["interval_above_mde"] = told["ci_low"] > float(rule[1])
    is_enough = all(
        side["n_min"] is not None and side["n"] >= side["n_min"] for side in (base, new)
    )
    return one | {"status": "scored" if is_enough else "unterbelegt"}


def _side(arm: dict[str, Any], n_min: int | None) -> dict[str, Any]:
    """Gives one arm of a cell; without any spread the pack's formula gives 0, ours no number."""
    spread = arm["stddev_between"]
    if spread == 0.0:
        assert arm["se"] is None
    return {
        "n": arm["n_units"],
        "loss": 1 - arm["mean"],
        "stddev_between": spread,
        "se": 0.0 if spread == 0.0 else arm["se"],
        "n_min": 0 if spread == 0.0 else n_min,
    }
