"""Topics on stopping early: ``sequential.*``."""

import re
from typing import Any, Literal

import msgspec

from equipoise.cli.topics import Topic
from equipoise.errors import InputError
from equipoise.stats.betting import Wealth, adaptive_bet, betting_interval, fixed_bet, sign_mixture
from equipoise.stats.sequential import boundaries


class FixedBet(msgspec.Struct):
    """Observations on [0, 1] in order, the bet, the mean under the hypothesis, the threshold."""

    x: list[float]
    bet: float = msgspec.field(name="lambda")
    mean_under_null: float
    threshold: float = 20.0


class AdaptiveBet(msgspec.Struct):
    """Observations on [0, 1] in order, the mean under the hypothesis, the threshold."""

    x: list[float]
    mean_under_null: float
    threshold: float = 20.0
    two_sided: bool = True


class Signs(msgspec.Struct):
    """Wins among the units that differ, the prior ``Beta(a,b)``, the hypothesis ``p=0.5``."""

    wins: float
    n_discordant: float
    prior: str = "Beta(1,1)"
    null: str = "p=0.5"


class Looks(msgspec.Struct):
    """Number of looks, two-sided error, shape, and (optional) information fractions."""

    looks: float
    alpha_two_sided: float = 0.05
    kind: Literal["pocock", "obrien_fleming"] = "obrien_fleming"
    information_fractions: list[float] | None = None


class Bounded(msgspec.Struct):
    """Values on [0, 1] in the order in which they came, and the confidence level."""

    x: list[float]
    level: float = 0.95


def _wealth(wealth: Wealth) -> dict[str, Any]:
    return {
        "wealth_path": wealth.path,
        f"first_index_1based_at_or_above_{wealth.threshold:g}": wealth.first_crossing,
        "first_crossing": wealth.first_crossing,
        "threshold": wealth.threshold,
        "n": wealth.n,
        "method": wealth.method,
    }


def _sign_mixture(given: Signs) -> dict[str, Any]:
    a, b = _numbers(given.prior, r"Beta\(\s*([-+.\deE]+)\s*,\s*([-+.\deE]+)\s*\)", "prior")
    (p,) = _numbers(given.null, r"p\s*=\s*([-+.\deE]+)", "null")
    found = sign_mixture(given.wins, given.n_discordant, a=a, b=b, null_p=p)
    return {"e_value": found.value, "log_e_value": found.log_value, "method": found.method}


def _numbers(text: str, pattern: str, name: str) -> list[float]:
    match = re.fullmatch(pattern, text.strip())
    try:
        return [float(part) for part in match.groups()] if match else _refuse(text, name)
    except ValueError:
        return _refuse(text, name)


def _refuse(text: str, name: str) -> list[float]:
    wanted = "'Beta(1,1)'" if name == "prior" else "'p=0.5'"
    raise InputError(f"{name} = {text!r}", wanted=f"a text like {wanted}", where=f"field '{name}'")


def _boundaries(given: Looks) -> dict[str, Any]:
    plan = boundaries(
        given.looks,
        kind=given.kind,
        alpha=given.alpha_two_sided,
        fractions=given.information_fractions,
    )
    return {
        "constant_z": plan.constant,
        "final_z": plan.z[-1],
        "z_at_look_k": plan.z,
        "nominal_p_at_look_k": plan.nominal_p,
        "alpha_spent_at_look_k": plan.spent,
        "information_fractions": plan.fractions,
    }


def _betting_interval(given: Bounded) -> dict[str, Any]:
    found = betting_interval(given.x, level=given.level)
    return {
        "mean": found.value,
        "lo": found.interval.lo,
        "hi": found.interval.hi,
        "level": given.level,
        "n": found.n,
        "method": found.method,
    }


_WEALTH = {
    "wealth_path": "wealth after each observation",
    "first_index_1based_at_or_above_20": "first observation at or above the threshold, or null "
    "(the number in the key is the threshold)",
    "first_crossing": "the same",
    "threshold": "1 / alpha",
    "n": "observations",
    "method": "name of the betting rule",
}

TOPICS = {
    "sequential.betting_wealth": Topic(
        says="The wealth of a fixed bet against a mean, which any stopping rule may watch.",
        takes=FixedBet,
        gives=_WEALTH,
        compute=lambda given: _wealth(
            fixed_bet(
                given.x,
                bet=given.bet,
                null_mean=given.mean_under_null,
                threshold=given.threshold,
            )
        ),
    ),
    "sequential.adaptive_wealth": Topic(
        says="The wealth of bets that follow the past, bounded so that none can ruin.",
        takes=AdaptiveBet,
        gives=_WEALTH,
        compute=lambda given: _wealth(
            adaptive_bet(
                given.x,
                null_mean=given.mean_under_null,
                threshold=given.threshold,
                two_sided=given.two_sided,
            )
        ),
    ),
    "sequential.sign_mixture_e": Topic(
        says="E-value of wins among the units that differ, mixing over a Beta prior.",
        takes=Signs,
        gives={
            "e_value": "evidence against the hypothesis; 20 or more rejects at 0.05",
            "log_e_value": "its natural logarithm",
            "method": "name of the method",
        },
        compute=_sign_mixture,
    ),
    "sequential.group_boundaries": Topic(
        says="O'Brien-Fleming or Pocock boundaries by numerical integration.",
        takes=Looks,
        gives={
            "constant_z": "the constant C",
            "final_z": "critical value at the last look",
            "z_at_look_k": "critical value at each look",
            "nominal_p_at_look_k": "two-sided p at each look",
            "alpha_spent_at_look_k": "error spent up to each look",
            "information_fractions": "share of the units at each look",
        },
        compute=_boundaries,
    ),
    "interval.betting": Topic(
        says="Hedged betting interval of a mean on [0, 1]: covers for every distribution.",
        takes=Bounded,
        gives={
            "mean": "mean",
            "lo": "lower limit",
            "hi": "upper limit",
            "level": "confidence level",
            "n": "values",
            "method": "name of the method",
        },
        compute=_betting_interval,
    ),
}
