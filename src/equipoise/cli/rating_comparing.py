"""What `compare` does with a rating study: estimates a ranking on each axis."""

from pathlib import Path
from typing import Any

from equipoise.errors import Blocked


def run_rating_compare(study: Path, options: dict[str, Any]) -> int:
    """Compares the arms of a rating study and gives the exit code.

    Raises:
        Blocked: nothing can be compared.
    """
    raise Blocked(f"{study} is a rating study, and cannot be compared yet ({len(options)} options)")
