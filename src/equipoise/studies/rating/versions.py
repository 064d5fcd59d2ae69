"""Which version made what a rating study holds: what another one made may follow otherwise here."""

import re
from pathlib import Path

import msgspec

from equipoise import __version__
from equipoise.archive.manifest import PLAN
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check
from equipoise.records.codec import decode
from equipoise.records.rating_plan import RatingPlan

_GENERATOR = re.compile(rb'<meta name="generator" content="Equipoise ([^"]*)">')
UNKNOWN = "unknown"


def other_planner(study: Path) -> str:
    """Gives the version that a study was planned with, where it is another than this one; or ""."""
    try:
        plan = decode(study.joinpath(PLAN).read_bytes(), RatingPlan, where=PLAN)
    except (EquipoiseError, OSError):
        return ""  # told by whoever checks the plan
    return other_than_this(plan.tool_version) if plan.tool_version else ""


def other_than_this(version: str) -> str:
    """Gives a version where it is another than this one; early ones did not name themselves."""
    return "" if version == __version__ else version or UNKNOWN


def maker_of(ranking: bytes) -> str:
    """Gives the version that made a ranking; this one where the file does not tell.

    Also where the ranking is laid out otherwise than this version reads it.
    """
    try:
        found = msgspec.json.decode(ranking)
    except msgspec.DecodeError:
        return __version__
    made_by = found.get("derived_by", "") if isinstance(found, dict) else __version__
    return made_by if isinstance(made_by, str) else __version__


def teller_of(page: bytes, made_by: str) -> str:
    """Gives the version that wrote a page from a ranking, which may be later than the ranking's."""
    found = _GENERATOR.search(page)
    return found[1].decode("utf-8", "replace") if found else made_by


def as_made_by(check: Check, version: str) -> Check:
    """Gives the check with its faults as what another version made; as it is where there is none.

    Nobody can tell then whether something was altered, or only follows otherwise here.
    """
    if not version:
        return check
    faults = tuple(
        fault if fault.is_note else msgspec.structs.replace(fault, made_by=version)
        for fault in check.faults
    )
    return msgspec.structs.replace(check, faults=faults)
