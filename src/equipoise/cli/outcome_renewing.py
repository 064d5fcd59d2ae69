"""What `amend --hidden-tests` does: takes over mended hidden tests of an outcome study."""

from pathlib import Path

from equipoise.cli.clock import now
from equipoise.cli.kinds import OUTCOME, kind_of
from equipoise.cli.screen import write
from equipoise.errors import InputError
from equipoise.studies.outcome.renewing import renew, told
from equipoise.wiring.packs import seeds_in


def renew_told(study: Path, *, reason: str, by: str, has_settings: bool) -> None:
    """Amends the study with its hidden tests as they are now, and says what comes next.

    Raises:
        InputError: it is no outcome study, or nothing was changed.
        Blocked: the study is not sealed, or a scenario is not proved.
        Tampered: something else was changed since sealing.
    """
    if kind_of(study) != OUTCOME:
        raise InputError(f"--hidden-tests with {study}", wanted="an outcome study")
    if has_settings:
        raise InputError("--hidden-tests with --set", wanted="one amendment at a time")
    with seeds_in(study) as seed_of:
        renewed = renew(study, seed_of, reason=reason, by=by, now=now())
    write(told(study, renewed))
