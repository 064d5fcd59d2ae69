"""The event log of one desk: a JSON object per line, each line addressable by its number."""

import json
import time
from pathlib import Path
from typing import Any


class Journal:
    """Appends events to one file; a desk writes in the order in which it works.

    The time stands last in each line, so that two drives of one seed write lines that differ
    only in their tails; without a clock they do not differ at all. Every line is flushed: a killed
    service leaves whole lines.
    """

    def __init__(self, path: Path, *, has_clock: bool = True) -> None:
        """Opens the file for appending; with `has_clock` each line ends with its time."""
        self._has_clock = has_clock
        self._file = path.open("a", encoding="utf-8", newline="\n", buffering=1)

    def write(self, trace: str, hop: str, event: str, /, **fields: Any) -> None:
        """Appends one event of one trace; fields stand in the order given."""
        record = {"trace": trace, "hop": hop, "event": event, **fields}
        if self._has_clock:
            record["at_ms"] = time.time_ns() // 1_000_000
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        self._file.write(line + "\n")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
