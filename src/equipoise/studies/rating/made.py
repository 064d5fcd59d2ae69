"""Says of which plan a campaign was made, and with which links; it is used under no other."""

import hashlib
import hmac
from pathlib import Path

from equipoise.errors import Blocked
from equipoise.pipeline.study_files import PLAN, read_needed
from equipoise.records.codec import decode, digest

CAMPAIGN = "campaign"
MADE = "made.json"
"""The file that says of which plan a campaign was made."""

TOKENS_MAC = "tokens_mac"
"""What stands in it of the hashes of the links: who changes hands of them is told."""


def tokens_mac(secret: bytes, content: bytes) -> str:
    """Gives what only the holder of a study's secret can say of the file with its links' hashes."""
    return hmac.new(secret, b"tokens\0" + content, hashlib.sha256).hexdigest()


def refuse_other_plan(study: Path, content: bytes) -> None:
    """Does nothing where the campaign of a study, if there is one, was made of this plan.

    Args:
        study: the study's folder.
        content: the bytes of `plan.json`.

    Raises:
        Blocked: it was made of another one.
    """
    path = study / CAMPAIGN / MADE
    if not path.is_file():
        return
    made = decode(path.read_bytes(), dict[str, str], where=str(path)).get("plan_sha256", "")
    if made != digest(content):
        raise Blocked(
            f"{study / CAMPAIGN} was made of another plan ({made[:16]}…), and so are the answers "
            "in it; mend: put that plan back, or move the folder away and make a new campaign"
        )


def refuse_stale(study: Path) -> None:
    """Does nothing where the campaign was made of the plan that stands in the study by now.

    Raises:
        Blocked: it was made of another one.
    """
    path = study / PLAN
    if path.is_file():
        refuse_other_plan(study, read_needed(path, "the plan"))
