"""`init loss` writes a study that works as it is, and never writes over anything."""

import shlex
from pathlib import Path
from xml.etree import ElementTree as ET

from house.documents import ROOT
from house.followed import follow
from typed import equipoise


def test_the_starter_is_written_and_can_be_planned(tmp_path: Path) -> None:
    said = equipoise("init", "loss", tmp_path / "new" / "study")
    assert f"{tmp_path / 'new' / 'study' / 'study.yaml'}\n" in said
    assert "plan" in equipoise("plan", tmp_path / "new" / "study")


def test_the_next_command_can_be_typed_as_it_is_told(tmp_path: Path) -> None:
    study = tmp_path / "my study; über alles"
    equipoise("init", "loss", study)
    told = equipoise("plan", study).rpartition("then equipoise ")[2]
    assert "self-declared" in equipoise(*shlex.split(told))


def test_the_readme_takes_the_starter_through_as_it_is(tmp_path: Path) -> None:
    study = follow(ROOT / "README.md", tmp_path).desk / "study"
    equipoise("init", "loss", tmp_path / "new")
    written = study.joinpath("study.yaml").read_bytes()
    assert written == tmp_path.joinpath("new", "study.yaml").read_bytes()
    said = equipoise("compare", study, code=1)
    assert "regressions (2):" in said
    assert "topic=refund / wrong_fact" in said
    equipoise("verify", study)
    assert sorted(path.name for path in study.joinpath("state").iterdir()) == [".keep"]
    (junit,) = study.glob("comparisons/*/report/junit.xml")
    assert ET.parse(junit).getroot().get("failures") == "2"


def test_it_writes_beside_what_stands_there(tmp_path: Path) -> None:
    tmp_path.joinpath("README.md").write_text("mine")
    equipoise("init", "loss", tmp_path)
    assert tmp_path.joinpath("README.md").read_text() == "mine"
    assert tmp_path.joinpath("study.yaml").is_file()


def test_it_overwrites_nothing_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    tmp_path.joinpath("catalogs").mkdir()
    tmp_path.joinpath("catalogs", "loss-catalog.v1.json").write_text("mine")
    tmp_path.joinpath("desk.py").symlink_to(tmp_path / "nowhere")
    said = equipoise("init", "loss", tmp_path, code=2)
    assert "has catalogs/loss-catalog.v1.json, desk.py already" in said
    assert tmp_path.joinpath("catalogs", "loss-catalog.v1.json").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["catalogs", "desk.py"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    tmp_path.joinpath("file").write_text("")
    assert "Not a directory" in equipoise("init", "loss", tmp_path / "file" / "study", code=2)


def test_an_unknown_kind_is_refused_with_those_there_are(tmp_path: Path) -> None:
    assert "'loss'" in equipoise("init", "lost", tmp_path, code=2)
