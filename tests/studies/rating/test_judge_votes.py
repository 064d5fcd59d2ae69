"""Sets, answers, votes of judges and aggregates leave a study as tables that anybody can count."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from studies.rating.rating_commands import fine, lines_of, outputs, refused, run, write_study

_ARMS = ("alpha-arm", "beta-arm", "gamma-arm")
_JUDGE = "{name: %s, model: {model: %s, provider: {scripted_judge: {acts: %s}}}}"
_READER = _JUDGE % ("reader", "gpt-5-mini-2025-08-07", "longest")
_PLACES = _JUDGE % ("places", "gemini-3.1-pro-preview", "first")


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People and two judges have rated; in the first unit two arms wrote the same. Nobody looked.

    Beta's text is the longest everywhere but there, where alpha and gamma share a longer one.
    """
    lines = outputs(3, _ARMS)
    for line in lines:
        line["text"] += " of beta" if line["arm"] == "beta-arm" else ""
    lines[0]["text"] = lines[2]["text"] = lines[1]["text"] + " and more than that"
    made = write_study(
        tmp_path_factory.mktemp("votes") / "study",
        lines,
        arms=_ARMS,
        more="set_size: 3\nannotators: [{name: ann}, {name: bob}, {name: cy}]\n"
        f"judges: {{policy: panel, repeats: 12, judges: [{_READER}, {_PLACES}]}}\n",
    )
    for words in (("plan",), ("seal",), ("annotate", "make"), ("grade",)):
        run(*words, made)
    fine("annotate", "simulate", made, "--worth", "beta-arm=2")
    fine("annotate", "collect", made)
    return made


@pytest.fixture
def study(rated: Path, tmp_path: Path) -> Path:
    """A study of one's own that nobody has looked at."""
    return copytree(rated, tmp_path / "study")


@pytest.mark.requirement("PIL-74")
def test_votes_go_out_blind_before_and_with_arms_after_a_comparison(
    study: Path, tmp_path: Path
) -> None:
    for what in ("tasks", "answers", "judgements"):
        fine("annotate", "export", study, "--what", what, "-o", tmp_path / f"{what}.csv")
        text = tmp_path.joinpath(f"{what}.csv").read_text(encoding="utf-8")
        assert [arm for arm in _ARMS if arm in text] == []
    votes = list(_table(tmp_path / "judgements.csv"))
    assert len(votes) == 2 * 3 * 12
    assert {vote["best"] for vote in votes if vote["judge"] == "places"} == {"A"}
    early = json.loads(run("grade", study, "--json")[1])
    assert early["is_unblinded"] is False
    assert "alpha-arm" not in json.dumps([one["verdicts"] for one in early["judges"]])
    told = refused("annotate", "export", study, "--what", "judged", "-o", tmp_path / "x", code=3)
    assert f"equipoise compare {study}" in told
    assert not tmp_path.joinpath("x").exists()

    _, out, _ = run("compare", study)
    fine("annotate", "export", study, "--what", "judged", "-o", tmp_path / "judged.csv")
    rows = list(_table(tmp_path / "judged.csv"))
    late = json.loads(run("grade", study, "--json")[1])
    assert late["is_unblinded"] is True
    shares = {one["judge"]: one["verdicts"] for one in late["judges"]}
    counted = _best_of(rows)
    for judge, verdicts in shares.items():
        for name, verdict in verdicts.items():
            for arm, share in verdict["shares"].items():
                assert counted[judge, name, arm] == pytest.approx(share)
    of_unit = {(row["unit"], row["arm"]) for row in rows if _is_best(row, "reader")}
    assert of_unit == {
        *(("u000", "alpha-arm"), ("u000", "gamma-arm")),
        *(("u001", "beta-arm"), ("u002", "beta-arm")),
    }
    fine("annotate", "export", study, "--what", "judged", "--format", "jsonl", "-o", tmp_path / "j")
    assert [row["arm"] for row in lines_of(tmp_path / "j")] == [row["arm"] for row in rows]
    assert "ranking.json" in out


@pytest.mark.requirement("PIL-74")
def test_scores_counted_from_the_table_are_those_of_the_ranking(
    study: Path, tmp_path: Path
) -> None:
    run("compare", study)
    table = tmp_path / "joined.csv"
    fine("annotate", "export", study, "--what", "joined", "-o", table)
    shown: dict[str, int] = defaultdict(int)
    score: dict[str, int] = defaultdict(int)
    for row in _table(table):
        if row["kind"] == "study":
            shown[row["arm"]] += 1
            score[row["arm"]] += {"best": 1, "worst": -1}.get(row["answer"], 0)
    ranking = json.loads(run("report", study, "--format", "json")[1])
    arms = {one["arm"]: one for one in ranking["axes"][0]["people"]["arms"]}
    assert {arm: one["shown"] for arm, one in arms.items()} == shown
    assert {arm: one["score"] for arm, one in arms.items()} == {
        arm: pytest.approx(score[arm] / n) for arm, n in shown.items()
    }


def test_what_has_no_table_of_votes_is_refused(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "votes"
    words = ("annotate", "export", study, "--what", "judgements", "-o", out)
    assert "csv or jsonl" in refused(*words, "--format", "potato")
    fine(*words)
    assert "stands there already" in refused(*words)
    unasked = write_study(tmp_path / "unasked", outputs(2, _ARMS), arms=_ARMS, more="set_size: 3\n")
    words = ("annotate", "export", unasked, "--what", "judgements", "-o", tmp_path / "none")
    assert "is not sealed" in refused(*words, code=3)
    run("plan", unasked)
    run("seal", unasked)
    assert "no judge was asked yet" in refused(*words, code=3)


def _table(path: Path) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(path.read_text(encoding="utf-8").splitlines())


def _is_best(row: dict[str, str], judge: str) -> bool:
    return row["judge"] == judge and row["answer"] == "best"


def _best_of(rows: list[dict[str, str]]) -> dict[tuple[str, str, str], float]:
    """Share of a judge's repeats on a set in which an arm's text was the best."""
    seen: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for row in rows:
        seen[row["judge"], row["set"], row["arm"]].append(row["answer"] == "best")
    return {key: sum(said) / len(said) for key, said in seen.items()}
