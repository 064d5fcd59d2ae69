"""Whether the best fit of a choice model is finite, checked before anything is fitted."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, identity
from scipy.sparse.csgraph import connected_components

from equipoise.stats.choice_counts import IntArray, PairTable

_LONGEST_LIST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Existence:
    """Whether finite strengths exist; if not, ``reason`` says why and ``code`` names it.

    ``code`` is ``disconnected`` (groups that never met) or ``separation`` (some system or group
    never loses, or never wins, against the others); both are empty where the fit exists.
    """

    exists: bool
    reason: str = ""
    code: str = ""


def finite_fit_exists(table: PairTable) -> Existence:
    """Ford's condition: the graph of wins must be strongly connected.

    A tie counts as half a win for each, so it is an edge both ways. Systems that no vote names
    are groups of their own.

    Source: Ford (1957), Solution of a ranking problem from binary comparisons, Amer. Math.
    Monthly 64(8), 28-33; necessary also with an order effect or Davidson ties.

    >>> from equipoise.stats.choice_counts import pair_table
    >>> finite_fit_exists(pair_table([("A", "B", 5, 0), ("A", "C", 4, 0), ("B", "C", 3, 2)])).reason
    'A never loses: the win graph is not strongly connected'
    """
    n = len(table.systems)
    up, down = table.first_wins + table.ties > 0, table.second_wins + table.ties > 0
    winner = np.concatenate([table.first[up], table.second[down]])
    loser = np.concatenate([table.second[up], table.first[down]])
    wins = csr_array((np.ones(len(winner)), (winner, loser)), shape=(n, n))
    n_groups, group = connected_components(wins, directed=True, connection="weak")
    if n_groups > 1:
        names = " and ".join(
            "{" + _listed(table.systems, group == g) + "}" for g in range(min(n_groups, 3))
        )
        more = f" and {n_groups - 3} more groups" if n_groups > 3 else ""
        reason = f"{names}{more} were never compared: the comparison graph is not connected"
        return Existence(exists=False, reason=reason, code="disconnected")
    n_parts, strong = connected_components(wins, directed=True, connection="strong")
    part = strong.astype(np.intp)
    if n_parts == 1:
        return Existence(exists=True)
    across = part[winner] != part[loser]
    never_loses = np.setdiff1d(np.arange(n_parts), part[loser[across]])
    never_wins = np.setdiff1d(np.arange(n_parts), part[winner[across]])
    clauses = _clauses(table.systems, part, never_loses, never_wins)
    reason = f"{clauses}: the win graph is not strongly connected"
    return Existence(exists=False, reason=reason, code="separation")


def is_separated(contrasts: csr_array) -> bool:
    """Whether a direction exists along which the likelihood never falls and somewhere rises.

    Each row is, for one outcome that was seen and one that was possible instead, the features of
    the seen less those of the other; the best fit is infinite if and only if some direction v
    gives ``contrasts @ v >= 0`` with one entry above 0. Solved as a linear programme.

    Source: Albert & Anderson (1984), On the existence of maximum likelihood estimates in logistic
    regression models, Biometrika 71(1), 1-10, theorems 1-3.
    """
    n_rows, n_parameters = contrasts.shape
    slack = identity(n_rows, format="csr")
    objective = np.concatenate([np.zeros(n_parameters), -np.ones(n_rows)])
    solved = linprog(
        objective,
        A_ub=hstack([-contrasts, slack], format="csr"),
        b_ub=np.zeros(n_rows),
        bounds=[(None, None)] * n_parameters + [(0.0, 1.0)] * n_rows,
        method="highs",
    )
    return solved.fun is not None and bool(solved.fun < -0.5)


def _clauses(
    systems: tuple[str, ...], part: IntArray, never_loses: IntArray, never_wins: IntArray
) -> str:
    sizes = np.bincount(part)
    found = [(parts, verb) for parts, verb in ((never_loses, "loses"), (never_wins, "wins"))]
    single = [
        f"{_listed(systems, np.isin(part, alone))} never {verb}"
        for parts, verb in found
        if len(alone := parts[sizes[parts] == 1])
    ]
    if single:
        return " and ".join(single)
    return f"the group {{{_listed(systems, part == never_loses[0])}}} never loses to the others"


def _listed(systems: tuple[str, ...], chosen: npt.NDArray[np.bool_]) -> str:
    names = [systems[i] for i in np.flatnonzero(chosen)]
    more = f" and {len(names) - _LONGEST_LIST} more" if len(names) > _LONGEST_LIST else ""
    return ", ".join(names[:_LONGEST_LIST]) + more
