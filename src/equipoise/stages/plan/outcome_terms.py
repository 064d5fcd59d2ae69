"""Tokens, money and bounds of an outcome study in words, equal on the page and in the terminal."""

from equipoise.errors import InputError, NotEstimable
from equipoise.records.counted import counted
from equipoise.records.hypothesis import Aim, Hypothesis
from equipoise.stats.signflip_reach import detectable_share

_MOST_SCENARIOS = 64
_SPENT = frozenset({"tokens", "usd", "turns", "wall_ms"})
"""Metrics that are no shares: of these nobody can say what a gain of the mde would be."""
Span = tuple[float, float | None]


def tokens(span: Span | None) -> str:
    """Gives tokens from and to, or that nobody knows."""
    return "tokens unknown" if span is None else f"{_span(span, ',.0f')} tokens"


def money(span: Span | None) -> str:
    """Gives US dollars from and to, or that nobody knows."""
    return "money unknown" if span is None else f"{_span(span, ',.2f')} USD"


def claimed(one: Hypothesis) -> str:
    """Gives what a hypothesis claims, in a clause."""
    metric = {"main": "the main metric", "hidden": "hidden tests"}.get(one.metric, one.metric)
    who = f"{one.new} against {one.base}, {metric}"
    if one.direction is Aim.BETTER:
        return f"{who}: better by more than {one.threshold or 0:g}"
    if one.direction is Aim.WORSE:
        return f"{who}: worse by more than {one.threshold or 0:g}"
    if one.direction is Aim.NOT_WORSE:
        return f"{who}: not worse by {one.margin or 0:g}"
    return f"{who}: equal within {one.margin or 0:g}"


def floor(one: Hypothesis, n_primary: int, mde: float) -> str:
    """Gives the smallest p that its scenarios can give, and the gain that is found.

    Where nothing can be found, whatever comes out, it is said how many scenarios would be needed;
    where a gain as small as `mde` is not, how many that would take.
    """
    n = len(one.scenarios)
    least = f"{'1' if one.direction is Aim.EQUIVALENT else '2'}/2^{n} = {one.smallest_p:.4g}"
    if one.detectable is not None:
        found = f"a gain of {one.detectable:.2f} is found with 80 %"
        needed = scenarios_for(one, n_primary, mde) if one.detectable > mde else None
        if needed is not None:
            found += f" (one of {mde:g}, the mde, over {needed} scenarios)"
    elif one.direction in {Aim.BETTER, Aim.WORSE}:
        needed = least_scenarios(one, n_primary)
        more = "" if needed is None else f": at least {needed} are needed"
        found = f"no gain can be found at all{more}"
    else:
        found = "it is shown best where no scenario differs"
    return f"{counted(n, 'scenario')}, smallest p {least}; {found}"


def can_be_confirmed(one: Hypothesis, n_primary: int) -> bool:
    """Says whether its exact test can confirm it at all, beside the other primary hypotheses."""
    alpha = _alpha(one, n_primary)
    if one.direction in {Aim.BETTER, Aim.WORSE}:
        return one.detectable is not None
    return one.smallest_p <= alpha


def least_scenarios(one: Hypothesis, n_primary: int) -> int | None:
    """Gives how many scenarios its exact test needs to confirm it at all; null = more than 64."""
    alpha = _alpha(one, n_primary)
    for n in range(1, _MOST_SCENARIOS + 1):
        if one.direction in {Aim.BETTER, Aim.WORSE}:
            try:
                detectable_share(n, alpha, threshold=one.threshold or 0.0)
            except NotEstimable:
                continue
            except InputError:
                return None
            return n
        if (1.0 if one.direction is Aim.EQUIVALENT else 2.0) / 2.0**n <= alpha:
            return n
    return None


def scenarios_for(one: Hypothesis, n_primary: int, gain: float) -> int | None:
    """Gives over how many scenarios a gain is found with 80 %; null = more than 64, or never."""
    if one.metric in _SPENT or not (one.threshold or 0.0) < gain:
        return None
    alpha = _alpha(one, n_primary)
    for n in range(len(one.scenarios), _MOST_SCENARIOS + 1):
        try:
            found = detectable_share(n, alpha, threshold=one.threshold or 0.0)
        except (NotEstimable, InputError):
            continue
        if found <= gain:
            return n
    return None


def _alpha(one: Hypothesis, n_primary: int) -> float:
    """Gives the level that is left to it in its family."""
    return (1.0 - one.level) / (n_primary if one.primary else 1)


def _span(span: Span, form: str) -> str:
    low, high = span
    if high is None:
        return f"{low:{form}} and more"
    return f"{low:{form}}" if low == high else f"{low:{form}} to {high:{form}}"
