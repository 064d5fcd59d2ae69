"""Takes the readings of a reader into an archive: each is checked, what is wrong is told."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from equipoise.archive.store import Archive
from equipoise.errors import InputError, Tampered
from equipoise.pipeline.quoting import Quotes
from equipoise.ports import Reading
from equipoise.records.codec import digest
from equipoise.records.grade import Evidence, Grade
from equipoise.records.notice import Attachment, Headline, Notice, Severity
from equipoise.records.trial import Trial, Usage

_CHUNK = 1 << 20
_PLACES = 3
_SHORT = 64
_MOST_NAMES = 200
"""Most criteria, and most label keys, of one archive: each becomes columns."""
_LARGEST_COUNT = 2**31 - 1
_LARGEST_TOKENS = 2**53


@dataclass(slots=True)
class _Told:
    message: str
    severity: Severity
    count: int = 0
    places: list[str] = field(default_factory=list)


class Intake:
    """Checks readings and appends them to an archive."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        """Appends to `archive`; attachments are read from inside `folder` only."""
        self._archive = archive
        self._folder = folder.resolve()
        self._quotes = Quotes(archive.blobs, archive.path)
        self._seen: set[str] = set()
        self._refused = ""
        self._documents: set[str] = set()
        self._spelled: dict[str, str] = {}
        self._told: dict[str, _Told] = {}
        self.criteria: set[str] = set()
        self.n_trials = 0
        self.is_simulated = False

    def take(self, reading: Reading) -> None:
        """Takes one reading: appends it, or refuses it and remembers why."""
        try:
            if isinstance(reading, Trial):
                self._take_trial(reading)
            elif isinstance(reading, Grade):
                self._take_grade(reading)
            elif isinstance(reading, Attachment):
                self._take_attachment(reading)
            else:
                self._archive.append(_finite(reading))
        except InputError as error:
            if isinstance(reading, Trial):
                self._refused = reading.id
            self._tell(error.code, f"a record was refused: {error}", Severity.REFUSED, _id(reading))

    def finish(self) -> None:
        """Appends what there is to tell; call it once, when the reader is done."""
        for notice in self.notices():
            self._archive.append(notice)
        self._told.clear()
        self._quotes.close()

    def notices(self) -> Iterator[Notice]:
        """Yields what was refused or odd so far, each kind once with its count."""
        for code, told in self._told.items():
            yield Notice(
                code=code,
                message=told.message,
                severity=told.severity,
                where=", ".join(told.places),
                count=told.count,
            )

    def _tell(self, code: str, message: str, severity: Severity, where: str) -> None:
        told = self._told.setdefault(code, _Told(message, severity))
        told.count += 1
        if where and len(told.places) < _PLACES:
            told.places.append(where)

    def _take_trial(self, trial: Trial) -> None:
        _check_trial(trial)
        key = trial.id if len(trial.id) <= _SHORT else digest(trial.id.encode())
        if key in self._seen:
            self._refused = trial.id
            self._tell(
                "duplicate_trial",
                "the same unit, arm, model, repetition and attempt came more than once; "
                "the first was kept",
                Severity.REFUSED,
                f"{trial.source or trial.id} (unit {trial.unit!r})",
            )
            return
        if trial.labels:
            trial = self._same_spelling(trial)
        self._archive.append(trial)
        self._seen.add(key)
        self._refused = ""
        self.n_trials += 1
        self.is_simulated |= trial.is_simulated

    def _same_spelling(self, trial: Trial) -> Trial:
        """Gives the trial with each label key in the spelling in which it came first."""
        labels = {self._spelling(k): v for k, v in trial.labels.items() if self._has_room(k)}
        if labels == trial.labels:
            return trial
        other = sorted(trial.labels.keys() - labels.keys())
        self._tell(
            "label_key",
            f"label keys that differ by case only were read as one, and of more than {_MOST_NAMES} "
            f"keys the first were kept (not kept: {other[0]!r})",
            Severity.WARNING,
            trial.source or trial.id,
        )
        return msgspec.structs.replace(trial, labels=labels)

    def _spelling(self, key: str) -> str:
        return self._spelled.setdefault(key.casefold(), key)

    def _has_room(self, key: str) -> bool:
        return len(self._spelled) < _MOST_NAMES or key.casefold() in self._spelled

    def _take_grade(self, grade: Grade) -> None:
        if grade.trial == self._refused:
            return
        if grade.criterion not in self.criteria and len(self.criteria) >= _MOST_NAMES:
            raise InputError(
                f"criterion {grade.criterion[:80]!r} is one more than {_MOST_NAMES}",
                wanted=f"at most {_MOST_NAMES} criteria",
                code="too_many_criteria",
            )
        grade = self._checked_value(grade)
        if grade.evidence:
            grade = self._checked_evidence(grade)
        self._archive.append(grade)
        self.criteria.add(grade.criterion)

    def _checked_value(self, grade: Grade) -> Grade:
        value = grade.value
        if (value is None) == (not grade.not_evaluable):
            self._tell(
                "value_and_reason",
                "a grade had both a value and a reason for having none, or neither",
                Severity.REFUSED,
                f"trial {grade.trial}",
            )
            reason = grade.not_evaluable or "no value and no reason given"
            return msgspec.structs.replace(grade, value=None, not_evaluable=reason)
        if value is not None and not 0 <= value <= 1:
            self._tell(
                "value_out_of_range",
                f"a value such as {value!r} was refused; wanted: a number from 0 to 1; mend: give "
                "its scale in the mapping, or correct it",
                Severity.REFUSED,
                f"trial {grade.trial}",
            )
            reason = "value outside [0,1]"
            return msgspec.structs.replace(grade, value=None, not_evaluable=reason)
        return grade

    def _checked_evidence(self, grade: Grade) -> Grade:
        kept = [e for e in map(self._checked_quote, grade.evidence) if e is not None]
        if len(kept) == len(grade.evidence):
            return msgspec.structs.replace(grade, evidence=tuple(kept))
        return msgspec.structs.replace(
            grade, value=None, not_evaluable="quote not in its document", evidence=tuple(kept)
        )

    def _checked_quote(self, evidence: Evidence) -> Evidence | None:
        where = f"{evidence.name or evidence.document[:16]}:{evidence.line or '?'}"
        try:
            is_there = evidence.document in self._documents and self._quotes.stands(evidence)
        except (Tampered, UnicodeEncodeError):
            is_there = False
        if not is_there:
            self._tell(
                "quote_not_found",
                "a quote does not stand in its document at its place; the finding is not counted",
                Severity.REFUSED,
                where,
            )
            return None
        line = self._quotes.line_of(evidence)
        if evidence.line not in (None, line):
            self._tell("quote_line", "the line of a quote was corrected", Severity.WARNING, where)
        return msgspec.structs.replace(evidence, line=line)

    def _take_attachment(self, attachment: Attachment) -> None:
        document = self._archive.attach(attachment.name, self._content(attachment))
        self._documents.add(document.sha256)
        if attachment.sha256 and document.sha256 != attachment.sha256:
            self._tell(
                "document_changed",
                "a document has not the content that its hash says; quotes from it do not count",
                Severity.REFUSED,
                attachment.name,
            )

    def _content(self, attachment: Attachment) -> Iterator[bytes]:
        if not attachment.path:
            yield attachment.text.encode()
            return
        path = self._folder.joinpath(attachment.path).resolve()
        if not path.is_relative_to(self._folder):
            raise InputError(
                f"{attachment.path!r} leads out of the source's folder",
                wanted="a file inside it",
                code="path_outside",
            )
        try:
            with path.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except OSError as error:
            raise InputError(
                f"document {attachment.path!r} cannot be read: {error.strerror}",
                code="document_unreadable",
            ) from error


def _check_trial(trial: Trial) -> None:
    if not (trial.id and trial.unit and trial.arm):
        raise _bad(trial, "has no id, unit or arm", "all three")
    if not (1 <= trial.repetition <= _LARGEST_COUNT and 1 <= trial.attempt <= _LARGEST_COUNT):
        found = f"has repetition {trial.repetition} and attempt {trial.attempt}"
        raise _bad(trial, found, "both from 1")
    for name, amount in (("cost", trial.cost_usd), ("duration", trial.duration_ms)):
        if amount is not None and not 0 <= amount < math.inf:
            raise _bad(trial, f"has {name} {amount}", "a finite number from 0, or none")
    if trial.usage is not None:
        _check_usage(trial, trial.usage)


def _check_usage(trial: Trial, usage: Usage) -> None:
    for n in (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
    ):
        if n is not None and not 0 <= n <= _LARGEST_TOKENS:
            raise _bad(trial, f"has {n} tokens", "whole numbers from 0")


def _bad(trial: Trial, found: str, wanted: str) -> InputError:
    return InputError(
        f"trial {trial.id[:80]!r} of unit {trial.unit[:80]!r} {found}",
        wanted=wanted,
        where=trial.source,
        code="bad_trial",
    )


def _finite(reading: Notice | Headline) -> Notice | Headline:
    if isinstance(reading, Headline) and not math.isfinite(reading.value or 0):
        return msgspec.structs.replace(reading, value=None)
    return reading


def _id(reading: Reading) -> str:
    if isinstance(reading, Trial):
        return reading.source or reading.id[:80]
    if isinstance(reading, Grade):
        return f"trial {reading.trial[:80]}"
    return reading.name if isinstance(reading, Attachment) else reading.where
