"""What a rating plan promises, refuses, and says beforehand."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from equipoise.stages.plan.rating_power import PowerTerms, axis_power
from equipoise.stats.bws_plan import sets_needed
from every import for_every
from studies.rating.rating_commands import fine, outputs, plan_of, refused, write_study

_FOUR = ("a", "b", "c", "d")
_THREE_PEOPLE = "annotators: [{name: p1}, {name: p2}, {name: p3}]\n"


def _outlook(study: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(fine("plan", study, "--json"))
    return told


@pytest.mark.requirement("PIL-23")
def test_a_text_longer_than_a_paragraph_is_refused_by_unit_and_arm(tmp_path: Path) -> None:
    lines = outputs(3, _FOUR)
    lines[5]["text"] = "word " * 400
    study = write_study(tmp_path, lines, arms=_FOUR)
    said = refused("plan", study)
    assert "outputs.jsonl:6: the output of 'b' for unit 'u001' has 2,000 characters" in said
    assert "more than 1,500" in said
    fine("plan", write_study(tmp_path / "more", lines, arms=_FOUR, more="longest: 2000\n"))


@pytest.mark.requirement("PIL-24")
def test_pairs_meet_and_places_are_held_equally_often(tmp_path: Path) -> None:
    seven = tuple("abcdefg")
    study = write_study(
        tmp_path, outputs(28, seven), arms=seven, more=f"set_size: 4\n{_THREE_PEOPLE}"
    )
    (axis,) = _outlook(study)["axes"]
    made = axis["designed"]
    assert (made["shown"], made["pair"], made["position"]) == ([16, 16], [8, 8], [4, 4])
    assert made["label"] == "BIBD(7,4) lambda 8"
    page = study.joinpath("RATING-PLAN.md").read_text(encoding="utf-8")
    assert "| style | sets as made | 16-16 | 8-8 | 4-4 |" in page
    assert "a difference family" in page


@pytest.mark.requirement("PIL-29")
def test_the_number_of_sets_is_held_against_what_is_to_be_found(tmp_path: Path) -> None:
    study = write_study(
        tmp_path, outputs(60, _FOUR), arms=_FOUR, more=f"{_THREE_PEOPLE}overlap: 0.5\nmde: 0.3\n"
    )
    plan = plan_of(study)
    (power,) = plan["powers"]
    assert (power["n_sets"], power["n_answers"], power["n_overlapping"]) == (60, 120, 30)
    assert power["comparisons"] == 6
    # 30 sets of three people at correlation 0.2 and 30 of one: (90 x 1.4 + 30) / 120
    assert power["design_effect"] == pytest.approx(1.3)
    assert power["n_needed"] == pytest.approx(186 * 1.3, abs=3)  # 186 sets of one answer
    assert 0.3 < power["power_reached"] < 0.8
    assert power["mde_reached"] > 0.3
    said = fine("plan", study)
    assert f"{power['n_needed']} are needed for 0.8" in said
    page = study.joinpath("RATING-PLAN.md").read_text(encoding="utf-8")
    assert "probability 0." in page
    assert "power for the mde" in page


@pytest.mark.requirement("X-P11")
@pytest.mark.parametrize(("mde", "n"), [(0.2, 404), (0.3, 180), (0.1, 1615)])
def test_the_plan_asks_for_what_the_closed_form_of_the_books_does(mde: float, n: int) -> None:
    terms = PowerTerms(n_arms=4, set_size=4, mde=mde, alpha=0.05, power=0.8, correlation=0.0)
    assert sets_needed(mde, 4, comparisons=6).n == n
    needed = axis_power("x", [1], terms).n_needed
    assert needed == pytest.approx(n, rel=0.04)
    assert axis_power("x", [1] * needed, terms).power_reached == pytest.approx(0.8, abs=0.01)
    assert axis_power("x", [1], terms).mde_reached is None


@pytest.mark.requirement("PIL-30")
def test_an_arm_with_its_own_promises_stands_in_the_plan(tmp_path: Path) -> None:
    more = (
        "axes:\n  - {name: style, ask: Which reads best?}\n  - {name: sense, ask: Which is true?}\n"
        "rules:\n  - {arm: d, axis: style, is: superior}\n"
        "  - {arm: d, axis: sense, is: non-inferior, margin: 0.2}\n"
    )
    study = write_study(tmp_path, outputs(8, _FOUR), arms=_FOUR, more=more)
    plan = plan_of(study)
    assert [(rule["axis"], rule["is"]) for rule in plan["rules"]] == [
        ("style", "superior"),
        ("sense", "non-inferior"),
    ]
    assert {one["axis"] for one in plan["sets"]} == {"style", "sense"}
    page = study.joinpath("RATING-PLAN.md").read_text(encoding="utf-8")
    assert "d is superior on style (margin 0); d is non-inferior on sense (margin 0.2)" in page


@pytest.mark.requirement("X-P7")
def test_a_threshold_is_chosen_and_reported_on_different_units(tmp_path: Path) -> None:
    study = write_study(
        tmp_path,
        outputs(24, _FOUR, n_clusters=6),
        arms=_FOUR,
        more="threshold: {calibration: 0.5, target: 0.6}\n",
    )
    split = plan_of(study)["threshold"]
    chosen, final = set(split["calibration"]), set(split["final"])
    assert chosen | final == {f"u{unit:03d}" for unit in range(24)}
    assert not chosen & final
    assert not {int(u[1:]) % 6 for u in chosen} & {int(u[1:]) % 6 for u in final}
    one = write_study(tmp_path / "one", outputs(4, _FOUR, n_clusters=1), arms=_FOUR,
                      more="threshold: {calibration: 0.5}\n")  # fmt: skip
    assert "1 clusters of units cannot be split" in refused("plan", one)


@pytest.mark.requirement("X-P8")
def test_two_outputs_are_a_paired_comparison_and_called_so(tmp_path: Path) -> None:
    study = write_study(tmp_path, outputs(10, ("on", "off")), arms=("on", "off"))
    plan = plan_of(study)
    assert plan["set_size"] == 2
    assert plan["powers"][0]["comparisons"] == 1
    assert "paired comparisons, and are analysed as such" in fine("plan", study)
    page = study.joinpath("RATING-PLAN.md").read_text(encoding="utf-8")
    assert "| asked | which of two is better |" in page
    assert "one of two arms wins 57.5% of the sets" in page
    judged = "judges: {policy: single, repeats: 12, judges: [{name: j, model: {model: gpt-5-mini, "
    judged += "provider: {scripted_judge: {acts: first}}}}]}\ndecides: j\n"
    lines = outputs(3, ("on", "off"))
    said = fine("plan", write_study(tmp_path / "j", lines[:-1], arms=("on", "off"), more=judged))
    assert "style: 2 sets, no people are asked; of people " in said
    assert "judges.repeats (12) counts under policy panel alone" in said
    assert "style: 1 unit without a set: " in said


@pytest.mark.requirement("X-P22")
def test_that_agreement_cannot_be_told_is_said_before_anybody_is_asked(tmp_path: Path) -> None:
    for number, people in enumerate(("[{name: p1}]", "[{name: p1}, {name: p2}]")):
        study = write_study(
            tmp_path / str(number), outputs(8, _FOUR), arms=_FOUR, more=f"annotators: {people}\n"
        )
        doubts = _outlook(study)["doubts"]
        assert any("no-kappa mode" in one and "no decision is made" in one for one in doubts)


def test_a_text_of_two_arms_is_shown_once_or_its_set_is_dropped_as_the_plan_says(
    tmp_path: Path,
) -> None:
    lines = outputs(8, _FOUR)
    for arm in (1, 3):
        lines[arm]["text"] = "the same  text, for both of them here"
    lines[3]["text"] = "the same text, for both\nof them here"
    for line in lines[4:8]:
        line["text"] = "all four say this and nothing else"
    plan = plan_of(write_study(tmp_path / "both", lines, arms=_FOUR))
    assert [one["same"] for one in plan["sets"] if one["unit"] == "u000"] in (
        [[["b", "d"]]],
        [[["d", "b"]]],
    )
    assert "u001" not in {one["unit"] for one in plan["sets"]}
    dropped = plan_of(write_study(tmp_path / "drop", lines, arms=_FOUR, more="identical: drop\n"))
    assert {"u000", "u001"}.isdisjoint({one["unit"] for one in dropped["sets"]})
    assert len(dropped["sets"]) == 6


def test_who_cannot_read_a_set_is_not_asked_about_it(tmp_path: Path) -> None:
    lines = outputs(4, _FOUR, lang="ru") + [
        line | {"unit": f"en-{line['unit']}", "lang": "en"} for line in outputs(4, _FOUR)
    ]
    more = (
        "annotators:\n  - {name: rus, languages: [ru]}\n  - {name: both, languages: [ru, en]}\n"
        "  - {name: zho, languages: [zh]}\n"
        "raters_per_set: 2\nretest: 0\n"
    )
    outlook = _outlook(write_study(tmp_path, lines, arms=_FOUR, more=more))
    assert {one["annotator"]: one["n"] for one in outlook["lists"]} == {
        "rus": 4, "both": 8, "zho": 0,
    }  # fmt: skip
    assert any("4 sets of the overlap with fewer raters than 2" in d for d in outlook["doubts"])
    assert any("zho gets no set" in doubt for doubt in outlook["doubts"])


def test_one_person_rates_the_rest_and_loads_are_even(tmp_path: Path) -> None:
    study = write_study(
        tmp_path,
        outputs(30, _FOUR),
        arms=_FOUR,
        more=_THREE_PEOPLE + "raters_per_set: 2\noverlap: 0.3\nretest: 0.2\n",
    )
    for words in (("plan",), ("seal",), ("annotate", "make")):
        fine(*words, study)
    keys = [
        json.loads(line)
        for line in study.joinpath("campaign", "keys.jsonl").read_bytes().splitlines()
    ]
    seen = Counter(key["set"] for key in keys if not key["set"].endswith("-again"))
    assert Counter(seen.values()) == {2: 9, 1: 21}
    load = Counter(key["who"] for key in keys)
    assert max(load.values()) - min(load.values()) <= 1


_REFUSED: dict[str, tuple[str, str]] = {
    "an unknown key": ("mdee: 0.2\n", "study.yaml:10:7: field 'mdee' is unknown; did you mean"),
    "a set of one": ("set_size: 1\n", "mend: write set_size: 2, or more"),
    "another kind of letter": ("annotators: [{name: Zoë}]\n", "a-z, 0-9, dot, dash and underscore"),
    "an accent": ("annotators: [{name: Zoë}]\n", "mend: write Zoe"),
    "another script": ("annotators: [{name: 李雷}]\n", "mend: write such as a1"),
    "more places than arms": ("set_size: 5\n", "no item stands twice in a set"),
    "a stranger as baseline": ("decides: peple\n", "did you mean 'people'"),
    "an axis nobody has": ("annotators: [{name: x, axes: [stile]}]\n", "did you mean 'style'"),
    "a name twice": ("annotators: [{name: x}, {name: x}]\n", "names 'x' twice"),
    "checks nobody passes": ("checks: {silent: 2, need: 3}\n", "nobody could pass"),
    "more sets than units": (
        "axes:\n  - {name: style, ask: Which?, sets: 9}\n",
        "asks for 9 sets, and its 8 units give at most 8",
    ),
    "documents nobody has": (
        "axes:\n  - {name: style, ask: Which?, shows: [gloss]}\n",
        "no unit can be asked about on axis 'style': nothing to show of gloss (8)",
    ),
    "an empty promise": (
        "rules: [{arm: b, axis: style, is: equivalent}]\n", "margin' is 0: nothing could be shown",
    ),
}  # fmt: skip


@for_every("more, told", list(_REFUSED.values()), ids=str)
def test_a_study_with_a_fault_is_refused_with_its_place_and_the_mend(
    tmp_path: Path, more: str, told: str
) -> None:
    study = write_study(tmp_path, outputs(8, _FOUR), arms=_FOUR, more=more)
    said = refused("plan", study)
    assert told in said, said
    assert not study.joinpath("plan.json").exists()


def _bad(change: dict[str, Any]) -> list[dict[str, Any]]:
    lines = outputs(4, _FOUR)
    lines[2] = lines[2] | change
    return lines


_FAULTY: dict[str, tuple[dict[str, Any], str]] = {
    "an arm nobody planned": ({"arm": "e"}, "outputs.jsonl:3: has the arm 'e'"),
    "a second output": ({"arm": "b"}, "two outputs of arm 'b'"),
    "nothing": ({"text": " \n"}, "is empty"),
    "a key nobody knows": ({"cost": 3}, "the key 'cost' is unknown"),
    "a unit with an unseen letter": ({"unit": "u\u202e0"}, "unseen character U+202E"),
}


@for_every("change, told", list(_FAULTY.values()), ids=str)
def test_a_faulty_output_is_refused_with_its_line(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    said = refused("plan", write_study(tmp_path, _bad(change), arms=_FOUR))
    assert told in said, said


def test_what_stands_beside_the_outputs_of_a_unit_may_not_differ(tmp_path: Path) -> None:
    lines = _bad({"docs": [{"name": "source", "text": "another original", "lang": "zh"}]})
    more = "axes:\n  - {name: sense, ask: Which is true?, shows: [source]}\n"
    said = refused("plan", write_study(tmp_path, lines, arms=_FOUR, more=more))
    assert "shows one thing beside the output of 'a' and another beside that of 'c'" in said


@pytest.mark.requirement("PIL-71")
def test_sets_can_be_made_alone_by_one_command() -> None:
    asked = json.dumps({"items": ["w", "x", "y", "z"], "k": 4})
    said = json.loads(fine("calc", "bws.make_sets", given=asked))
    value = said.get("value", said)
    assert value["sets"] == [
        ["w", "x", "z", "y"], ["x", "y", "w", "z"], ["y", "z", "x", "w"], ["z", "w", "y", "x"],
    ]  # fmt: skip
    assert value["position_min_max"] == [1, 1]


def _judge(model: str, accuracy: str = "0.9") -> str:
    return (
        "decides: ann\njudges: {policy: single, judges: [{name: ann, model: {model: "
        f"{model}, provider: {{scripted_judge: {{acts: longest, accuracy: '{accuracy}'}}}}}}}}]}}\n"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("annotators: []\n", "field 'annotators' is [], and people decide"),
        (_THREE_PEOPLE + "raters_per_set: 7\n", "mend: write raters_per_set: 3"),
        ("set_size: 1\n", "mend: write set_size: 2"),
        ("set_size: 1\n", "a single output is scored in a loss study"),
        (_judge("my-llm-7b"), "study.yaml:11:35: judge 'ann': the model 'my-llm-7b' is of no"),
        (
            _judge("gpt-5-mini-2025-08-07", "1.9"),
            "study.yaml:11: judge 'ann': scripted_judge:",
        ),
    ],
)
def test_what_can_never_decide_is_refused_with_a_mend_that_holds(
    more: str, said: str, tmp_path: Path
) -> None:
    two = ("on", "off")
    assert said in refused("plan", write_study(tmp_path, outputs(4, two), arms=two, more=more))


def test_an_outlook_without_people_says_that_its_power_is_of_people(tmp_path: Path) -> None:
    two, judge = ("on", "off"), _judge("gpt-5-mini-2025-08-07")
    said = fine("plan", write_study(tmp_path, outputs(4, two), arms=two, more=judge))
    assert "no people are asked, and how much verdicts of judges spread is known once" in said
    assert "answers find" not in said
    strange = [one | {"models": ["strange-7b"]} for one in outputs(4, two)]
    said = refused("plan", write_study(tmp_path, strange, arms=two, more=judge))
    assert "no judge of the name ann may judge a set on style" in said
    assert "of no known family: strange-7b" in said
    people = _THREE_PEOPLE + judge.replace("decides: ann", "decides: people")
    said = fine("plan", write_study(tmp_path, strange, arms=two, more=people))
    assert "nobody may before the families of the models behind the outputs are known" in said
    assert "style: planned for people only, for no judge may judge any set: of no known" in said
    bare = [{k: v for k, v in one.items() if k != "models"} for one in outputs(4, two)]
    said = refused("plan", write_study(tmp_path, bare, arms=two, more=judge))
    assert "the models behind outputs of 4 sets are not recorded" in said
    assert "set_size is 4 where none is written; there are 2 arms" in fine(
        "plan", write_study(tmp_path, outputs(4, two), arms=two, more=judge)
    )
    assert "another family in its place" not in said
