"""Reads what judges said of the lists of trials, from the documents kept with their grades."""

from collections.abc import Mapping

from equipoise.archive.store import Archive
from equipoise.records.codec import decode
from equipoise.records.decomposition import COVERAGE, Coverage


def lists_of(archive: Archive, documents: Mapping[str, str]) -> tuple[Coverage, ...]:
    """Gives what each judge said of a trial's list, in order of their names.

    Args:
        archive: of the run.
        documents: of the trial: name -> sha256.

    Raises:
        InputError: a document is none.
        Tampered: it is not as it was stored.
    """
    return tuple(
        decode(b"".join(archive.blobs.chunks(sha256)), Coverage, where=name)
        for name, sha256 in sorted(documents.items())
        if name.startswith(COVERAGE) and name.endswith(".json")
    )
