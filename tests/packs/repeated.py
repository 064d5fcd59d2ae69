"""What packs with repetitions share: per-repetition figures, spreads, paired comparisons."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from packs.product import Archived, Compared, calc

MEAN = 'avg("value:outcome")'


def of_arm(archived: Archived, found: Compared, name: str) -> dict[str, Any]:
    """Gives mean, clustered error, t interval, pass^k, pass@k and flaky units of one arm.

    The t interval is that of `calc interval.t` over the unit means of the archive.
    """
    arm = found.arm(name)
    pass_k = {line["k"]: line for line in arm["pass_k"]}
    means = archived.column(f"SELECT {MEAN} FROM trials WHERE arm = '{name}' GROUP BY unit")
    by_t = calc("interval.t", x=means)
    assert math.isclose(by_t["mean"], arm["mean"], abs_tol=1e-12)
    return {
        "mean": arm["mean"],
        "se_task": arm["se"],
        "ci95": [by_t["lo"], by_t["hi"]],
        **{f"pass_hat_{k}": line["hat"] for k, line in pass_k.items()},
        **{f"pass_at_{k}": line["at"] for k, line in pass_k.items()},
        "flaky": arm["n_flaky"],
    }


def per_repetition(found: Compared, name: str) -> list[float]:
    """Gives the declared figures of an arm's repetitions as the product derives them from rows."""
    checks = [
        check
        for check in found.estimates["headlines"]
        if check["headline"].get("arm") == name
        and check["headline"]["metric"].startswith("accuracy@repetition=")
    ]
    checks.sort(key=lambda check: str(check["headline"]["metric"]))
    assert [check["follows"] for check in checks] == [True] * len(checks)
    return [float(check["from_rows"]) for check in checks]


def spread(values: Sequence[float]) -> float:
    """Gives the sd of some figures, ddof 1; all equal: 0, of which no error bar may be made."""
    if len(set(values)) == 1:
        return 0.0
    return float(calc("interval.t", x=list(values))["sd"])


def paired(archived: Archived, found: Compared, base: str, new: str) -> dict[str, Any]:
    """Gives the comparison of two arms, the product's own numbers first.

    The t interval and p-value come from `calc delta.paired` over the unit means of the archive; it
    must agree with the delta and se that `compare` estimated.
    """
    one = found.comparison()
    rows = archived.sql(
        f"SELECT n.v, b.v FROM (SELECT unit, {MEAN} AS v FROM trials WHERE arm = '{new}' "
        f"GROUP BY unit) n JOIN (SELECT unit, {MEAN} AS v FROM trials WHERE arm = '{base}' "
        "GROUP BY unit) b USING (unit) ORDER BY unit"
    )
    by_t = calc("delta.paired", new=[n for n, _ in rows], base=[b for _, b in rows])
    assert math.isclose(by_t["delta"], one["delta"], abs_tol=1e-12)
    assert math.isclose(by_t["se"], one["se"], rel_tol=1e-9)
    return {
        "n": one["n_pairs"],
        "delta": one["delta"],
        "se": one["se"],
        "ci95_t": [by_t["lo"], by_t["hi"]],
        "ci95_z": [one["delta"] - 1.96 * one["se"], one["delta"] + 1.96 * one["se"]],
        "p_t": by_t["p"],
    }


def is_sane(found: Compared, check: Mapping[str, Any]) -> None:
    """Holds the printed interval and verdict of a comparison against the pack's t interval."""
    printed = found.comparison()["interval"]
    lo, hi = check["ci95_t"]
    width = hi - lo
    assert printed["lo"] < check["delta"] < printed["hi"]
    assert 0.97 * width <= printed["hi"] - printed["lo"] <= 1.6 * width, json.dumps(printed)
    word = found.verdict()["word"]
    if lo > 0.01:
        assert word == "better"
    elif hi < -0.01:
        assert word == "worse"
    else:
        assert word in ("cannot tell", "equivalent", "better", "worse")
        assert (word in ("better", "worse")) == (not printed["lo"] <= 0 <= printed["hi"])
