"""Archives that hold together and lie: written anew with some things changed."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from equipoise.archive.manifest import CHAINS, Document, chains_of
from equipoise.archive.store import Archive


def forged(path: Path, change: Callable[[str, bytes], bytes | None]) -> int:
    """Writes an archive anew with documents changed, and says how many were.

    Args:
        path: the archive.
        change: name of a document and its content -> another content, or null.
    """
    old = path.with_name(f"{path.name}-old")
    path.rename(old)
    before, n = Archive.open(old), 0
    archive = Archive.create(path, before.manifest)
    for name in chains_of(before.manifest.kind):
        for record in before.read(CHAINS[name]):
            if not isinstance(record, Document):
                archive.append(record)
                continue
            content = b"".join(before.blobs.chunks(record.sha256))
            other = change(record.name, content)
            n += other is not None
            archive.attach(record.name, [content if other is None else other])
    archive.close()
    for one in old.iterdir():
        if not path.joinpath(one.name).exists() and one.name != "columns":
            one.rename(path / one.name)
    shutil.rmtree(old)
    return n


def fields_of(
    changes: Sequence[tuple[str, dict[str, Any]]],
) -> Callable[[str, bytes], bytes | None]:
    """Sets fields of the first line of documents: each change in the next one of its name."""
    left = list(changes)

    def change(name: str, content: bytes) -> bytes | None:
        own = name.partition("/")[2]
        found = next((one for one in left if own.startswith(one[0])), None)
        if found is None:
            return None
        left.remove(found)
        first, _, rest = content.partition(b"\n")
        return json.dumps(json.loads(first) | found[1]).encode() + b"\n" + rest

    return change
