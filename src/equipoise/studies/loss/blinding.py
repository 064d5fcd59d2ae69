"""What judges of a loss study must not see, and the words behind what was masked of it."""

import re
from pathlib import Path
from typing import Any

from equipoise.blind.families import read_families
from equipoise.blind.hidden import HiddenName, hidden_names
from equipoise.blind.leaks import MASK
from equipoise.records.plan import Plan

FAMILIES = "families.yaml"
"""The family map of a study's own, beside its study file; without it the shipped one holds."""

_LONGEST_NAME = 200
_WORD = r"[^\s.,;:!?]*"


def names_hidden(plan: Plan, study: Path) -> tuple[HiddenName, ...]:
    """Gives the names that no packet of the study may show: of arms, their models and skills."""
    given = [next(iter(arm.system.values()), None) for arm in plan.arms]
    specs = [spec for spec in given if isinstance(spec, dict)]
    models = [spec["model"] for spec in specs if isinstance(spec.get("model"), str)]
    skills = [Path(one).name for spec in specs for one in _texts(spec.get("skills"))]
    return hidden_names(
        arms=[arm.name for arm in plan.arms],
        models=models,
        families=read_families(study / FAMILIES),
        skills=skills,
    )


def as_written(quote: str, text: str) -> str:
    """Gives a quote of a masked text as it stands in the text itself; as it is where it does not.

    Args:
        quote: what a judge quoted, with `MASK` where names were.
        text: the output as it was written.
    """
    if MASK not in quote or quote in text:
        return quote
    between = rf".{{1,{_LONGEST_NAME}}}?"
    to_end = _WORD if quote.endswith(MASK) else ""
    pattern = between.join(map(re.escape, quote.split(MASK))) + to_end
    found = re.search(pattern, text, re.DOTALL)
    return found.group() if found else quote


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
