"""Which quote stands behind a row, and what may not be shown."""

from pathlib import Path

import msgspec
import pytest

from equipoise.records.plan import Provenance
from equipoise.stages.plan.units import digest_of, read_units
from studies.loss.compared_loss_runs import (
    called,
    losses,
    made,
    names,
    row,
    table,
    two_parts,
    written,
)
from studies.loss.made_loss_runs import Run


@pytest.mark.requirement("E2E-47")
def test_a_row_without_a_quote_is_told_as_missing_evidence(tmp_path: Path) -> None:
    folder = made(tmp_path, losses("r", 0.4, quote="") + losses("i", 0.1))
    done = called("compare", folder)
    assert done.exit_code == 0
    assert "missing evidence" in done.output
    assert table(folder) == []
    assert row(folder, "intent=refund / tool_call_wrong_arg").failed == ("citation",)
    page = next(folder.joinpath("comparisons").glob("*/report/index.html")).read_text()
    assert "Missing evidence" in page


@pytest.mark.requirement("X-E23")
def test_the_quote_is_of_the_unit_that_adds_most(tmp_path: Path) -> None:
    half = [msgspec_with(one, 0.5 if one.unit != "r0100" else 1.0) for one in losses("r", 0.9)]
    folder = made(tmp_path, half + losses("i", 0.1))
    called("compare", folder)
    citation = row(folder, "intent=refund / tool_call_wrong_arg").citation
    assert citation is not None
    assert citation.unit == "r0100"
    assert citation.n_further == 359


def msgspec_with(one: Run, value: float) -> Run:
    """The run with this loss where it lost anything."""
    lost = {name: value if share else 0.0 for name, share in one.lost.items()}
    return Run(unit=one.unit, lost=lost, quote=one.quote)


def corpus(tmp_path: Path, may_quote: dict[str, bool]) -> Path:
    """A corpus study whose units say whether they may be quoted."""
    lines = [
        {
            "id": name,
            "labels": {"intent": "refund" if name[0] == "r" else "invoice"},
            "brief": {},
            "retention_until": "2099-12-31",
            "may_quote": may_quote.get(name, False),
            "pseudonyms": {"Erika Mustermann": "Person 1"},
        }
        for name in names("r") + names("i")
    ]
    content = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    axes = {"intent": ("refund", "invoice")}
    read = read_units(content, axes=axes, provenance=Provenance.CORPUS, name="units.jsonl")
    promised = two_parts(provenance=Provenance.CORPUS, units_sha256=digest_of(read))
    folder = made(
        tmp_path,
        losses("r", 0.4, quote="Erika Mustermann paid twice") + losses("i", 0.1),
        promised=promised,
    )
    folder.joinpath("units.jsonl").write_bytes(content)
    return folder


@pytest.mark.requirement("E2E-07")
def test_only_units_with_permission_are_quoted_and_names_are_replaced(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "some", {"r0007": True})
    assert called("compare", folder).exit_code == 1
    (only,) = table(folder)
    assert "Person 1 paid twice r0007" in only["log_zitat"]
    for path in written(folder):
        assert b"Mustermann" not in path.read_bytes()
    none = corpus(tmp_path / "none", {})
    done = called("compare", none)
    assert done.exit_code == 0
    assert "missing evidence" in done.output
    changed = corpus(tmp_path / "changed", {})
    units_file = changed / "units.jsonl"
    units_file.write_bytes(units_file.read_bytes().replace(b"false", b"true"))
    assert called("compare", changed).exit_code == 1
    assert "changed after planning" in called("compare", changed).output
