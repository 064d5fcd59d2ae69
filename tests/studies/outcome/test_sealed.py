"""A sealed outcome study: what it was compiled to stays, whatever becomes of its pack."""

from pathlib import Path

from studies.loss.compared_loss_runs import called
from studies.outcome.planned_studies import planned, refused, starter


def test_a_pack_that_changed_since_the_seal_is_told_and_the_study_stays_as_it_was(
    tmp_path: Path,
) -> None:
    study = starter(tmp_path / "study")
    done = called("doctor", study)
    assert "harness of arm senior: 1" in done.output
    planned(study)
    assert called("seal", study).exit_code == 0
    before = {path.name: path.read_bytes() for path in study.glob("outcome-*")}
    pack = study / "pack/pack.yaml"
    text = pack.read_text(encoding="utf-8")
    lines = ["version: other" if one.startswith("version:") else one for one in text.splitlines()]
    pack.write_text("\n".join(lines), encoding="utf-8")
    assert "is sealed, and study.yaml with its pack now gives another" in refused(study, 3)
    assert {path.name: path.read_bytes() for path in study.glob("outcome-*")} == before
    assert called("run", study, "--dry-run").exit_code == 0
    pack.write_text(text, encoding="utf-8")
    planned(study)
