"""A loss catalog: what can go wrong, how much each thing weighs, and how it is found."""

from typing import Any

import msgspec

DETERMINISTIC = "deterministic"
MODEL_JUDGED = "model_judged"


class Category(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One category of a catalog.

    A `weight` of 0 is a diagnostic: graded and shown, in no loss and in no cell of a comparison.
    `max` is the raw value at which the category is fully lost; larger values are clipped. `check`
    says how a deterministic category is found (see docs/reference/checks.md); without one, its
    raw values come from findings files or from imported grades of the same name. `is_reexecuted`:
    evaluable only where the system is executed again (mode A). `needs` names the probes without
    which it cannot be evaluated. `is_wanted`: what `about` says is wanted, and lost where it is not
    true. `is_policy`: a loss is a violation of policy. `applies_to` names the arms it is for (none
    = all). `asked` says what judges are asked in place of `about`: a list that they hold against an
    expert's, or the cause that a document names. A category of weight 0 is a diagnostic: it is
    shown, and decides nothing.
    """

    id: str
    weight: float
    type: str
    max: float
    check: dict[str, Any] = {}
    is_reexecuted: bool = False
    needs: tuple[str, ...] = ()
    about: str = ""
    is_wanted: bool = False
    is_policy: bool = False
    applies_to: tuple[str, ...] = ()
    asked: str = ""


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """The file `loss-catalog.vN.json`, or a rubric read as one."""

    version: str
    categories: tuple[Category, ...]
    is_rubric: bool = False

    def criterion(self, category: str) -> str:
        """Gives the criterion under which a trial is graded: ``v3:tone_off``."""
        return f"{self.version}:{category}"
