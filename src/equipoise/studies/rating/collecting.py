"""Archives what people answered: an archive of kind `rating`, appended to and never altered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from equipoise import __version__
from equipoise.annotate.answers import answers as answers_of
from equipoise.annotate.campaign import read_campaign
from equipoise.annotate.store import Database, check_belong
from equipoise.archive.durable import replace_file
from equipoise.archive.manifest import MANIFEST, PLAN, Manifest
from equipoise.archive.store import Archive
from equipoise.errors import Blocked, Tampered
from equipoise.pipeline.staging import publish, staged
from equipoise.pipeline.study_files import read_needed
from equipoise.records.answer import Answer
from equipoise.records.codec import digest
from equipoise.records.event import Event, EventKind, Seal
from equipoise.studies.rating.made import CAMPAIGN, refuse_other_plan
from equipoise.studies.rating.making import ASSIGNMENTS, CHECKS, KEYS, PACKETS
from equipoise.studies.rating.sealing import sealed_rating

ARCHIVES = "archive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What collecting came to.

    Attributes:
        archive: where the answers stand.
        head: its hash.
        n_new: answers that were added now.
        n_all: answers in it.
        is_simulated: some were given by a program.
    """

    archive: Path
    head: str
    n_new: int
    n_all: int
    is_simulated: bool


def collect(study: Path, *, now: datetime, database: Database | None = None) -> Collected:
    """Adds what was answered since the last time to the archive of the study's people.

    Args:
        study: the folder of a sealed study with its campaign.
        now: the time, for the first event where the first answer has none.
        database: where answers are kept, if not in the campaign's own file.

    Raises:
        Blocked: it is not sealed, there is no campaign of this plan, or nobody has answered.
        Tampered: plan, study file or outputs were changed since sealing, or an answer is not the
            one that was archived before.
    """
    plan, content, seal = sealed_rating(study)
    refuse_other_plan(study, content)
    campaign = read_campaign(study)
    answers = answers_of(study, database)
    check_belong(answers, campaign.packets)
    if not answers:
        raise Blocked("nobody has answered anything yet; mend: equipoise annotate serve or rate")
    place = study / ARCHIVES / f"people-{digest(content)[:8]}"
    is_simulated = plan.is_simulated or any(one.is_simulated for one in answers)
    if not place.joinpath(MANIFEST).is_file():
        began = answers[0].at or now.isoformat(timespec="milliseconds")
        _begin(study, place, content, seal, began)
    with Archive.append_to(place) as archive:
        kept = list(archive.read(Answer))
        _refuse_altered(kept, answers)
        for one in answers[len(kept) :]:
            archive.append(one)
        if is_simulated and not archive.manifest.is_simulated:
            archive.declare(msgspec.structs.replace(archive.manifest, is_simulated=True))
        head = archive.commit()
    return Collected(
        archive=place,
        head=head,
        n_new=len(answers) - len(kept),
        n_all=len(answers),
        is_simulated=is_simulated,
    )


def _begin(study: Path, place: Path, content: bytes, seal: Seal, at: str) -> None:
    """Makes the archive with the plan and its first line; it stands whole or not at all.

    It begins with the first answer and not when somebody collects: the same answers, taken in again
    elsewhere, give the same archive and the same report, byte for byte.
    """
    folder = study / CAMPAIGN
    files = {"keys": KEYS, "packets": PACKETS, "assignments": ASSIGNMENTS, "checks": CHECKS}
    facts = {
        f"{name}_sha256": digest(read_needed(folder / file, f"the campaign's {name}"))
        for name, file in files.items()
    }
    facts |= {
        "plan_sha256": digest(content),
        "seal": seal.label.value,
        "sealed_at": seal.sealed_at,
    }
    manifest = Manifest(run_id=place.name, kind="rating", tool_version=__version__)
    with staged(place) as folder:
        made = folder / "archive"
        with Archive.create(made, manifest, is_durable=False) as archive:
            replace_file(made / PLAN, content)
            archive.append(Event(kind=EventKind.STARTED, at=at, facts=facts))
        if not publish(made, place):
            raise Blocked(f"{place} was made by another process; mend: collect again")


def _refuse_altered(kept: Sequence[Answer], answers: Sequence[Answer]) -> None:
    for number, (archived, found) in enumerate(zip(kept, answers, strict=False), start=1):
        if archived != found:
            raise Tampered(
                f"answer {number} of the campaign is not the one that was archived (packet "
                f"{archived.packet}, {archived.annotator}); mend: put the answers back"
            )
    if len(answers) < len(kept):
        raise Tampered(
            f"the campaign has {len(answers)} answers, and {len(kept)} were archived; mend: put "
            "the answers back"
        )
