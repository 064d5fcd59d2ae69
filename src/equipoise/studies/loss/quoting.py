"""What may be shown of a unit's logs: permission to quote, and pseudonyms for what is quoted."""

from dataclasses import dataclass, field

import msgspec

from equipoise.errors import ArchiveError, Tampered
from equipoise.records.plan import Provenance
from equipoise.records.suite import LossCitation
from equipoise.stages.estimate.loss.citing import Quotable
from equipoise.stages.plan.units import digest_of, read_units
from equipoise.studies.loss.pseudonyms import pseudonymised
from equipoise.studies.loss.scoring import LossRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Which units of a run may be quoted, and what is replaced in every quote."""

    quotable: Quotable
    pseudonyms: dict[str, str] = field(default_factory=dict)

    def shown(self, text: str) -> str:
        """Gives the text with every name replaced by its pseudonym."""
        return pseudonymised(text, self.pseudonyms)


def permissions(run: LossRun) -> Permissions:
    """Reads the permissions from the study's units file.

    Without the file, units taken from life are never quoted, invented ones may be.

    Raises:
        Tampered: the units file is not the one that was planned with.
    """
    path = run.study / run.plan.units_file if run.study else None
    if path is None or not path.is_file():
        is_corpus = run.plan.provenance is Provenance.CORPUS
        return Permissions(quotable=Quotable(allowed=frozenset() if is_corpus else None))
    units = read_units(
        path.read_bytes(), axes=run.plan.axes, provenance=run.plan.provenance, name=path.name
    )
    if digest_of(units) != run.plan.units_sha256:
        raise Tampered(
            f"{path} was changed after planning, so nobody knows who may be quoted; "
            "mend: take it from a copy"
        )
    pseudonyms: dict[str, str] = {}
    for unit in units:
        pseudonyms |= {name: shown for name, shown in unit.holdout.pseudonyms.items() if name}
    return Permissions(
        quotable=Quotable(
            allowed=frozenset(u.brief.unit for u in units if u.holdout.may_quote)
            if run.plan.provenance is Provenance.CORPUS
            else None,
            forbidden=frozenset(u.brief.unit for u in units if not u.holdout.may_quote),
        ),
        pseudonyms=pseudonyms,
    )


def first_valid(
    run: LossRun, found: list[LossCitation], allowed: Permissions
) -> LossCitation | None:
    """Gives the first citation whose quote stands verbatim in its document, pseudonymised."""
    for citation in found:
        if _is_verbatim(run, citation):
            return msgspec.structs.replace(
                citation,
                quote=allowed.shown(citation.quote),
                name=allowed.shown(citation.name),
            )
    return None


def _is_verbatim(run: LossRun, citation: LossCitation) -> bool:
    wanted = citation.quote.encode()
    if not wanted or citation.end - citation.start != len(wanted):
        return False
    seen, place = b"", 0
    try:
        for chunk in run.archive.blobs.chunks(citation.document):
            if place + len(chunk) > citation.start:
                seen += chunk[max(0, citation.start - place) : max(0, citation.end - place)]
            place += len(chunk)
            if place >= citation.end:
                break
    except (ArchiveError, OSError):
        return False
    return seen == wanted
