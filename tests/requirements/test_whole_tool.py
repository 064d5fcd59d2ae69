"""What the requirements imply without saying it: codes, archives, ways back to the runs."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from house.documents import ROOT
from pipeline.made_comparison import made, run, write_runs
from requirements.calculated import calc


@pytest.mark.requirement("I-04")
@pytest.mark.parametrize(
    ("new", "options", "code"),
    [
        ({f"u{i}": True for i in range(60)}, (), 0),
        ({f"u{i}": False for i in range(60)}, (), 1),
        ({f"u{i}": i % 2 == 0 or i == 1 for i in range(60)}, ("--strict",), 4),
        ({f"u{i}": True for i in range(60)}, ("--where", "topic=c"), 2),
    ],
)
def test_exit_codes_for_machines(
    tmp_path: Path, new: dict[str, bool], options: tuple[str, ...], code: int
) -> None:
    base = write_runs(tmp_path / "base.jsonl", {f"u{i}": i % 2 == 0 for i in range(60)})
    changed = write_runs(tmp_path / "new.jsonl", new)
    assert run("compare", base, changed, "-o", tmp_path / "o", *options)[0] == code


@pytest.mark.requirement("I-06")
def test_an_altered_line_is_found(tmp_path: Path) -> None:
    out = made(tmp_path)
    assert run("verify", out)[0] == 0
    lines = next(out.glob("archives/*/grades.jsonl"))
    lines.write_bytes(lines.read_bytes().replace(b'"value":1.0', b'"value":0.0', 1))
    code, said, _ = run("verify", out)
    assert code == 1
    assert "grades.jsonl:" in said


@pytest.mark.requirement("I-07")
def test_a_comparison_leads_to_trials_and_these_to_lines_of_the_source(tmp_path: Path) -> None:
    estimates = json.loads(made(tmp_path).joinpath("estimates.json").read_bytes())
    lines = estimates["lines"][0]["lines"]
    assert lines
    for line in lines:
        assert any("(new.jsonl:" in trial for trial in line["trials"])
        assert any("(base.jsonl:" in trial for trial in line["trials"])


@pytest.mark.requirement("I-08")
def test_runs_come_in_as_tables_and_results_go_out_in_four_forms(tmp_path: Path) -> None:
    for arm in ("base", "new"):
        rows = "".join(f"u{i},{int(i % 2 == 0 or arm == 'new')}\n" for i in range(30))
        tmp_path.joinpath(f"{arm}.csv").write_text(f"id,passed\n{rows}", encoding="utf-8")
    out = tmp_path / "o"
    assert run("compare", tmp_path / "base.csv", tmp_path / "new.csv", "-o", out)[0] == 0
    for form in ("html", "md", "json", "junit"):
        code, printed, _ = run("report", out, "--format", form)
        assert code == 0
        assert "better" in printed.lower()


@pytest.mark.requirement("I-11")
def test_a_wrong_mapping_names_file_line_field_and_remedy(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "base.jsonl", {"u1": True})
    mapping = tmp_path / "mapping.yaml"
    mapping.write_text("unit: id\noutcme: passed\n", encoding="utf-8")
    code, _, err = run("import", "table", runs, "--map", mapping, "-o", tmp_path / "o")
    assert code == 2
    assert "mapping.yaml:2:9: outcme: unknown key; did you mean 'outcome'?" in err


@pytest.mark.requirement("I-11")
def test_published_schemas_are_schemas() -> None:
    schemas = sorted(ROOT.joinpath("schemas").glob("*.json"))
    assert schemas
    for path in schemas:
        Draft202012Validator.check_schema(json.loads(path.read_bytes()))


@pytest.mark.requirement("I-34")
def test_a_ranking_tells_apart_what_can_be_told_apart_and_no_more() -> None:
    found = calc("bt.fit", pairs=[["a", "b", 30, 28], ["a", "c", 55, 5], ["b", "c", 52, 8]])
    apart = {name: abs(found["ability"][name]) / found["se"][name] for name in ("b", "c")}
    assert found["reference"] == "a"
    assert apart["b"] < 1.96 < apart["c"]
