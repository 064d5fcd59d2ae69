"""Published best-worst answers, people's labels and judges' verdicts, through rating studies."""

import csv
import gzip
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from equipoise.errors import InputError
from equipoise.records.judgement import ReadState
from equipoise.records.rating_plan import (
    ChecksPlan,
    JudgePlan,
    PanelPlan,
    Policy,
    RatingSet,
    SetKind,
)
from equipoise.stages.estimate.rating.agreeing import agreements, mode_of
from equipoise.stages.estimate.rating.choices import Choice
from equipoise.stages.estimate.rating.counting import estimate
from equipoise.stages.estimate.rating.gaps import Asked
from equipoise.stages.estimate.rating.judges import judge_of, judge_shown
from equipoise.stages.estimate.rating.leanings import Leanings
from equipoise.stages.estimate.rating.people import Answered, annotators
from equipoise.stages.estimate.rating.validating import Bar, Source, labels, validated
from equipoise.stages.estimate.rating.verdicts import Told
from equipoise.stats.bws import BwsAnswers, read_answers
from equipoise.stats.bws_reliability import split_half
from equipoise.stats.cohen import cross_table
from packs.product import import_table, run
from shared_data import shared

_PANEL = PanelPlan(
    policy=Policy.PANEL,
    judges=(JudgePlan(name="g", model={}, family="f"),),
    repeats=2,
    max_unreadable=0.2,
)


