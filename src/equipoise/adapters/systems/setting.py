"""What a system is started in: its environment, the study's folder, where programs are noted."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The surroundings of a system.

    `environment` is all that a program sees of ours. `ledger` is the file in which every program
    started is noted, so that the next run can end what a killed one left; `concurrency` how many
    requests may be under way at once; `state` the address of the database that is the state;
    `clock` dates what is recorded (null = nothing is run). `spent_usd` is what earlier parts of the
    run have cost, as far as the archive knows; at most `most_calls` of a model are made at once
    (null = as many as the gateway allows). `share` is the part of the money that is left, and of
    these calls, that is ours. `max_tokens` is the limit of answers where the arm names none.
    """

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    ledger: Path | None = None
    service: str = ""
    state: str = ""
    concurrency: int = 4
    clock: Callable[[], datetime] | None = None
    spent_usd: float = 0.0
    most_calls: int | None = None
    share: float = 1.0
    max_tokens: int | None = None

    @property
    def fixed(self) -> dict[str, Any]:
        """What the placeholders stand for that depend on no request."""
        return {
            "service": self.service,
            "state": self.state,
            "study": str(self.folder),
            "python": sys.executable,
            "env": self.environment,
        }

    def serving(self, url: str) -> "Setting":
        """Gives the same setting with a service up at the address."""
        return replace(self, service=url)


def allowed(names: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Gives the variables of an environment that are on the list; none other ever passes."""
    return {name: environment[name] for name in names if name in environment}
