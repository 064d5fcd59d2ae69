"""Tokens, money and bounds of an outcome study in words, equal on the page and in the terminal."""

from equipoise.records.counted import counted
from equipoise.records.hypothesis import Aim, Hypothesis

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


def floor(one: Hypothesis) -> str:
    """Gives the smallest p that its scenarios can give, and the gain that is found."""
    n = len(one.scenarios)
    least = f"{'1' if one.direction is Aim.EQUIVALENT else '2'}/2^{n} = {one.smallest_p:.4g}"
    if one.detectable is not None:
        found = f"a gain of {one.detectable:.2f} is found with 80 %"
    elif one.direction in {Aim.BETTER, Aim.WORSE}:
        found = "no gain can be found at all"
    else:
        found = "it is shown best where no scenario differs"
    return f"{counted(n, 'scenario')}, smallest p {least}; {found}"


def can_be_confirmed(one: Hypothesis, n_primary: int) -> bool:
    """Says whether its exact test can confirm it at all, beside the other primary hypotheses."""
    alpha = (1.0 - one.level) / (n_primary if one.primary else 1)
    if one.direction in {Aim.BETTER, Aim.WORSE}:
        return one.detectable is not None
    return one.smallest_p <= alpha


def _span(span: Span, form: str) -> str:
    low, high = span
    if high is None:
        return f"{low:{form}} and more"
    return f"{low:{form}}" if low == high else f"{low:{form}} to {high:{form}}"
