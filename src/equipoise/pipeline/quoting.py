"""Whether a quote stands in its document at its place."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile

from equipoise.archive.blobs import Blobs
from equipoise.records.grade import Evidence

_IN_MEMORY = 2**20
_KEPT_OPEN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    file: SpooledTemporaryFile[bytes]
    newlines: "array[int]"  # array takes no index before Python 3.12


class Quotes:
    """Looks quotes up in the stored documents; a large document is unpacked to disk, once."""

    def __init__(self, blobs: Blobs, spill: Path | None = None) -> None:
        """Reads from `blobs` and unpacks large documents into the folder `spill`."""
        self._blobs = blobs
        self._spill = spill
        self._opened: OrderedDict[str, _Opened] = OrderedDict()

    def stands(self, evidence: Evidence) -> bool:
        """Says whether the bytes at the evidence's place are those of its quote.

        Raises:
            Tampered: the document is missing or has other content.
        """
        quote = evidence.quote.encode()
        if not quote or evidence.start < 0 or evidence.end - evidence.start != len(quote):
            return False
        file = self._open(evidence.document).file
        file.seek(evidence.start)
        return file.read(len(quote)) == quote

    def line_of(self, evidence: Evidence) -> int:
        """Gives the line, from 1, in which the quote begins."""
        return bisect_left(self._open(evidence.document).newlines, evidence.start) + 1

    def _open(self, sha256: str) -> _Opened:
        opened = self._opened.get(sha256)
        if opened is None:
            opened = self._unpack(sha256)
            self._opened[sha256] = opened
            if len(self._opened) > _KEPT_OPEN:
                self._opened.popitem(last=False)[1].file.close()
        self._opened.move_to_end(sha256)
        return opened

    def _unpack(self, sha256: str) -> _Opened:
        spill = None if self._spill is None else str(self._spill)
        file = SpooledTemporaryFile(max_size=_IN_MEMORY, dir=spill)  # noqa: SIM115  kept open
        newlines, offset = array("Q"), 0
        try:
            for chunk in self._blobs.chunks(sha256):
                file.write(chunk)
                at = chunk.find(b"\n")
                while at >= 0:
                    newlines.append(offset + at)
                    at = chunk.find(b"\n", at + 1)
                offset += len(chunk)
        except BaseException:
            file.close()
            raise
        return _Opened(file=file, newlines=newlines)

    def close(self) -> None:
        """Closes what is open."""
        while self._opened:
            self._opened.popitem()[1].file.close()
