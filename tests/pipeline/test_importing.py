"""Imports: whole or not at all, checked, counted, the same again."""

from pathlib import Path

from equipoise.archive.store import Archive
from equipoise.pipeline.importing import import_runs
from pipeline.made_runs import MadeReader

ROWS = '{"unit":"u1","value":1}\n{"unit":"u2","value":0}\n'


def test_the_same_import_again_finds_the_archive_and_uses_it(tmp_path: Path) -> None:
    source = tmp_path / "runs.jsonl"
    source.write_text(ROWS, encoding="utf-8")
    first = import_runs(MadeReader(), source, tmp_path / "a", {})
    again = import_runs(MadeReader(), source, tmp_path / "a", {})
    assert (first.n_trials, first.n_units, first.is_reused) == (2, 2, False)
    assert (again.head, again.is_reused) == (first.head, True)
    assert Archive.open(tmp_path / "a").columns().facts.n_trials == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "runs.jsonl"]
