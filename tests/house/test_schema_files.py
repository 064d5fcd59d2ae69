"""The published schemas are current, and what the program writes holds to them."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from every import for_every
from house.schema_files import SCHEMAS, schemas
from pipeline.made_comparison import made

_WRITTEN = schemas()


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("comparison"))


@for_every("name", _WRITTEN)
def test_the_published_schema_is_current(name: str) -> None:
    path = SCHEMAS / name
    assert path.is_file(), "write it: make pages"
    assert path.read_text(encoding="utf-8") == _WRITTEN[name], "write it anew: make pages"


def test_no_schema_is_left_over() -> None:
    assert {path.name for path in SCHEMAS.glob("*.json")} == set(_WRITTEN)


def test_every_file_of_a_comparison_holds_to_its_schema(comparison: Path) -> None:
    checked = set()
    for path in sorted(comparison.rglob("*.json*")):
        name = f"{path.name.partition('.')[0]}.schema.json"
        validator = Draft202012Validator(json.loads(SCHEMAS.joinpath(name).read_bytes()))
        for document in _documents(path):
            validator.validate(document)
            checked.add(name)
    empty = {"headlines.schema.json", "documents.schema.json", "mapping.schema.json"}
    studies = {"study", "loss-catalog", "plan", "seal", "suite", "regressions"}
    studies |= {"events", "ratings", "answers", "judgements", "ranking", "threshold"}
    studies |= {"rating-plan", "rating-study", "hypotheses", "outcome", "outcome-study"}
    studies |= {"outcome-results", "triage"}
    studies |= {
        "folding",
        "self-test",
        "term-consistency",
        "term-memory",
        "term-memory-plan",
        "kana-precision",
        "slice",
    }
    assert checked == set(_WRITTEN) - empty - {f"{name}.schema.json" for name in studies}


def test_a_schema_refuses_what_the_file_may_not_hold(comparison: Path) -> None:
    verdicts = json.loads(comparison.joinpath("verdicts.json").read_bytes())
    verdicts[0]["word"] = "probably better"
    schema = json.loads(SCHEMAS.joinpath("verdicts.schema.json").read_bytes())
    assert not Draft202012Validator(schema).is_valid(verdicts)


def _documents(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return [json.loads(text)]
