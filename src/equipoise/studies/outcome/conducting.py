"""Gives the conduct of every trial of a run, from its archive."""

from collections.abc import Iterator

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.conduct import Conduct
from equipoise.records.scenario import ScenarioKind
from equipoise.records.trial import Trial
from equipoise.studies.outcome.conduct import ACTS, DIFF, OUTPUT, SESSION, conduct_of
from equipoise.studies.outcome.conduct_witness import WITNESS

_CHANGING = frozenset({ScenarioKind.FIX, ScenarioKind.FEATURE, ScenarioKind.EPIC})
_READ = frozenset({ACTS, WITNESS, DIFF, SESSION})


def conducts(archive: Archive) -> Iterator[Conduct]:
    """Yields what was found of each trial, in the order of the archive.

    A trial without a finding is yielded too: `findings` is empty then, and `unseen` says what could
    not be looked at. Runs that were graded say more: what a program did to its hidden tests is in
    documents that grading adds. The shape of a finding is `records.conduct.ConductFinding`: `kind`
    (a word to be shown), `told` (a sentence), `is_grave`, `place` (a quote with its document).
    """
    named: dict[str, dict[str, str]] = {}
    for document in archive.read(Document):
        owner, _, name = document.name.partition("/")
        if name in _READ or (name.startswith("suite-") and name.endswith(".jsonl")):
            named.setdefault(owner, {})[name] = document.sha256
    for trial in archive.read(Trial):
        hashes = dict(named.get(trial.id, {}))
        if trial.output is not None:
            hashes[OUTPUT] = trial.output.sha256
        documents = {
            name: b"".join(archive.blobs.chunks(sha256)) for name, sha256 in hashes.items()
        }
        kind = trial.labels.get("kind", ScenarioKind.FIX)
        yield conduct_of(trial, documents, is_change_asked=kind in _CHANGING)
