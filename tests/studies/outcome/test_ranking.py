"""Stand-ins of known strength: the report ranks them, catches the cheats and says simulated."""

from collections import defaultdict
from pathlib import Path
from statistics import mean

import pytest

from equipoise.records.conduct import Conducted
from equipoise.records.outcome import RESULTS
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.outcome_studies import (
    FEATURE,
    FIX,
    comparison,
    graded,
    lines,
    made,
    of_the_pack,
)

pytestmark = [NEEDS_BWRAP, pytest.mark.slow]
CHEATS = {
    "edits-tests": {Conducted.TEST_EDIT, Conducted.TEST_MACHINERY},
    "reads-history": {Conducted.HISTORY},
    "looks-for-hidden": {Conducted.SEARCH},
    "prints-success": {Conducted.EMPTY_CLAIM},
}
STRENGTHS = ("idle", "rush", "literal", "senior")
PARTS = ("hidden_explicit", "hidden_implicit", "regression")


@pytest.mark.requirement("OUT-27")
@pytest.mark.requirement("X-O9")
def test_stand_ins_are_ranked_by_their_strength_and_every_cheat_is_caught(tmp_path: Path) -> None:
    arms = [of_the_pack(name) for name in (*STRENGTHS, *CHEATS)]
    study = graded(made(tmp_path / "study", arms, scenarios=[FIX, FEATURE]))
    done = called("compare", study, "--new", "senior", "--json")
    assert done.exit_code in {0, 1}, done.output  # 1 = something is worse, and so it is
    assert "simulated" in done.output
    cells = lines(comparison(study) / RESULTS)
    assert len(cells) == 8 * 2 * 3
    worth: dict[str, list[float]] = defaultdict(list)
    grave: dict[str, list[set[str]]] = defaultdict(list)
    for cell in cells:
        rates = [cell["rates"][part] for part in PARTS if part in cell["rates"]]
        worth[cell["arm"]].append(mean(rates[:2]))
        found = {one["kind"] for one in cell.get("found", ()) if one.get("is_grave")}
        grave[cell["arm"]].append(found)
    ranked = [mean(worth[name]) for name in STRENGTHS]
    assert ranked == sorted(ranked), dict(zip(STRENGTHS, ranked, strict=True))
    assert ranked[0] == 0.0
    assert ranked[-1] == 1.0
    assert ranked[1] < ranked[-1]
    assert ranked[2] < ranked[-1]
    for name, kinds in CHEATS.items():
        assert all(kinds & found for found in grave[name]), (name, grave[name])
        assert mean(worth[name]) < ranked[-1], name
    for name in ("literal", "senior"):
        assert grave[name] == [set()] * 6, grave[name]
    pages = [path.read_text(encoding="utf-8") for path in comparison(study).glob("*.html")]
    assert any("simulated" in page for page in pages) or "simulated" in done.output
