"""The JSON Schema of every file that is written, from the records themselves: ``make pages``."""

import json
from typing import Any

import msgspec

from equipoise.adapters.logs.table.mapping import mapping_schema
from equipoise.archive.columns import ColumnFacts
from equipoise.archive.manifest import CHAINS, Head, Manifest
from equipoise.records.catalog import Catalog
from equipoise.records.event import Seal
from equipoise.records.folding import Folding
from equipoise.records.hypothesis import Registered
from equipoise.records.kana import KanaPrecision
from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import OutcomeFile
from equipoise.records.plan import Plan
from equipoise.records.ranking import Ranking
from equipoise.records.rating_plan import RatingPlan
from equipoise.records.result import ComparisonFile, Estimates
from equipoise.records.self_test import SelfTest
from equipoise.records.slice import Slice
from equipoise.records.suite import LossComparison, Suite
from equipoise.records.term_consistency import Consistency
from equipoise.records.term_memory import Memory, MemoryPlan
from equipoise.records.triage import Triaged
from equipoise.records.validation import LockedThreshold
from equipoise.records.verdict import Verdict
from equipoise.stages.plan.draft import study_schema
from equipoise.stages.plan.rating_draft import rating_study_schema
from equipoise.stages.report.machine import Summary
from equipoise.studies.outcome.draft import outcome_study_schema
from house.documents import ROOT

SCHEMAS = ROOT / "schemas"

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_RECORDS: dict[str, Any] = {
    "archive.json": Manifest,
    "head.json": Head,
    "columns.json": ColumnFacts,
    "comparison.json": ComparisonFile,
    "estimates.json": Estimates,
    "verdicts.json": list[Verdict],
    "report.json": Summary,
    "loss-catalog.vN.json": Catalog,
    "plan.json": Plan,
    "seal.json": Seal,
    "rating-plan.json": RatingPlan,
    "suite.json": Suite,
    "regressions.json": LossComparison,
    "ranking.json": Ranking,
    "threshold.json": list[LockedThreshold],
    "hypotheses.json": list[Registered],
    "outcome.json": OutcomeFile,
    "term-consistency.json": Consistency,
    "term-memory.json": Memory,
    "term-memory-plan.json": MemoryPlan,
    "folding.json": Folding,
    "self-test.json": SelfTest,
    "kana-precision.json": KanaPrecision,
    "slice.json": Slice,
}
"""File -> the record it holds."""


def schemas() -> dict[str, str]:
    """Name of each schema file -> its text."""
    found = {_name(file): _text(file, _schema(kind)) for file, kind in _RECORDS.items()}
    for file, kind in CHAINS.items():
        found[_name(file)] = _text(file, _line(_schema(kind)), each="Each line of ")
    lines = _schema(OutcomeResult)
    found["outcome-results.schema.json"] = _text(
        "outcome-results.jsonl", lines, each="Each line of "
    )
    found["triage.schema.json"] = _text(
        "triage.jsonl", _line(_schema(Triaged)), each="Each line of "
    )
    written = {
        "mapping": mapping_schema(),
        "study": study_schema(),
        "rating-study": rating_study_schema(),
        "outcome-study": outcome_study_schema(),
    }
    for name, schema in written.items():
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        found[f"{name}.schema.json"] = text + "\n"
    return found


def _schema(kind: Any) -> dict[str, Any]:
    return msgspec.json.schema(kind)


def _line(body: dict[str, Any]) -> dict[str, Any]:
    """The schema of a chained line that carries such a record."""
    definitions = body.pop("$defs", {})
    sha256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    return {
        "type": "object",
        "properties": {"prev": sha256, "seq": {"type": "integer", "minimum": 1}, "body": body},
        "required": ["prev", "seq", "body"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _text(file: str, schema: dict[str, Any], each: str = "") -> str:
    head = {"$schema": _DRAFT, "title": f"{each}{file}"}
    return json.dumps(head | schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _name(file: str) -> str:
    return f"{file.partition('.')[0]}.schema.json"


if __name__ == "__main__":
    for name, text in schemas().items():
        SCHEMAS.joinpath(name).write_text(text, encoding="utf-8")
