"""What only grading may see of a unit."""

from typing import Any

import msgspec


class Holdout(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is expected of a unit, and what may be said about it.

    `expected` is looked up by checks (``{expected.refund_cents}``); `may_quote` says whether a
    report may quote from the unit's logs, `retention_until` (ISO date) how long it may be used,
    `pseudonyms` what must be replaced in everything that is shown (text -> pseudonym).
    """

    unit: str
    expected: dict[str, Any] = {}
    may_quote: bool = True
    retention_until: str | None = None
    pseudonyms: dict[str, str] = {}
