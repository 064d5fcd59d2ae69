"""Which quote stands behind a row, and what may not be shown."""

from pathlib import Path

import msgspec
import pytest

from equipoise.records.plan import Provenance
from equipoise.stages.plan.units import digest_of, read_units
from studies.loss.compared_loss_runs import (
    BROKEN,
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


@pytest.mark.parametrize("n", [75])
def test_a_quote_that_is_cut_on_the_terminal_says_so(tmp_path: Path, n: int) -> None:
    """The quote ends with a space and the name of the unit: six characters more."""
    quote = "w" * n
    folder = made(tmp_path, losses("r", 0.4, quote=quote) + losses("i", 0.1))
    told = called("compare", folder).output
    whole = f'"{quote} r0000"'
    assert (whole in told) is (len(whole) - 2 <= 80)
    assert ('…"' in told) is (len(whole) - 2 > 80)


def msgspec_with(one: Run, value: float) -> Run:
    """The run with this loss where it lost anything."""
    lost = {name: value if share else 0.0 for name, share in one.lost.items()}
    return Run(unit=one.unit, lost=lost, quote=one.quote)


def corpus(tmp_path: Path, may_quote: dict[str, bool], broken: tuple[str, ...] = ()) -> Path:
    """A corpus study whose units say whether they may be quoted; some failed with these texts."""
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
    failed = [
        Run(unit=f"i{i:04}", ending=msgspec.structs.replace(BROKEN, detail=text))
        for i, text in enumerate(broken)
    ]
    folder = made(
        tmp_path,
        losses("r", 0.4, quote="Erika Mustermann paid twice")
        + failed
        + losses("i", 0.1)[len(failed) :],
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


@pytest.mark.requirement("E2E-07")
def test_no_name_and_no_secret_stands_in_what_is_told_of_failures(tmp_path: Path) -> None:
    """The text of a failure is the system's own: it may name who was served, or be cut there."""
    texts = (
        "no account of ERIKA  MUSTERMANN",
        "no account of erika mustermann",
        "no account, api_key: abcdefgh12345678",
        "x" * 109 + "Erika Muster, and so on",
        "x" * 107 + "Erika Mustermann, and so on",
    )
    folder = corpus(tmp_path, {"r0007": True}, texts)
    told = called("compare", folder).output
    assert "2 × infrastructure_error: no account of Person 1" in told
    (page,) = folder.joinpath("comparisons").glob("*/report/index.html")
    assert "no account of Person 1" in page.read_text("utf-8")
    for text in (told, *(path.read_text("utf-8") for path in written(folder))):
        assert "erika" not in text.lower()
        assert "abcdefgh" not in text
    assert called("verify", folder).output.count("suite.json: follows from the archive") == 2
    folder.joinpath("units.jsonl").unlink()
    for path in folder.rglob("suite.json"):
        path.unlink()
    without = called("compare", folder).output
    assert "no account" not in without
    assert "5 × infrastructure_error: text not shown" in without