def _ruddit_rows() -> list[list[int]]:
    path = shared("data", "ruddit_bws", "annotations.tsv.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [[int(x) for x in line.split("\t")] for line in file.readlines()[1:]]


def _asked(*arms: str) -> Asked:
    return Asked(arms=arms, baseline=arms[0], mde=0.2, alpha=0.05, power=0.8, seed=1)


@pytest.mark.slow
def test_ruddit_through_a_rating_study_and_both_recipes_of_split_half() -> None:
    rows = _ruddit_rows()
    choices = [
        Choice(
            who=str(n),
            set=" ".join(map(str, row[:4])),
            unit=" ".join(map(str, row[:4])),
            cluster=" ".join(map(str, row[:4])),
            shown=tuple((str(item),) for item in row[:4]),
            best=row.index(row[4]),
            worst=row.index(row[5]),
        )
        for n, row in enumerate(rows)
    ]
    arms = tuple(str(item) for item in range(1 + max(max(row[:4]) for row in rows)))
    found = estimate("people", choices, _asked(*arms))
    assert found.refused == {"duplicate_item": 3455}
    without = [c for c in choices if ("0",) not in c.shown]
    plain = estimate("people", without, _asked(*arms))
    assert (plain.n_answers, plain.n_sets) == (53_715, 9_018)
    best, worst = plain.places
    assert best.chosen == (11_917, 14_072, 15_416, 12_310)
    assert worst.chosen == (15_224, 15_346, 12_433, 10_712)
    assert best.chi_square == pytest.approx(588.3, abs=0.1)
    assert worst.chi_square == pytest.approx(1137.2, abs=0.1)
    assert best.is_one_order
    table = np.array(rows, dtype=np.intp)
    answers = BwsAnswers(items=arms, sets=table[:, :4], best=table[:, 4], worst=table[:, 5])
    sets = np.unique(table[:, :4], axis=0, return_inverse=True)[1]
    whole = split_half(answers, sets, np.random.default_rng(1), leave_out=[0])
    assert (whole.pearson, whole.spearman) == pytest.approx((0.8754, 0.8464), abs=0.01)
    part = split_half(answers, sets, np.random.default_rng(1), leave_out=[0], drop=True)
    assert (part.pearson, part.spearman) == pytest.approx((0.8397, 0.8109), abs=0.01)
    assert whole.recipe != part.recipe


def test_half_of_the_answers_repeats_the_order_of_the_other_half() -> None:
    rng = np.random.default_rng(3)
    worth = dict(zip("ABCDEF", range(6), strict=True))
    rows = []
    for _ in range(120):
        shown = list(rng.permutation(list(worth)))[:4]
        felt = [worth[x] + rng.gumbel() for x in shown]
        rows.append((shown, shown[int(np.argmax(felt))], shown[int(np.argmin(felt))]))
    found = split_half(read_answers(rows), np.arange(120) // 2, rng)
    assert found.pearson > 0.9
    assert found.n_items == 6
    with pytest.raises(InputError, match="one set"):
        split_half(read_answers(rows), [1, 2], rng)


def _swapped() -> dict[tuple[str, str], list[Told]]:
    """Every judge and wording on every set of pairs, one judgement an order."""
    folder = shared("data", "judges_swap_mtbench")
    found = defaultdict(list)
    with (folder / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for column in list(row)[3:]:
                for order, said in enumerate(row[column].split("/")):
                    shown = (("1",), ("2",)) if order == 0 else (("2",), ("1",))
                    best = None if said == "-" else shown.index((said,))
                    choice = Choice(
                        who=column,
                        set=row["idx"],
                        unit=row["idx"],
                        cluster=row["idx"],
                        shown=shown,
                        best=best,
                        repeat=order + 1,
                        order=order,
                    )
                    state = ReadState.READ if said != "-" else ReadState.UNREADABLE
                    found[row["set"], column].append(Told(choice=choice, state=state))
    return found


def _gold(name: str) -> list[Choice]:
    path = shared("data", "judges_swap_mtbench") / "verdicts.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Choice(
                who="gold",
                set=row["idx"],
                unit=row["idx"],
                cluster=row["idx"],
                shown=(("1",), ("2",)),
                best=int(row["gold"]) - 1,
            )
            for row in csv.DictReader(file)
            if row["set"] == name
        ]


def test_judges_in_both_orders_give_all_24_cells_and_repeat_neither_fault() -> None:
    folder = shared("data", "judges_swap_mtbench")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    published = json.loads((folder / "published_statistics.json").read_text("utf-8"))
    cells = _swapped()
    assert len(cells) == 24
    for (name, column), told in cells.items():
        wanted = expected[f"{name}|{column}"]
        judge = judge_of(_PANEL.judges[0], told, _PANEL)
        shown = judge_shown(judge, _PANEL, Leanings())
        assert shown.unreadable.get("unreadable", 0) == wanted["unparsed"]
        assert 2 * shown.n_sets == wanted["of_verdicts"]
        assert shown.first_place is not None
        assert shown.order_flips is not None
        picked = shown.first_place * wanted["of_verdicts"]
        assert picked == pytest.approx(wanted["picked_first_position"])
        people = labels(_gold(name))
        right = sum(v.best == people[s].best for s, v in judge.verdicts.items())
        assert right == wanted["both_right"]
        # two verdicts that cannot be read are no agreement between the orders
        neither = wanted["n"] - shown.n_sets - _half_read(told)
        equal = round(shown.n_sets * (1 - shown.order_flips))
        assert equal + neither == wanted["orders_equal"]
    assert published
    biased = cells["FairEval", "ChatGPT|Vanilla_NoRules"]
    found = judge_shown(judge_of(_PANEL.judges[0], biased, _PANEL), _PANEL, Leanings())
    assert found.is_position_biased
    # verdict "2" coded as 0 against a gold of 1 and 2: no kappa over other labels
    with pytest.raises(InputError) as caught:
        cross_table([1, 0, 1, 0], [1, 2, 1, 2])
    assert caught.value.code == "label_sets_differ"


def _half_read(told: list[Told]) -> int:
    read: dict[str, int] = defaultdict(int)
    for one in told:
        read[one.choice.set] += one.is_read
    return sum(n == 1 for n in read.values())


def test_a_judge_is_validated_against_the_gold_only_where_people_agree() -> None:
    told = _swapped()["MT-Bench", "GPT-4|Vanilla_NoRules"]
    judge = judge_of(_PANEL.judges[0], told, _PANEL)
    source = Source(
        name="GPT-4",
        best={name: v.best for name, v in judge.verdicts.items()},
        points={name: v.points for name, v in judge.verdicts.items()},
        tie_rate=0.13,
    )
    found = validated(source, labels(_gold("MT-Bench")), Bar(), {}, has_kappa=False)
    # 149 right in both orders, 26 undecided sets earn half: (149 + 13) / 200
    assert found.top1 == pytest.approx((149 + 13) / 200)
    assert not found.passed
    assert any("no-κ mode" in why for why in found.failed)


def _pandalm(rater: str, rows: list[dict[str, object]]) -> list[Choice]:
    return [
        Choice(
            who=rater,
            set=str(row["idx"]),
            unit=str(row["idx"]),
            cluster=str(row["idx"]),
            shown=(("1",), ("2",)),
            best=None if row[rater] == 0 else int(str(row[rater])) - 1,
            is_tie=row[rater] == 0,
        )
        for row in rows
    ]


def test_pandalm_people_agree_as_published_and_unreadable_verdicts_stand_apart() -> None:
    folder = shared("data", "pandalm_judges")
    rows = json.loads((folder / "testset-v1.json").read_text("utf-8"))
    raters = ("annotator1", "annotator2", "annotator3")
    people = [choice for rater in raters for choice in _pandalm(rater, rows)]
    (best,) = agreements(people, 1)
    assert best.n_sets == 999
    assert best.secondary[0].name == "Fleiss' kappa"
    assert best.secondary[0].value == pytest.approx(0.864175, abs=1e-4)
    keys = {row["idx"]: row["cmp_key"] for row in rows}
    judged = json.loads((folder / "gpt-3.5-turbo-testset-v1.json").read_text("utf-8"))
    told = []
    for row in judged:
        said = str(row["gpt_result"])
        is_read = said in {"1", "2", "Tie"}
        choice = Choice(
            who="gpt",
            set=str(row["idx"]),
            unit=str(row["idx"]),
            cluster=str(row["idx"]),
            shown=tuple((name,) for name in str(keys[row["idx"]]).split("_", 1)),
            best=int(said) - 1 if said in {"1", "2"} else None,
            is_tie=said == "Tie",
        )
        state = ReadState.READ if is_read else ReadState.UNREADABLE
        told.append(Told(choice=choice, state=state))
    found = judge_shown(judge_of(_PANEL.judges[0], told, _PANEL), _PANEL, Leanings())
    assert (found.n_asked, found.n_read, found.unreadable) == (999, 974, {"unreadable": 25})
    # one order only: a preference cannot be told from a place, and no set has a verdict
    assert found.n_sets == 0
    assert not found.is_used


def _wmt(pack: str) -> list[dict[str, str]]:
    with (shared("data", pack) / "ratings.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _weight(row: dict[str, str]) -> float:
    if row["severity"].lower() == "major":
        return 25.0 if "non-translation" in row["category"].lower() else 5.0
    if row["severity"].lower() == "minor":
        return 0.1 if row["category"] == "Fluency/Punctuation" else 1.0
    return 0.0


def test_three_raters_agree_as_computed_and_checks_are_counted_for_each() -> None:
    expected = json.loads((shared("data", "wmt23_ende_3raters") / "expected.json").read_text())
    rows = _wmt("wmt23_ende_3raters")
    scores: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    checked: dict[str, list[Choice]] = defaultdict(list)
    sets = {}
    for n, row in enumerate(rows):
        if row["severity"] == "HOTW-test":
            name = f"check {n}"
            sets[name] = RatingSet(
                id=name, axis="a", unit="u", arms=("x", "y"), kind=SetKind.SILENT, worst="y"
            )
            found = row["category"] == "Found"
            checked[row["rater"]].append(
                Choice(
                    who=row["rater"],
                    set=name,
                    unit="u",
                    cluster="u",
                    shown=(("x",), ("y",)),
                    best=0 if found else 1,
                )
            )
        by_system = scores[row["global_seg"], row["rater"]]
        by_system[row["system"]] = by_system.get(row["system"], 0.0) + _weight(row)
    choices = [
        Choice(
            who=rater,
            set=f"{segment} {a} {b}",
            unit=segment,
            cluster=segment,
            shown=(("first",), ("second",)),
            best=None if abs(told[a] - told[b]) < 1e-9 else int(told[a] > told[b]),
            is_tie=abs(told[a] - told[b]) < 1e-9,
        )
        for (segment, rater), told in scores.items()
        for place, a in enumerate(sorted(told))
        for b in sorted(told)[place + 1 :]
    ]
    assert mode_of(choices, 3).mode == "kappa"
    (best,) = agreements(choices, 1)
    wanted = expected["pairwise_preference"]
    assert best.n_sets == wanted["items"]
    assert best.raw.value == pytest.approx(wanted["mean_pair_agreement"], abs=1e-6)
    assert best.secondary[0].value == pytest.approx(wanted["fleiss_kappa"], abs=1e-6)
    people = [
        Answered(annotator=r, study=(), retest=(), checks=tuple(c), first_tries=())
        for r, c in checked.items()
    ]
    shown = annotators(people, sets, ChecksPlan(n_silent=32, need=30))
    seen = {o.annotator: [o.silent_right, o.silent_seen - o.silent_right] for o in shown}
    assert seen == expected["attention_checks_found_missed"]
    assert {one.annotator for one in shown if one.is_excluded} == {"rater4", "rater9"}


def test_fourteen_outputs_rated_once_each_give_the_published_means_and_no_kappa(
    tmp_path: Path,
) -> None:
    expected = json.loads((shared("data", "wmt21_ted_mqm_ende") / "expected.json").read_text())
    totals: dict[tuple[str, str, str], float] = defaultdict(float)
    rater = {}
    for row in _wmt("wmt21_ted_mqm_ende"):
        key = (row["system"], row["doc_id"], row["seg_id"])
        totals[key] += _weight(row)
        rater[key] = row["rater"]
    table = tmp_path / "mqm.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["system", "segment", "talk", "mqm"])
        for (system, talk, segment), total in totals.items():
            rows.writerow([system, f"{talk}/{segment}", talk, repr(total)])
    outcome = {"column": "mqm", "direction": "lower", "scale": [0, 100]}
    archived = import_table(
        table, tmp_path, arm="system", unit="segment", cluster="talk", outcome=outcome
    )
    done = run("compare", archived.path, "--baseline", "ref", "-o", tmp_path / "compared")
    assert done.code in {0, 1}, done.err
    estimates = json.loads((tmp_path / "compared" / "estimates.json").read_text())
    means = {one["arm"]: 100 * one["mean"] for one in estimates["arms"]}
    assert {one["n_units"] for one in estimates["arms"]} == {529}
    assert means == pytest.approx(expected["system_mean_mqm"], abs=1e-6)
    choices = [
        Choice(
            who=who,
            set="/".join(key),
            unit="/".join(key[1:]),
            cluster=key[1],
            shown=(("x",), ("y",)),
            best=0,
        )
        for key, who in rater.items()
    ]
    found = mode_of(choices, 3)
    assert found.mode == "no_kappa"
    assert "no set was judged by two annotators" in found.label
