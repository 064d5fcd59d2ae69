"""Numbers of options within a range: one that is not finite (nan, inf) is in no range."""

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A float within a range; `nan` is refused, which no bound would stop, and so is `inf`."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Gives the number.

        Raises:
            click.BadParameter: it is no number, not finite, or outside the range.
        """
        found = float(super().convert(value, param, ctx))
        if not math.isfinite(found):
            self.fail(f"{value} is no number that can be counted with.", param, ctx)
        return found
