"""Hidden tests ask for nothing that nobody told: interfaces, labels, boundaries of the prompt."""

from pathlib import Path

import pytest

from equipoise.records.notice import Notice
from equipoise.records.scenario import HiddenFiles, Scenario, ScenarioKind
from equipoise.studies.outcome.lints.channels import channels

PROMPT = (
    "Please add `tally export FILE [--period PERIOD]`. It writes a line for each entry with the "
    "columns day and amount, and prints `exported 3`."
)
SEED = {"tally/cli.py": 'def main(argv, out):\n    "--file and list"\n', "README.md": "tally add\n"}
RUN = """\
from tally.cli import main


def run(path, *argv):
    return main(["--file", str(path), *argv], out=None)


"""


def said(tmp_path: Path, explicit: str, implicit: str = "", prompt: str = PROMPT) -> list[Notice]:
    files = {"explicit/test_e.py": explicit, "implicit/test_i.py": implicit}
    for name, text in files.items():
        path = tmp_path / "hidden-tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RUN + text, encoding="utf-8")
    scenario = Scenario(
        id="f01",
        kind=ScenarioKind.FEATURE,
        seed="tally",
        prompt=prompt,
        hidden_tests=HiddenFiles(
            explicit=("explicit/test_e.py",), implicit=("implicit/test_i.py",) if implicit else ()
        ),
    )
    return list(channels(scenario, tmp_path, SEED))


@pytest.mark.requirement("OUT-33")
@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("run(p, 'export', 'x', '--output', 'y')", "the option '--output'"),
        ("run(p, 'dump', 'x')", "the subcommand 'dump'"),
        ("main(['--file', 'x', 'dump'], out=None)", "the subcommand 'dump'"),
        ("program('python', '-m', 'tally', '--file', 'x', 'dump')", "the subcommand 'dump'"),
        ("row['currency'] == 3", "the column 'currency'"),
        ("run(p, 'export')[1] == 'wrote 3 rows'", "compares with 'wrote 3 rows', and 'wrote'"),
    ],
)
def test_what_an_explicit_test_asks_has_to_stand_in_the_prompt(
    tmp_path: Path, line: str, names: str
) -> None:
    (notice,) = said(tmp_path, f"def test_it(p, row):\n    assert {line}\n")
    assert names in notice.message
    assert notice.where == "explicit/test_e.py:9"
    assert notice.severity.value == "warning"


@pytest.mark.requirement("OUT-33")
def test_a_module_that_nobody_named_is_no_interface(tmp_path: Path) -> None:
    told = said(tmp_path, "from tally.exporting import write_csv\n")
    assert [one.message.split(" stands")[0] for one in told] == [
        "the module 'exporting'",
        "the name 'write_csv'",
    ]


def test_names_of_the_prompt_and_of_the_seed_are_free(tmp_path: Path) -> None:
    explicit = (
        "def test_it(p, row):\n"
        "    run(p, 'add', 'fish', '--period', '2024')\n"
        "    assert run(p, 'export', 'x') == (0, 'exported 1')\n"
        "    assert 'fish' in run(p, 'list')[1]\n"
        "    assert row['amount'] == '4.20'\n"
    )
    assert said(tmp_path, explicit) == []


@pytest.mark.requirement("OUT-36")
def test_a_label_that_nobody_fixed_is_warned_of(tmp_path: Path) -> None:
    explicit = "def test_it(p):\n    assert run(p, 'export', 'x') == (0, 'exported 1')\n"
    implicit = (
        "def test_no_tag(p):\n    assert 'untagged' in run(p, 'list')[1]\n\n\n"
        "class More:\n    def test_more(self, p):\n"
        "        self.assertEqual(run(p, 'list')[1], 'nothing here')\n\n\n"
        "def test_error(p, pytest):\n    with pytest.raises(ValueError, match='bad amount'):\n"
        "        run(p, 'add')\n"
    )
    told = said(tmp_path, explicit, implicit)
    assert [(one.code, one.where) for one in told] == [
        ("literal_label", "implicit/test_i.py:9"),
        ("literal_label", "implicit/test_i.py:14"),
        ("literal_label", "implicit/test_i.py:18"),
    ]
    assert "test_no_tag compares with 'untagged'" in told[0].message
    assert "compare a number or a state" in told[0].message


@pytest.mark.requirement("OUT-36")
def test_a_number_that_is_written_as_nobody_wrote_one_is_warned_of(tmp_path: Path) -> None:
    explicit = "def test_it(p):\n    assert run(p, 'list')[1] == '4.20'\n"
    implicit = (
        "def test_large(p):\n    assert run(p, 'list')[1] == '1,204.20'\n\n\n"
        "def test_small(p):\n    assert run(p, 'list')[1] == '0.07'\n"
    )
    (notice,) = said(tmp_path, explicit, implicit)
    assert (notice.code, notice.where) == ("written_number", "implicit/test_i.py:9")
    assert "nothing is written like '1,204.20'" in notice.message


@pytest.mark.requirement("OUT-34")
def test_an_implicit_test_goes_through_locked_interfaces_and_is_not_spelled_out(
    tmp_path: Path,
) -> None:
    explicit = "def test_it(p):\n    assert run(p, 'export', 'x', '--period', '2024')[0] == 0\n"
    implicit = (
        "def test_lines_for_each_entry_with_columns(p):\n"
        "    assert run(p, 'export', 'x', '--force')[0] == 0\n"
    )
    told = {one.code: one for one in said(tmp_path, explicit, implicit)}
    assert set(told) == {"interface_not_locked", "implicit_spelled_out"}
    assert (
        "the option '--force' stands neither in the prompt" in told["interface_not_locked"].message
    )
    assert (
        "test_lines_for_each_entry_with_columns: the prompt seems to say it"
        in told["implicit_spelled_out"].message
    )
