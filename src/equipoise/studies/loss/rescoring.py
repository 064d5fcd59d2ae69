"""Which catalog an archive is graded under: content and version belong together for ever."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from equipoise.archive.durable import replace_file
from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.errors import Blocked, InputError
from equipoise.records.catalog import Catalog, Category
from equipoise.records.codec import digest, pretty
from equipoise.records.plan import Plan
from equipoise.stages.grade.catalog import read_catalog

LOCK = "catalogs.lock.json"
"""The file in a study that keeps version -> sha256 of every catalog that was used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A catalog with the bytes of its file."""

    catalog: Catalog
    content: bytes

    @property
    def sha256(self) -> str:
        """Gives the hash of the file."""
        return digest(self.content)

    @property
    def name(self) -> str:
        """Gives the name under which archives keep it."""
        return catalog_name(self.catalog.version)


def catalog_name(version: str) -> str:
    """Gives the name of a catalog's file."""
    return f"loss-catalog.{version}.json"


def choose_catalog(root: Path, plan: Plan, file: Path | None, archives: Iterable[Path]) -> Chosen:
    """Gives the catalog to grade under: the file, or else the one of the plan.

    Raises:
        Blocked: the file is not there.
        InputError: it is no catalog, or its version was used with other content before: by the
            plan, by an earlier grading, or in an archive.
    """
    path = file or root / plan.catalog_file
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Blocked(
            f"{path} cannot be read: {error.strerror}; mend: name the catalog with --catalog"
        ) from error
    chosen = Chosen(catalog=read_catalog(content, path.name), content=content)
    if file is None and chosen.catalog.version != plan.catalog_version:
        raise InputError(
            f"{path} has version {chosen.catalog.version}",
            wanted=f"version {plan.catalog_version}, as planned",
            mend="grade under another catalog with --catalog FILE",
            code="catalog_changed",
        )
    used = {f"the plan ({plan.catalog_file})": (plan.catalog_version, plan.catalog_sha256)}
    used |= {f"{LOCK}: {v}": (v, sha256) for v, sha256 in locked(root).items()}
    for archive in archives:
        used |= {
            f"archive {archive.name}": (chosen.catalog.version, document.sha256)
            for document in Archive.open(archive).read(Document)
            if document.name == chosen.name
        }
    for by, (version, sha256) in used.items():
        if version == chosen.catalog.version and sha256 != chosen.sha256:
            raise InputError(
                f"{path} has the sha256 {chosen.sha256[:16]}…; {by} has {sha256[:16]}… under the "
                f"same version {version}",
                wanted="the same content under the same version",
                mend=f"give the changed catalog a new version, {catalog_name(_next(used))}",
                code="same_version_other_content",
            )
    return chosen


def locked(root: Path) -> dict[str, str]:
    """Gives version -> sha256 of the catalogs that this study was graded under.

    Raises:
        InputError: the file is not as it was written.
    """
    path = root / LOCK
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise InputError(
            "no list of catalogs",
            wanted="version and sha256",
            mend="take it from a copy",
            where=str(path),
            code="lock",
        )
    return found


def lock_catalog(root: Path, chosen: Chosen) -> None:
    """Keeps the catalog's version and hash in the study."""
    before = locked(root)
    after = before | {chosen.catalog.version: chosen.sha256}
    if after != before:
        replace_file(root / LOCK, pretty(dict(sorted(after.items()))))


def last_catalog(archive: Archive, version: str) -> Catalog | None:
    """Gives the catalog an archive was graded under last, other than `version`; null if none."""
    found = None
    for document in archive.read(Document):
        is_one = document.name.startswith("loss-catalog.") and document.name.endswith(".json")
        if is_one and document.name != catalog_name(version):
            found = document
    if found is None:
        return None
    return read_catalog(b"".join(archive.blobs.chunks(found.sha256)), found.name)


def catalog_changes(old: Catalog, new: Catalog) -> list[str]:
    """Gives one line for each category added, removed, reweighted or found in another way."""
    before = {category.id: category for category in old.categories}
    after = {category.id: category for category in new.categories}
    lines = [
        f"added: {name} (weight {after[name].weight:g})" for name in after if name not in before
    ]
    lines += [
        f"removed: {name} (weight {before[name].weight:g})" for name in before if name not in after
    ]
    for name, category in after.items():
        changes = list(_changes(before[name], category)) if name in before else []
        if changes:
            lines.append(f"changed: {name}: {', '.join(changes)}")
    return lines


def _changes(old: Category, new: Category) -> Iterable[str]:
    if old.weight != new.weight:
        yield f"weight {old.weight:g} -> {new.weight:g}"
    if old.max != new.max:
        yield f"max {old.max:g} -> {new.max:g}"
    if old.type != new.type:
        yield f"type {old.type} -> {new.type}"
    if (old.check, old.needs, old.is_reexecuted) != (new.check, new.needs, new.is_reexecuted):
        yield "found in another way"


def _next(used: dict[str, tuple[str, str]]) -> str:
    return f"v{1 + max(int(version.removeprefix('v')) for version, _ in used.values())}"
