"""Every record comes back from an archive as it went in."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.archive.manifest import Document, Manifest
from equipoise.archive.store import Archive
from equipoise.records.grade import Evidence, Grade, How
from equipoise.records.notice import Headline, Notice, Severity
from equipoise.records.trial import Blob, Ending, EndingKind, Fault, Trial, Usage
from every import for_every

MANIFEST = Manifest(run_id="made-0", kind="import", tool_version="0")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
hashes = st.text("0123456789abcdef", min_size=64, max_size=64)
amounts = st.none() | st.floats(0, 1e12, allow_nan=False)
counts = st.none() | st.integers(0, 2**53)
blobs = st.none() | st.builds(Blob, sha256=hashes, n_bytes=st.integers(0, 2**53), name=texts)
trials = st.builds(
    Trial,
    id=texts,
    unit=texts,
    arm=texts,
    repetition=st.integers(1, 2**31 - 1),
    attempt=st.integers(1, 2**31 - 1),
    ending=st.builds(
        Ending,
        kind=st.sampled_from(EndingKind),
        fault=st.sampled_from(Fault),
        is_retriable=st.booleans(),
        detail=texts,
    ),
    model=st.none() | texts,
    labels=st.dictionaries(texts, texts, max_size=3),
    cluster=st.none() | texts,
    usage=st.none() | st.builds(Usage, input_tokens=counts, output_tokens=counts),
    cost_usd=amounts,
    duration_ms=amounts,
    output=blobs,
    transcript=blobs,
    counts=st.dictionaries(texts, st.integers(0, 2**53), max_size=2),
    is_simulated=st.booleans(),
    source=texts,
)
evidence = st.builds(
    Evidence, document=hashes, start=st.integers(0, 99), end=st.integers(0, 99), quote=texts
)
grades = st.builds(
    Grade,
    trial=texts,
    criterion=texts,
    value=st.none() | st.floats(0, 1),
    not_evaluable=texts,
    how=st.sampled_from(How),
    evidence=st.lists(evidence, max_size=2).map(tuple),
)
notices = st.builds(Notice, code=texts, message=texts, severity=st.sampled_from(Severity))
headlines = st.builds(Headline, metric=texts, value=amounts, arm=texts)
documents = st.builds(Document, name=texts, sha256=hashes, n_bytes=counts, stored_sha256=hashes)


@for_every(
    "kind, records",
    [
        (Trial, trials),
        (Grade, grades),
        (Notice, notices),
        (Headline, headlines),
        (Document, documents.filter(lambda d: d.n_bytes is not None)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_records_come_back_as_they_went_in(
    kind: type[Any], records: st.SearchStrategy[Any]
) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(records, max_size=5))
    def holds(given_records: list[Any]) -> None:
        with TemporaryDirectory() as folder:
            with Archive.create(Path(folder, "a"), MANIFEST, is_durable=False) as archive:
                for record in given_records:
                    archive.append(record)
            assert list(Archive.open(Path(folder, "a")).read(kind)) == given_records

    holds()
