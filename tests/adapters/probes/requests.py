"""Requests as a run hands them out."""

from typing import Any

from equipoise.records.brief import Brief, Request


def request(trial: str = "t1", unit: str = "u1", **content: Any) -> Request:
    """Gives a request for one attempt at a unit with this content."""
    return Request(
        trial=trial,
        brief=Brief(unit=unit, content=content, labels={}),
        arm="release-1",
        repetition=1,
        attempt=1,
        seed=7,
        timeout_s=10.0,
    )
