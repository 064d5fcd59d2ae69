"""Every verb knows by the study file which kind of study it has before it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from equipoise.cli import commands
from equipoise.cli.kinds import kind_of


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("study.yaml", "# mine\nkind: rating   # people\n", "rating"),
        ("study.yaml", "title: x\nkind: 'loss'\n", "loss"),
        ("study.yaml", "title: no kind\n", ""),
        ("plan.json", '{"kind": "rating"}', "rating"),
        ("archive.json", '{"kind": "run"}', "run"),
        ("archive.json", "[]", ""),
        ("archive.json", "{", ""),
        ("notes.txt", "kind: rating", ""),
    ],
)
def test_the_kind_of_a_folder_is_what_its_file_says(
    tmp_path: Path, name: str, text: str, kind: str
) -> None:
    tmp_path.joinpath(name).write_text(text, encoding="utf-8")
    assert kind_of(tmp_path) == kind


def test_annotate_lists_its_actions() -> None:
    done = CliRunner().invoke(commands, ["annotate", "--help"])
    assert done.exit_code == 0
    assert "best" in done.output
