"""What a study remembers of its suites: rows that stay, and alterations that are found."""

from pathlib import Path

import msgspec
import pytest

from equipoise.records.codec import decode, digest, encode
from equipoise.records.suite import HistoryRow, Suite
from equipoise.stages.report.loss.files import COLUMNS, read_listed
from equipoise.stages.report.loss.history import to_history
from studies.loss.compared_loss_runs import (
    N,
    called,
    losses,
    suites,
    table,
    two_parts,
    worse,
    written,
)
from studies.loss.made_loss_runs import run, study


@pytest.mark.requirement("E2E-01")
def test_comparing_twice_gives_the_same_bytes_and_one_row_of_history(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    called("compare", folder)
    before = {path: path.read_bytes() for path in written(folder)}
    assert called("compare", folder).exit_code == 1
    assert {path: path.read_bytes() for path in written(folder)} == before


@pytest.mark.requirement("E2E-09")
@pytest.mark.requirement("E2E-50")
def test_the_history_has_twelve_columns_and_leads_to_its_suites(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    called("compare", folder)
    lines = folder.joinpath("LOSS-HISTORY.md").read_text().splitlines()
    columns = [cell.strip() for cell in lines[0].strip("|").split("|")]
    assert columns == [
        "datum", "catalog_version", "mode", "provenance", "suite_score", "completion", "coverage",
        "mde", "sample_budget", "n_zellen_unterbelegt", "befunde_über_schwelle",
        "top_regression_ci_low",
    ]  # fmt: skip
    base, new = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:4])
    assert base[:4] == ["2026-01-01", "v1", "A", "synthetisch"]
    assert base[10] == ""
    suite = suites(folder)["release-2"]
    assert float(new[4]) == pytest.approx(suite.suite_score, abs=1e-6)
    assert (new[7], new[8], new[9], new[10]) == ("0.05", str(2 * N), "0", "1")
    assert float(new[11]) == pytest.approx(float(table(folder)[0]["ci_low"]))
    paths = [line.split("](")[1].split(")")[0] for line in lines if "[suite](" in line]
    assert len(paths) == 2
    for path in paths:
        found = decode(folder.joinpath(path).read_bytes(), Suite)
        assert folder.joinpath("archive", found.run_id, "trials.jsonl").is_file()


@pytest.mark.requirement("E2E-50")
def test_earlier_rows_of_the_history_stay_and_an_altered_one_is_found(tmp_path: Path) -> None:
    folder = worse(tmp_path)
    promised = two_parts()
    called("compare", folder)
    before = folder.joinpath("LOSS-HISTORY.md").read_text().splitlines()
    run(folder, promised, "release-2", losses("r", 0.1) + losses("i", 0.1), ordinal=3)
    again = called("compare", folder)
    assert "comparison 2 of the study" in again.output
    after = folder.joinpath("LOSS-HISTORY.md").read_text().splitlines()
    assert after[:4] == before[:4]
    assert len([line for line in after if line.startswith("| 2026")]) == 3
    path = folder / "LOSS-HISTORY.md"
    path.write_text(path.read_text().replace("| 0.", "| 1.", 1))
    altered = called("compare", folder)
    assert altered.exit_code == 1
    assert "a row was altered" in altered.output


@pytest.mark.requirement("X-E16")
def test_zero_bytes_and_a_header_alone_are_read_as_the_same() -> None:
    header = f"| {' | '.join(COLUMNS)} |\n|{' --- |' * 8}\n"
    assert read_listed(b"") == read_listed(header.encode()) == []


@pytest.mark.requirement("E2E-50")
def test_the_history_names_the_version_of_each_row_and_where_it_breaks(tmp_path: Path) -> None:
    promised = two_parts()
    folder = study(tmp_path / "study", promised)
    run(folder, promised, "release-1", losses("r", 0.1) + losses("i", 0.1))
    worse_runs = losses("r", 0.4) + losses("i", 0.1)
    run(folder, promised, "release-2", worse_runs, ordinal=2, tool_version="0.2.0")
    called("compare", folder)
    first, second = folder.joinpath("LOSS-HISTORY.md").read_text().splitlines()[-2:]
    assert ", runs by Equipoise 0.1.0, line" in first
    assert ", runs by Equipoise 0.2.0, not comparable with the row before: version " in second
    assert ": version 0.1.0 -> 0.2.0, line" in second


def test_a_history_of_a_time_that_named_no_version_stays_as_it_is(tmp_path: Path) -> None:
    folder = worse(tmp_path, n=120)
    called("compare", folder)
    previous, hashes, rows, lines = digest(b"LOSS-HISTORY"), [], [], []
    for number, text in enumerate((folder / "history.jsonl").read_bytes().splitlines(), start=1):
        body = msgspec.json.decode(text)["body"]
        assert body.pop("harness_version") == "0.1.0"
        line = b'{"prev":"%b","seq":%d,"body":%b}' % (previous.encode(), number, encode(body))
        previous = digest(line)
        hashes.append(previous)
        rows.append(msgspec.convert(body, HistoryRow))
        lines.append(line + b"\n")
    folder.joinpath("history.jsonl").write_bytes(b"".join(lines))
    table_of_old = to_history(rows, hashes)
    assert b"Equipoise" not in table_of_old
    folder.joinpath("LOSS-HISTORY.md").write_bytes(table_of_old)
    assert called("compare", folder).exit_code == 1
    assert folder.joinpath("LOSS-HISTORY.md").read_bytes() == table_of_old
    said = called("verify", folder).output
    assert "history" not in "".join(line for line in said.splitlines() if line.startswith("fault"))
