"""What `compare` does with a rating study: estimates a ranking on each axis."""

from pathlib import Path
from typing import Any

from equipoise.cli.clock import exact_now
from equipoise.cli.rating_told import told
from equipoise.cli.screen import write, write_json
from equipoise.errors import InputError
from equipoise.records.ranking import RANKING
from equipoise.stages.decide.rating import exit_code
from equipoise.studies.rating.comparing import compare, folder_of, words

_MEANT = frozenset({"sources", "strict", "as_json"})


def run_rating_compare(study: Path, options: dict[str, Any]) -> int:
    """Compares the arms of a rating study and gives the exit code.

    Raises:
        Blocked: nothing was planned, or the keys or the outputs are missing.
        InputError: nothing was rated yet, or an option would change what the plan has fixed.
        Tampered: the study is not what was planned and recorded.
    """
    strange = [name for name, value in options.items() if value and name not in _MEANT]
    if strange:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(strange))
        raise InputError(
            f"{named} with a rating study",
            wanted="the arms, margins and rules that its plan fixed",
            mend="leave it out",
            code="fixed_by_plan",
        )
    found = compare(study, at=exact_now())
    if options.get("as_json"):
        write_json(found.files[RANKING].decode())
    else:
        write(told(found.ranking, folder_of(study, found.ranking.plan_sha256)))
        if found.remark:
            write(f"note: {found.remark}\n")
    return exit_code(words(found.ranking), is_strict=bool(options.get("strict")))
