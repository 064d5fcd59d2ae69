"""The units of the study: what a customer writes, and apart from it what ought to happen."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from equipoise.examples.helpdesk.drive.workload import Case

_SIGNED = {"en": "Kind regards", "de": "Mit freundlichen Grüßen", "ru": "С уважением"}


def lines(cases: Iterable[Case]) -> Iterator[str]:
    """One JSON line for each case; only ``brief`` is ever shown to the service."""
    for case in cases:
        unit = {
            "id": case.unit,
            "labels": {
                "intent": case.intent,
                "language": case.language,
                "channel": case.channel,
            },
            "brief": {
                "customer": case.customer.id,
                "channel": case.channel,
                "text": case.text,
            },
            "expected": _expected(case),
        }
        yield json.dumps(unit, ensure_ascii=False)


def _expected(case: Case) -> dict[str, Any]:
    wanted = case.expected
    return {
        "intent": case.intent,
        "tool": wanted.tool,
        "action": {
            "tool": wanted.tool,
            "subject": wanted.subject,
            "amount_cents": wanted.amount_cents,
        },
        "fact": wanted.fact,
        "closing": _SIGNED[case.language],
    }
