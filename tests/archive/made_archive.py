"""A small archive with something in every file, made by a real import."""

import hashlib
from pathlib import Path

from equipoise.archive.store import Archive
from equipoise.pipeline.importing import import_runs
from equipoise.ports import Reading
from equipoise.records.grade import Evidence, Grade
from equipoise.records.notice import Attachment, Headline, Notice
from equipoise.records.trial import Blob, Ending, EndingKind, Usage
from pipeline.made_runs import MadeReader, made_trial

LOG = "erste Zeile\nпривет, 世界 🙂\nlast line\n"
QUOTE = "世界 🙂"


def made_readings() -> tuple[Reading, ...]:
    """Readings of two arms with labels, clusters, a retry, a failure, a quote and a headline."""
    log = LOG.encode()
    sha256 = hashlib.sha256(log).hexdigest()
    start = log.index(QUOTE.encode())
    end = start + len(QUOTE.encode())
    evidence = Evidence(document=sha256, start=start, end=end, quote=QUOTE, name="a.log", line=2)
    attachment = Attachment(name="a.log", sha256=sha256, n_bytes=len(log), text=LOG)
    readings: list[Reading] = [attachment, Headline(metric="accuracy", value=0.5)]
    for arm in ("base", "new"):
        for number in range(6):
            labels = {"intent": "ab"[number % 2], "язык": "русский"}
            trial = made_trial(
                f"u{number}",
                arm,
                labels=labels,
                cluster=f"c{number // 2}",
                usage=Usage(input_tokens=10, output_tokens=number),
                cost_usd=0.01,
                transcript=Blob(sha256=sha256, n_bytes=len(log), name="a.log"),
            )
            readings += [trial, Grade(trial=trial.id, value=number % 2, evidence=(evidence,))]
    timed_out = Ending(kind=EndingKind.TIMED_OUT)
    readings += [
        made_trial("u6", "new", ending=timed_out),
        made_trial("u6", "new", attempt=2),
        Grade(trial=made_trial("u6", "new", attempt=2).id, not_evaluable="judge error"),
        Notice(code="odd", message="something odd"),
    ]
    return tuple(readings)


def made_archive(folder: Path) -> Path:
    """The archive of `made_readings`, with its columns."""
    source = folder / "runs.made"
    source.write_text("the readings are made by the test", encoding="utf-8")
    import_runs(MadeReader(readings=made_readings()), source, folder / "archive", {})
    return folder / "archive"


def opened(path: Path) -> Archive:
    """The archive, open for reading."""
    return Archive.open(path)
