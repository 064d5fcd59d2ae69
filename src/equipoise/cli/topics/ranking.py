"""Topics on strengths from votes between two systems: ``bt.*`` and their closed forms."""

import math
from typing import Any

import msgspec

from equipoise.cli.topics import Topic
from equipoise.errors import NotEstimable
from equipoise.stats.choice import ChoiceFit, fit_counts
from equipoise.stats.choice_counts import pair_table
from equipoise.stats.choice_existence import finite_fit_exists
from equipoise.stats.choice_two_systems import two_systems_with_order, two_systems_with_ties


class Pairs(msgspec.Struct):
    """Counted votes.

    Attributes:
        pairs: rows [first, second, wins of first, wins of second], perhaps with ties as a fifth.
    """

    pairs: list[list[str | int | float]]


class Placed(msgspec.Struct):
    """One order of two systems.

    Attributes:
        A_wins: wins of A.
        n: votes in this order.
    """

    A_wins: float
    n: float


class TwoOrders(msgspec.Struct):
    """Votes on two systems in both orders."""

    A_first: Placed
    B_first: Placed


class WinsAndTies(msgspec.Struct):
    """Votes on two systems with ties."""

    A_wins: float
    B_wins: float
    ties: float


def _fit(given: Pairs) -> dict[str, Any]:
    return _strengths(fit_counts(pair_table(given.pairs)))


def _order(given: Pairs) -> dict[str, Any]:
    fit = fit_counts(pair_table(given.pairs), order=True)
    return _strengths(fit) | {"order_effect": fit.order_effect, "order_se": fit.order_se}


def _davidson(given: Pairs) -> dict[str, Any]:
    fit = fit_counts(pair_table(given.pairs), ties="davidson")
    assert fit.log_nu is not None
    nu = {"log_nu": fit.log_nu, "nu": math.exp(fit.log_nu)}
    return _strengths(fit) | nu | {"loglik": fit.loglik}


def _degenerate(given: Pairs) -> dict[str, Any]:
    found = finite_fit_exists(pair_table(given.pairs))
    return {"finite_mle_exists": found.exists, "reason": found.reason or None}


def _position(given: TwoOrders) -> dict[str, Any]:
    first, second = given.A_first, given.B_first
    try:
        fit = two_systems_with_order(first.A_wins, first.n, second.A_wins, second.n)
    except NotEstimable as missing:
        return {"strength": None, "position": None, "why": missing.why}
    return {"strength": fit.strength, "position": fit.position}


def _ties(given: WinsAndTies) -> dict[str, Any]:
    try:
        fit = two_systems_with_ties(given.A_wins, given.B_wins, given.ties)
    except NotEstimable as missing:
        return {"log_ratio": None, "nu": None, "why": missing.why}
    return {"log_ratio": fit.log_ratio, "nu": fit.nu}


def _strengths(fit: ChoiceFit) -> dict[str, Any]:
    others = fit.systems[1:]
    return {
        "reference": fit.systems[0],
        "ability": dict(zip(others, fit.ability[1:], strict=True)),
        "se": dict(zip(others, fit.se[1:], strict=True)),
    }


_STRENGTHS = {
    "reference": "first system named; its strength is 0",
    "ability": "strength of each other system, in logits",
    "se": "standard error of each, from Fisher information: every vote on its own prompt",
}

TOPICS = {
    "bt.fit": Topic(
        says="Bradley-Terry strengths; a tie is half a win for each.",
        takes=Pairs,
        gives=_STRENGTHS,
        compute=_fit,
    ),
    "bt.order_effect": Topic(
        says="Bradley-Terry strengths with an advantage of being shown first.",
        takes=Pairs,
        gives=_STRENGTHS
        | {"order_effect": "advantage of the first place, in logits", "order_se": "its error"},
        compute=_order,
    ),
    "bt.davidson_ties": Topic(
        says="Bradley-Terry strengths with Davidson's tie parameter nu.",
        takes=Pairs,
        gives=_STRENGTHS
        | {"log_nu": "log of nu", "nu": "readiness to tie", "loglik": "log likelihood"},
        compute=_davidson,
    ),
    "bt.degenerate": Topic(
        says="Whether finite Bradley-Terry strengths exist (Ford's condition), and if not, why.",
        takes=Pairs,
        gives={"finite_mle_exists": "true or false", "reason": "who never loses or wins; or null"},
        compute=_degenerate,
    ),
    "bt_position_two_systems": Topic(
        says="Strength and order effect of two systems from both orders, in closed form.",
        takes=TwoOrders,
        gives={
            "strength": "log odds that A beats B; null with `why` when infinite",
            "position": "advantage of the first place",
        },
        compute=_position,
    ),
    "bt_ties_two_systems": Topic(
        says="Strength ratio and Davidson's nu of two systems, in closed form.",
        takes=WinsAndTies,
        gives={"log_ratio": "log of A over B; null when infinite", "nu": "readiness to tie"},
        compute=_ties,
    ),
}
