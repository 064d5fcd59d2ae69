"""What `grade` does with a rating study: asks the model judges that its plan names."""

from pathlib import Path

from equipoise.errors import Blocked


def grade_rating(study: Path, *, as_json: bool = False) -> int:
    """Asks the judges and gives the exit code.

    Raises:
        Blocked: no judge can be asked.
    """
    raise Blocked(f"{study} is a rating study, and its judges cannot be asked yet (json {as_json})")
