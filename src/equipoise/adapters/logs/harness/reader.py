"""Reads the files of one harness: one file, one session, one trial."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.cell_names import CellNames
from equipoise.adapters.logs.harness.forms import codex, mini_swe, swe_agent
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.options import Options
from equipoise.adapters.logs.sources import files_of
from equipoise.adapters.logs.unit_names import UNITS, unit_of
from equipoise.adapters.transcripts.classifying import classified
from equipoise.adapters.transcripts.facts import Facts
from equipoise.errors import UnreadableSource
from equipoise.ports import Reading
from equipoise.records.notice import Attachment, Severity
from equipoise.records.trial import Blob, Trial

_KEYS = ("arm", "unit", "keep")

Read = Callable[[Path, Noticer], Facts | None]
"""Reads one file; None where it holds no session of the harness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessReader:
    """The reader of one harness.

    Options: ``arm`` (else the model, else the harness), ``unit``: what tells units apart (``file``,
    ``prompt``, ``folder`` or ``session``), ``keep``: whether transcripts go into the archive (yes).
    A transcript holds no outcome: trials come without grades.
    """

    name: str
    suffixes: tuple[str, ...]
    what: str
    one: Read

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of one file, or of all files of a folder that end as they should.

        Raises:
            InputError: an option is wrong.
            UnreadableSource: no file holds a session of this harness.
        """
        chosen = Options(options, _KEYS)
        arm, unit = chosen.text("arm"), chosen.choice("unit", UNITS)
        keep = chosen.flag("keep", default=True)
        noticer = Noticer()
        cells = CellNames(noticer)
        folder = source if source.is_dir() else source.parent
        n_sessions = 0
        for path in files_of(source, self.suffixes, noticer):
            facts = self.one(path, noticer)
            if facts is None:
                noticer.lost("no_session", f"holds no {self.what}", path.name)
                continue
            n_sessions += 1
            transcript = _attachment(path, folder) if keep else None
            if transcript is not None:
                yield transcript
            cell = (
                unit_of(unit, facts.prompt, facts.session, path),
                arm or facts.model or self.name,
            )
            yield _trial(facts, path, cell, transcript, cells)
            _remark(facts, path, noticer)
        if not n_sessions:
            raise UnreadableSource(
                f"{source.name} holds no {self.what}",
                wanted=f"a {self.what}",
                code="no_session",
            )
        yield from noticer.flush()


def codex_reader() -> HarnessReader:
    """Gives the reader of Codex: rollout files, and saved streams of ``codex exec --json``."""
    return HarnessReader(name="codex", suffixes=(".jsonl",), what="session of Codex", one=codex)


def mini_swe_reader() -> HarnessReader:
    """Gives the reader of mini-swe-agent's trajectories."""
    what = "trajectory of mini-swe-agent"
    return HarnessReader(name="mini-swe", suffixes=(".json",), what=what, one=mini_swe)


def swe_agent_reader() -> HarnessReader:
    """Gives the reader of SWE-agent's trajectories."""
    what = "trajectory of SWE-agent"
    return HarnessReader(name="swe-agent", suffixes=(".traj",), what=what, one=swe_agent)


def _attachment(path: Path, folder: Path) -> Attachment:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        n_bytes = file.tell()
    name = path.relative_to(folder).as_posix()
    return Attachment(name=name, sha256=digest, n_bytes=n_bytes, path=name)


def _trial(
    facts: Facts,
    path: Path,
    cell: tuple[str, str],
    transcript: Attachment | None,
    cells: CellNames,
) -> Trial:
    unit, arm = cell
    why = "a session of the same unit again: numbered as a further repetition"
    name, repetition = cells.number((unit, arm, facts.model), path.name, why=why)
    return Trial(
        id=name,
        unit=unit,
        arm=arm,
        repetition=repetition,
        ending=classified(facts.signs),
        model=facts.model,
        model_answered=facts.model,
        usage=facts.usage,
        cost_usd=facts.cost_usd,
        duration_ms=facts.duration_ms,
        stop_reason=facts.stop_reason,
        transcript=None
        if transcript is None
        else Blob(sha256=transcript.sha256, n_bytes=transcript.n_bytes, name=transcript.name),
        counts=dict(facts.counts),
        versions=dict(facts.versions),
        started_at=facts.started_at,
        source=path.name,
    )


def _remark(facts: Facts, path: Path, noticer: Noticer) -> None:
    for kind, n_lines in facts.unknown.items():
        noticer.add(
            "unknown_line_type",
            f"lines of the unknown type {kind[:40]!r}: counted, not read",
            Severity.INFO,
            path.name,
            count=n_lines,
        )
    if len(facts.models) > 1:
        models = ", ".join(facts.models)
        noticer.info("several_models", f"more than one model answered: {models}", path.name)
    if facts.usage is None:
        noticer.info("no_usage", "no tokens are recorded", path.name)
