import json
import math
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from adapters.logs.readings import Readings
from equipoise.adapters.logs.ldd.reader import LddReader
from equipoise.adapters.logs.ldd.sessions import Session, sessions_of
from equipoise.adapters.logs.noticing import Noticer
from equipoise.errors import UnreadableSource
from equipoise.records.terms import Direction
from equipoise.records.trial import EndingKind
from equipoise.wiring import reader
from shared_data import shared

TRACE = """\
2026-04-22T10:00:00Z  meta  L3/x  task="refund — flow ≤ 3"  loops=inner
2026-04-22T10:00:01Z  inner  baseline  k=0  skill=baseline  action="a"  loss=0.500  raw=4/8
2026-04-22T10:00:05Z  inner  k=1  skill=e2e  action="b"  loss=0.250  raw=2/8  Δloss=-0.250
2026-04-22T10:00:06Z  epoch  epoch=1  reason="2 new items"
2026-04-22T10:00:07Z  inner  baseline  k=2  skill=e2e  action="c"  loss=0.400  raw=4/10  epoch=1
2026-04-22T10:00:09Z  inner  k=3  skill=e2e  action="d"  loss=0.100  raw=1/10  Δloss=−0.300  epoch=1
2026-04-22T10:00:10Z  inner  close  terminal=complete  docs=synced  loss_final=0.100
"""


def read(path: Path, content: str = TRACE, **options: Any) -> Readings:
    path.write_text(content, encoding="utf-8")
    return Readings(LddReader().read(path, options))


def test_a_session_is_a_trial_whose_outcome_is_its_final_loss(tmp_path: Path) -> None:
    found = read(tmp_path / "trace.log")
    (trial,) = found.trials
    (grade,) = found.grades
    assert trial.unit == "refund — flow ≤ 3"
    assert trial.counts == {
        "lines": 7,
        "iterations": 4,
        "epochs": 1,
        "skill:baseline": 1,
        "skill:e2e": 3,
    }
    assert trial.duration_ms == 10_000
    assert grade.value == 0.1
    (evidence,) = grade.evidence
    assert evidence.line == 7
    assert TRACE.encode()[evidence.start : evidence.end] == b"loss_final=0.100"
    assert set(found.codes) == {"epoch"}
    assert LddReader().directions({}) == {"outcome": Direction.LOWER}


def test_steps_that_contradict_themselves_are_told(tmp_path: Path) -> None:
    wrong = TRACE.replace("raw=2/8", "raw=3/8").replace("Δloss=-0.250", "Δloss=-0.200")
    wrong = wrong.replace("loss_final=0.100", "loss_final=0.000")
    found = read(tmp_path / "trace.log", wrong)
    assert found.codes["loss_raw_mismatch"] == 1
    assert found.codes["delta_mismatch"] == 1
    assert found.codes["final_mismatch"] == 1


def test_an_open_session_has_no_outcome(tmp_path: Path) -> None:
    found = read(tmp_path / "trace.log", "\n".join(TRACE.splitlines()[:-1]))
    assert found.trials[0].ending.kind is EndingKind.CANCELLED
    assert not found.grades


def test_a_loss_outside_its_range_is_no_outcome(tmp_path: Path) -> None:
    found = read(tmp_path / "trace.log", TRACE.replace("loss_final=0.100", "loss_final=1.7"))
    assert found.grades[0].value is None


def test_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    for content in ("", "hello\nworld\n"):
        with pytest.raises(UnreadableSource):
            read(tmp_path / "trace.log", content)
    with pytest.raises(UnreadableSource):
        read(tmp_path / "a.json", '{"data_mode": "synthetic", "per_skill": []}')
    assert reader("ldd").name == "ldd"


def checks() -> dict[str, Any]:
    expected = json.loads(shared("data", "ldd_traces", "expected.json").read_text("utf-8"))
    return {check["id"]: check["value"] for check in expected["checks"]}


def traces() -> dict[str, list[Session]]:
    noticer = Noticer()
    found: dict[str, list[Session]] = {}
    for path in sorted(shared("data", "ldd_traces", "traces").iterdir()):
        lines = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        found[path.name] = list(sessions_of(lines, path.name, noticer))
    return found


def test_every_real_trace_gives_its_loss_sequence() -> None:
    expected, found = checks(), traces()
    sequences = [
        {
            "file": name,
            "seq": [[s.loss, s.k, s.epoch, s.loop] for s in session.steps],
            "epochs": session.epochs,
            "terminal": session.terminals,
        }
        for name, sessions in found.items()
        for session in sessions
    ]
    assert sequences == expected["losses"]
    assert {
        "minus_is_better": sum(s.n_minus_is_better for v in found.values() for s in v),
        "plus_is_better": sum(s.n_plus_is_better for v in found.values() for s in v),
    } == expected["sign_conventions"]


def test_the_real_folder_is_read_whole() -> None:
    expected = checks()
    found = Readings(LddReader().read(shared("data", "ldd_traces", "traces"), {}))
    assert len(found.trials) == expected["n_sessions"]
    assert sum(t.counts["lines"] for t in found.trials) == expected["n_lines"]
    assert len({t.source.split(":")[0] for t in found.trials}) == expected["n_files"]
    assert found.codes["loss_raw_mismatch"] == len(expected["loss_vs_raw_mismatch"])
    assert found.codes.get("delta_mismatch", 0) == len(expected["delta_mismatch"])
    assert "final_mismatch" not in found.codes
    real = [t for t in found.trials if "v031-runs" in t.source]
    assert found.codes["scripted"] == len(found.trials) - len(real) - _n_short(found)


def _n_short(found: Readings) -> int:
    scripted = [t for t in found.trials if "v031-runs" not in t.source]
    return sum(t.counts["iterations"] < 3 for t in scripted)


def test_the_real_bundle_gives_its_published_mean() -> None:
    expected = checks()
    path = shared("data", "ldd_traces", "aggregate.json")
    found = Readings(LddReader().read(path, {}))
    values = found.values()
    red = {t.unit: values[t.id] or 0 for t in found.trials if t.arm == "without skill"}
    green = {t.unit: values[t.id] or 0 for t in found.trials if t.arm == "with skill"}
    clean = {t.unit for t in found.trials if "contamination" not in t.labels["status"]}
    declared = {h.metric: h.value or 0 for h in found.headlines}
    reductions = {unit: declared[f"reduction/{unit}"] for unit in red}
    for unit, reduction in reductions.items():
        assert reduction == pytest.approx(red[unit] - green[unit], abs=0.0006)
    mean = sum(reductions.values()) / len(reductions)
    assert mean == pytest.approx(expected["bundle_mean"], abs=0.0006)
    assert declared["mean_reduction"] == pytest.approx(mean, abs=0.0006)
    assert sum(reductions[u] for u in clean) / len(clean) == pytest.approx(
        expected["bundle_mean_clean"], abs=0.0001
    )
    assert sum(v == 0 for v in green.values()) == expected["green_zero"]
    spread = stats.sem(list(reductions.values()))
    half = stats.t.ppf(0.975, len(reductions) - 1) * spread
    assert [mean - half, mean + half] == pytest.approx(expected["bundle_ci95"], abs=1e-4)
    assert math.isfinite(half)
    assert not found.notices


@pytest.mark.parametrize("name", ["benchmark-mini-demo.json", "loss-bundle-manifest.json"])
def test_synthetic_or_incomplete_figures_are_no_measurement(name: str) -> None:
    with pytest.raises(UnreadableSource):
        list(LddReader().read(shared("data", "ldd_traces", name), {}))
