"""Model judges in a rating study: steady, biased, unreadable, held against people."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equipoise.cli import commands
from equipoise.errors import InputError, Tampered
from equipoise.records.codec import digest, pretty
from equipoise.records.event import Seal, SealLabel
from equipoise.records.judgement import ReadState
from equipoise.records.ranking import AxisShown
from equipoise.records.rating_plan import RatingSet
from equipoise.stages.estimate.rating.validating import Bar, Labelled, Source, bar_of, validated
from equipoise.studies.rating.comparing import compare
from studies.rating.rated import Rated, feeling, panel, preferring

PAIR = ("base", "new")
BETTER = {"base": 0.0, "new": 1.5}
EQUAL = {"base": 0.0, "new": 0.0}


def _study(n_units: int = 40, **plan: object) -> Rated:
    return Rated(arms=PAIR, n_units=n_units, size=2, plan={"decides": "panel"} | plan)


def _axis(made: Rated, path: Path) -> AxisShown:
    return compare(made.write(path / "study")).ranking.axis("style")


@pytest.mark.requirement("PIL-35")
@pytest.mark.parametrize("repeats", [2, 4, 12])
def test_a_judge_of_places_gives_a_tie_in_every_plan(tmp_path: Path, repeats: int) -> None:
    made = _study(panel=panel("g", repeats=repeats))
    made.judges("g", lambda _rng, _one, _arms: {"best": 0}, repeats=repeats)
    found = compare(made.write(tmp_path / "study"))
    axis = found.ranking.axis("style")
    judge = axis.judges[0]
    assert judge.is_position_biased
    assert (judge.first_place, judge.no_majority, judge.order_flips) == (1.0, 1.0, 1.0)
    assert axis.deciding is not None
    pair = axis.deciding.pairs[0]
    assert (pair.delta, pair.word) == (0.0, "cannot tell")
    assert "position-biased" in pair.said
    assert "position-biased" in found.files["report/index.html"].decode()


@pytest.mark.requirement("PIL-36")
@pytest.mark.requirement("X-P5")
def test_one_repeat_or_one_judge_far_off_turns_nothing(tmp_path: Path) -> None:
    made = _study(panel=panel("g", "h", "x"))
    for judge in ("g", "h"):
        made.judges(judge, preferring(BETTER))
    made.judges("x", preferring({"base": 9.0, "new": 0.0}))
    axis = _axis(made, tmp_path)
    words = {one.source: one.pairs[0].word for one in axis.judge_estimates}
    assert words == {"g": "better", "h": "better", "x": "worse"}
    assert axis.panel_estimate is not None
    assert axis.panel_estimate.pairs[0].word == "better"
    assert axis.panel_estimate.pairs[0].logit is not None


@pytest.mark.requirement("A19")
@pytest.mark.requirement("A22")
def test_what_cannot_be_read_is_no_verdict_and_is_counted_by_arm(tmp_path: Path) -> None:
    made = Rated(arms=("A", "B", "C"), n_units=30, size=2, plan={"panel": panel("g", "h")})
    made.plan = dict(made.plan) | {"decides": "panel"}

    def silent(rng: np.random.Generator, _one: object, arms: tuple[str, ...]) -> dict[str, object]:
        if "A" in arms and rng.random() < 0.3:
            return {"state": ReadState.UNREADABLE}
        return {"best": 0}

    made.judges("g", silent)
    made.judges("h", preferring({"A": 0.0, "B": 1.0, "C": 0.0}))
    axis = _axis(made, tmp_path)
    silent_one, other = axis.judges
    assert not silent_one.is_used
    assert "hold no verdict" in silent_one.why_not
    assert silent_one.is_unreadable_uneven
    assert silent_one.unreadable["unreadable"] == silent_one.n_asked - silent_one.n_read
    assert silent_one.unreadable_by_arm["A"] > 0.2
    assert not other.unreadable
    assert [one.source for one in axis.judge_estimates] == ["h"]


def test_an_attempt_asked_twice_is_no_new_repeat(tmp_path: Path) -> None:
    made = _study(panel=panel("g"))
    made.judges("g", preferring(BETTER))
    made.judgements += made.judgements[:5]
    found = compare(made.write(tmp_path / "study")).ranking
    assert found.unjoined == {"judged_twice": 5}
    assert found.axis("style").judges[0].n_asked == 40 * 12


@pytest.mark.requirement("PIL-33")
@pytest.mark.requirement("PIL-38")
@pytest.mark.requirement("X-P3")
def test_a_judge_like_people_is_validated_and_others_stay_soft(tmp_path: Path) -> None:
    made = _study(80, panel=panel("good", "coin", "x"), decides="good")
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling(BETTER, local=1.0))
    made.judges("good", preferring(BETTER, local=1.0))
    made.judges("coin", preferring(EQUAL))
    made.judges("x", preferring({"base": 3.0, "new": 0.0}))
    found = compare(made.write(tmp_path / "study"))
    axis = found.ranking.axis("style")
    rows = {one.judge: one.validation for one in axis.judges}
    good, coin, odd = rows["good"], rows["coin"], rows["x"]
    assert good is not None
    assert coin is not None
    assert odd is not None
    assert good.passed, good.failed
    assert not coin.passed
    assert not odd.passed
    assert good.ceiling is not None
    assert "validated judge" in axis.tags
    assert axis.panel is not None
    assert axis.panel.best_single == "good"
    assert axis.panel.panel_top1 is not None
    assert axis.panel.effective is not None
    text = found.files["report/index.html"].decode()
    assert "Best single judge: good" in text
    assert "judge not validated" in text


@pytest.mark.requirement("PIL-33")
def test_a_judge_that_chooses_by_chance_never_says_equivalent(tmp_path: Path) -> None:
    made = _study(80, panel=panel("coin", "first"))
    made.judges("coin", preferring(EQUAL))
    made.judges("first", lambda _rng, _one, _arms: {"best": 0})
    axis = _axis(made, tmp_path)
    for found in (*axis.judge_estimates, axis.panel_estimate):
        assert found is not None
        assert found.pairs[0].indicative == "equivalent"
        assert found.pairs[0].word == "cannot tell"
    assert axis.panel is not None
    assert axis.panel.judges == ("coin",)


@pytest.mark.requirement("PIL-33")
@pytest.mark.requirement("X-P16")
def test_until_people_have_rated_a_judge_is_not_validated_on_any_page(tmp_path: Path) -> None:
    made = _study(panel=panel("g"))
    made.judges("g", preferring(BETTER))
    found = compare(made.write(tmp_path / "study"))
    axis = found.ranking.axis("style")
    assert axis.tags[:2] == ("soft", "judge not validated")
    assert axis.judges[0].validation is not None
    assert axis.judges[0].validation.unvalidated_languages == ("en",)
    for name, content in found.files.items():
        assert "judge not validated" in content.decode(), name
    assert "[soft], judge not validated" in found.files["report/index.html"].decode()
    assert "Places chosen by g" in found.files["report/report.md"].decode()


def _threshold(n: int, target: float | None, *, is_useful: bool = True) -> Rated:
    units = [f"u{i:03d}" for i in range(n)]
    asked = {"judge": "g", "calibration": units[::2], "final": units[1::2], "target": target}
    made = _study(n, panel=panel("g"), threshold=asked)
    worth = BETTER if is_useful else EQUAL
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling(worth, local=1.5))
    made.judges("g", preferring(worth, local=1.5 if is_useful else 0.0))
    return made


@pytest.mark.requirement("PIL-40")
@pytest.mark.requirement("X-P7")
def test_a_threshold_is_chosen_on_one_half_locked_and_reported_on_the_other(
    tmp_path: Path,
) -> None:
    study = _threshold(160, 0.6).write(tmp_path / "study")
    found = compare(study).ranking.axis("style").threshold
    assert found is not None
    assert found.s is not None
    assert (found.n_calibration, found.n_final) == (80, 80)
    assert found.final_lo is not None
    assert found.final_lo > 0.6
    locked = study / "threshold.json"
    rows = json.loads(locked.read_bytes())
    assert rows[0]["s"] == found.s
    # another threshold in the file was not fitted, and no amendment says so
    rows[0]["s"] = 0.95
    locked.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(Tampered, match="amend"):
        compare(study)
    rows[0]["s"] = found.s
    locked.write_text(json.dumps(rows), encoding="utf-8")
    run = CliRunner().invoke
    words = ["amend", str(study), "--reason", "a stricter choice", "--set", "threshold.style=0.9"]
    assert run(commands, words).exit_code == 3
    plan = study.joinpath("plan.json").read_bytes()
    seal = Seal(
        plan_sha256=digest(plan), sealed_at="2026-01-01T00:00:00Z", label=SealLabel.SELF_DECLARED
    )
    study.joinpath("seal.json").write_bytes(pretty(seal))
    assert run(commands, words).exit_code == 0
    again = compare(study)
    changed = again.ranking.axis("style").threshold
    assert changed is not None
    assert changed.s == 0.9
    assert "a stricter choice" in again.files["report/index.html"].decode()
    told = run(commands, ["verify", str(study)]).output
    assert "3 files follow from plan, archives and keys" in told
    assert "campaign/secret: is missing, and a ranking rests on it" in told, "these were made up"


def test_no_threshold_is_found_where_the_judge_knows_nothing(tmp_path: Path) -> None:
    found = _axis(_threshold(80, 0.8, is_useful=False), tmp_path).threshold
    assert found is not None
    assert found.s is None
    assert "no threshold" in found.why


@pytest.mark.requirement("X-P7")
def test_a_unit_in_both_halves_is_refused(tmp_path: Path) -> None:
    made = _threshold(40, None)
    asked = {"judge": "g", "calibration": ["u001"], "final": ["u001"]}
    made.plan = dict(made.plan) | {"threshold": asked}
    with pytest.raises(InputError, match="both parts"):
        compare(made.write(tmp_path / "study"))


def test_a12_a_judge_that_contradicts_itself_has_a_flip_rate_of_its_own(tmp_path: Path) -> None:
    made = _study(20, panel=panel("g"))
    said: Counter[str] = Counter()

    def wavers(_rng: np.random.Generator, one: RatingSet, arms: tuple[str, ...]) -> dict[str, int]:
        said[one.id] += 1
        return {"best": arms.index("new" if said[one.id] > 3 else "base")}

    made.judges("g", wavers)
    judge = _axis(made, tmp_path).judges[0]
    assert judge.repeat_flips == pytest.approx(3 / 12)
    assert judge.no_majority == 0.0


@pytest.mark.requirement("PIL-38")
@pytest.mark.requirement("X-P6")
def test_a_fine_correlation_over_all_sets_does_not_validate_a_judge() -> None:
    rng = np.random.default_rng(8)
    people, best, points = {}, {}, {}
    for n in range(60):
        level, own = 10.0 * n, rng.permutation(3)
        told = dict(zip("abc", (level + own).tolist(), strict=True))
        name = f"s{n}"
        top = max(told, key=lambda arm: told[arm])
        votes = dict.fromkeys(("ann", "bo", "cy"), (top,))
        people[name] = Labelled(
            set=name, unit=name, cluster=name, best=(top,), points=told, votes=votes
        )
        points[name] = dict(zip("abc", (level - own).tolist(), strict=True))
        best[name] = (max(points[name], key=lambda arm: points[name][arm]),)
    source = Source(name="g", best=best, points=points, tie_rate=0.0)
    found = validated(source, people, Bar(), {}, has_kappa=True)
    assert found.overall is not None
    assert found.overall > 0.99
    assert found.top1 == 0.0
    assert not found.passed
    assert any("not shown to be better than chance" in why for why in found.failed)


def test_the_bar_for_judges_can_be_registered_and_nonsense_is_refused() -> None:
    told = bar_of({"validation": {"sets": "50", "of_ceiling": "0.9"}})
    assert told == Bar(sets=50, of_ceiling=0.9)
    assert bar_of({}) == Bar()
    for bad in ({"sets": "many"}, {"set": "50"}, {"ties": "nan"}, ["sets"]):
        with pytest.raises(InputError, match="validation of judges"):
            bar_of({"validation": bad})


def test_ties_are_half_wins_and_how_much_hangs_on_that_is_said(tmp_path: Path) -> None:
    made = _study(panel=panel("g", "h"))

    def tells(
        rng: np.random.Generator, _one: RatingSet, arms: tuple[str, ...]
    ) -> dict[str, object]:
        if rng.random() < 0.4:
            return {"is_tie": True}
        return {"best": arms.index("new" if rng.random() < 0.7 else "base")}

    for judge in ("g", "h"):
        made.judges(judge, tells)
    axis = _axis(made, tmp_path)
    for one in axis.judge_estimates:
        (note,) = [note for note in one.notes if "Davidson" in note]
        assert "ties count as half a win for each" in note
    assert axis.panel_estimate is not None
    assert any("in the joint model each is half a win" in n for n in axis.panel_estimate.notes)
