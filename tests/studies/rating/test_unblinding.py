"""Joining keys with answers is logged, and told while people still rate."""

from pathlib import Path

import pytest

from equipoise.studies.rating.unblinding import unblindings
from studies.rating.rating_commands import fine, outputs, run, write_study


@pytest.mark.requirement("ABX-40")
def test_each_look_at_a_ranking_is_logged_and_an_early_one_told(tmp_path: Path) -> None:
    more = "set_size: 2\nannotators: [{name: ann}, {name: bob}, {name: cy}]\n"
    study = write_study(tmp_path / "s", outputs(6, ("C0", "C1")), arms=("C0", "C1"), more=more)
    for verb in ("plan", "seal"):
        fine(verb, study)
    fine("annotate", "make", study)
    assert unblindings(study) == ()
    fine("annotate", "simulate", study, "--annotator", "ann")
    fine("annotate", "collect", study)
    _, early, _ = run("compare", study)
    assert "packets have no answer yet: whoever has read this is not blind any more" in early
    fine("annotate", "simulate", study, "--annotator", "bob", "--annotator", "cy")
    fine("annotate", "collect", study)
    _, late, _ = run("compare", study)
    assert "not blind any more" not in late
    first, second = unblindings(study)
    assert 0 == second.n_open < first.n_open < first.n_packets
    assert study.joinpath("campaign", "unblinded.jsonl").stat().st_mode & 0o777 == 0o600
    fine("verify", study)
