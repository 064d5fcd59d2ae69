"""What may be shown of a unit's logs: permission to quote, and pseudonyms for what is quoted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from equipoise.archive.store import Archive
from equipoise.errors import ArchiveError, Tampered
from equipoise.records.plan import Plan, Provenance
from equipoise.records.privacy import redact
from equipoise.records.suite import LossCitation
from equipoise.stages.estimate.loss.citing import Quotable
from equipoise.stages.estimate.loss.completion import MOST_DETAIL
from equipoise.stages.plan.units import digest_of, read_units
from equipoise.studies.loss.pseudonyms import pseudonymised

_BETWEEN = ": "
"""What stands between an ending and its text."""


class Shown(Protocol):
    """The run whose texts are shown."""

    @property
    def archive(self) -> Archive:
        """Gives its archive."""
        ...

    @property
    def plan(self) -> Plan:
        """Gives its plan."""
        ...

    @property
    def study(self) -> Path | None:
        """Gives the folder of its study, where there is one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Which units of a run may be quoted, and what is replaced in every text that is shown.

    `hides_text`: nobody knows what would have to be replaced, so that no text is shown.
    """

    quotable: Quotable
    pseudonyms: dict[str, str] = field(default_factory=dict)
    hides_text: bool = False

    def shown(self, text: str) -> str:
        """Gives the text with every name replaced by its pseudonym."""
        return pseudonymised(text, self.pseudonyms)


def permissions(run: Shown) -> Permissions:
    """Reads the permissions from the study's units file.

    Without the file, units taken from life are never quoted, invented ones may be.

    Raises:
        Tampered: the units file is not the one that was planned with.
    """
    path = run.study / run.plan.units_file if run.study else None
    if path is None or not path.is_file():
        is_corpus = run.plan.provenance is Provenance.CORPUS
        return Permissions(
            quotable=Quotable(allowed=frozenset() if is_corpus else None), hides_text=is_corpus
        )
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


def told_failures(run: Shown, failures: Mapping[str, int]) -> dict[str, int]:
    """Gives the failures, counted by what is told of them: no name and no secret stands there.

    Raises:
        Tampered: the units file, which says what names there are, is not the one planned with.
    """
    if not any(_BETWEEN in what for what in failures):
        return dict(failures)
    allowed = permissions(run)
    told: dict[str, int] = {}
    for what, times in failures.items():
        ending, joint, detail = what.partition(_BETWEEN)
        if joint and allowed.hides_text:
            detail = "text not shown, the units file is not there"
        elif joint:
            is_cut = len(detail) >= MOST_DETAIL
            detail = redact(pseudonymised(detail, allowed.pseudonyms, is_cut=is_cut))
        name = f"{ending}{joint}{detail}"
        told[name] = told.get(name, 0) + times
    return told


def first_valid(run: Shown, found: list[LossCitation], allowed: Permissions) -> LossCitation | None:
    """Gives the first citation whose quote stands verbatim in its document, pseudonymised."""
    for citation in found:
        if _is_verbatim(run, citation):
            return msgspec.structs.replace(
                citation,
                quote=allowed.shown(citation.quote),
                name=allowed.shown(citation.name),
            )
    return None


def _is_verbatim(run: Shown, citation: LossCitation) -> bool:
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
