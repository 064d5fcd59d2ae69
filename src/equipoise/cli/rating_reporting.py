"""What `report` does with a rating study: writes its rankings and pages again."""

from pathlib import Path

from equipoise.errors import Blocked


def report_rating(path: Path, form: str | None) -> None:
    """Writes every page of the study again, or prints one form.

    Raises:
        Blocked: there is nothing to report.
    """
    raise Blocked(f"{path} is a rating study, and has no report yet ({form or 'every form'})")
