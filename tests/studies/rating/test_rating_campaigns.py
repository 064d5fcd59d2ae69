"""A campaign goes through with made-up annotators and with one person in a terminal."""

import json
import re
import sqlite3
from pathlib import Path
from shutil import copytree

import pytest

from studies.rating.rating_commands import fine, lines_of, outputs, refused, run, write_study

_ARMS = ("m0", "m1", "m2", "m3")
_PEOPLE = "annotators: [{name: ann}, {name: bob}, {name: cid}]\n"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of 24 units with its campaign, and nobody asked yet."""
    study = write_study(
        tmp_path_factory.mktemp("campaign") / "study",
        outputs(24, _ARMS, n_clusters=6),
        arms=_ARMS,
        more=_PEOPLE + "checks: {silent: 4, need: 3, loud: 1, tutorial: 1, equal: 2}\n",
    )
    for words in (("plan",), ("seal",), ("annotate", "make")):
        fine(*words, study)
    return study


@pytest.fixture(scope="module")
def simulated(ready: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, rated by made-up annotators who prefer m3 and dislike m0."""
    study = copytree(ready, tmp_path_factory.mktemp("simulated") / "study")
    said = fine("annotate", "simulate", study, "--worth", "m3=2", "--worth", "m0=-2")
    assert said.startswith("simulated: ")
    return study


def test_made_up_answers_say_so_everywhere(simulated: Path) -> None:
    status = fine("annotate", "status", simulated)
    assert re.search(r"^simulated: \d+ answers were given by a program", status, re.MULTILINE)
    assert "simulated" in fine("annotate", "collect", simulated)
    (archive,) = simulated.joinpath("archive").iterdir()
    assert json.loads(archive.joinpath("archive.json").read_bytes())["is_simulated"] is True
    answers = [line["body"] for line in lines_of(archive / "answers.jsonl")]
    assert {one["is_simulated"] for one in answers} == {True}
    (source,) = {one["source"] for one in answers}
    assert source.startswith("simulated: mind ")
    assert not [arm for arm in _ARMS if arm in source]
    told = fine("compare", simulated)
    assert "Simulated ratings" in told
    assert re.search(r"^\+ m3 is better than m0$", told, re.MULTILINE)
    assert "people agree on the best: " in told
    assert not re.search(r"^[#>|]|`", told, re.MULTILINE)
    (html,) = simulated.glob("comparisons/*/report/index.html")
    assert "Against the baseline: " in html.read_text(encoding="utf-8")
    (page,) = simulated.glob("comparisons/*/report/report.md")
    assert "go to 0 where one arm clearly wins" in page.read_text(encoding="utf-8")
    fine("verify", simulated)


def test_other_minds_and_worths_that_are_no_numbers_are_refused(simulated: Path) -> None:
    same = ("annotate", "simulate", simulated, "--worth", "m0=-2", "--worth", "m3=2")
    assert "nothing new" in fine(*same)
    assert "has answered with other worths" in refused(*same, "--worth", "m1=1", code=3)
    for value in ("nan", "inf", "-inf", "much"):
        assert "ARM=NUMBER" in refused(*same, "--worth", f"m1={value}", code=2)
    assert "counted with" in refused(*same, "--reliability", "nan", code=2)


@pytest.mark.requirement("PIL-69")
def test_a_planted_order_is_found_through_the_whole_study(simulated: Path) -> None:
    fine("annotate", "collect", simulated)
    fine("compare", simulated)
    (ranking,) = simulated.glob("comparisons/*/ranking.json")
    found = json.loads(ranking.read_bytes())
    (axis,) = found["axes"]
    scores = {one["arm"]: one["score"] for one in axis["people"]["arms"]}
    assert max(scores, key=lambda arm: scores[arm]) == "m3"
    assert min(scores, key=lambda arm: scores[arm]) == "m0"


def test_status_tells_progress_checks_and_agreement_and_names_no_arm(simulated: Path) -> None:
    said = fine("annotate", "status", simulated)
    assert not [arm for arm in _ARMS if arm in said]
    assert re.search(r"^  ann: 34 of 34; .*silent 4 of 4 right", said, re.MULTILINE)
    assert "24 sets judged, 24 by two or more" in said
    assert re.search(r"best: raw 0\.\d\d, chance 0\.25, beyond chance 0\.\d\d \(interval", said)
    told = json.loads(fine("annotate", "status", simulated, "--json"))
    assert told["n_simulated"] >= 102  # a wrong answer to a loud check is asked again
    assert "code" not in "".join(told["people"][0])


def test_collecting_appends_what_is_new_and_never_takes_back(
    simulated: Path, tmp_path: Path
) -> None:
    study = copytree(simulated, tmp_path / "study")
    fine("annotate", "collect", study)
    (told,) = re.findall(r"0 new of (\d+) answers", fine("annotate", "collect", study))
    n = int(told)
    with sqlite3.connect(study / "campaign" / "answers.sqlite") as database:
        database.execute("DROP TRIGGER IF EXISTS answers_delete")
        for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'answers'"
        ).fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("DELETE FROM answers WHERE seq = ?", (n,))
    code, _, err = run("annotate", "collect", study)
    assert code == 1
    assert f"has {n - 1} answers, and {n} were archived" in err


@pytest.mark.requirement("PIL-70")
def test_one_person_rates_in_a_terminal_and_goes_on_later(ready: Path, tmp_path: Path) -> None:
    study = copytree(ready, tmp_path / "study")
    said = fine(
        "annotate", "rate", study, "--annotator", "ann", given="s\n1 1\n1 9\nx\n?\n1 2\nq\n"
    )
    for told in ("practice", "cannot be both", "texts 1 to 4", "write 1 4, u", "the fourth worst"):
        assert told in said
    assert "2 of 34 done" in said
    said = fine("annotate", "rate", study, "--annotator", "ann", given="u\n2 1\n3 4\nq\n")
    assert "set 3 of 34" in said
    assert "3 of 34 done" in said
    assert "did you mean 'ann'" in refused("annotate", "rate", study, "--annotator", "anne")
    everything = "".join("1 4\n4 1\n2 1\n3 1\n" for _ in range(60))
    said = fine("annotate", "rate", study, "--annotator", "ann", given=everything)
    assert "all 34 sets are done" in said
    fine("annotate", "collect", study)
    (archive,) = study.joinpath("archive").iterdir()
    answers = [line["body"] for line in lines_of(archive / "answers.jsonl")]
    assert [one.get("kind", "given") for one in answers[:5]] == [
        *("skipped", "given", "undone", "given", "given")
    ]
    assert {one["source"] for one in answers} == {"terminal"}
    assert all(one["annotator"] == "ann" for one in answers)
    assert "people have answered" in refused("annotate", "simulate", study, code=3)


@pytest.mark.requirement("PIL-32")
def test_a_loud_check_is_asked_again_with_its_warning(ready: Path, tmp_path: Path) -> None:
    study = copytree(ready, tmp_path / "study")
    checks = json.loads(study.joinpath("campaign", "checks.json").read_bytes())
    mine = [
        one["packet"]
        for one in lines_of(study / "campaign" / "assignments.jsonl")
        if one["annotator"] == "bob"
    ]
    place = next(n for n, packet in enumerate(mine) if checks.get(packet, {}).get("kind") == "loud")
    worst = checks[mine[place]]["worst"] + 1
    wrong, right = (1, 2) if worst != 2 else (2, 1), (1 if worst != 1 else 2, worst)
    before = "s\n" + "1 2\n" * (place - 1)
    typed = f"{before}{wrong[0]} {wrong[1]}\n{right[0]} {right[1]}\nq\n"
    said = fine("annotate", "rate", study, "--annotator", "bob", given=typed)
    assert said.count("are in disorder: it is the worst") == 1
    assert f"{place + 1} of 34 done" in said
    assert re.search(r"loud 0 of 1 right, 1 wrong tries", fine("annotate", "status", study))


def test_pairs_are_rated_by_one_number_or_two_and_agreement_stands_once(tmp_path: Path) -> None:
    arms = ("on", "off")
    people = "annotators: [{name: ann}, {name: bob}, {name: cy}]\nretest: 0\n"
    study = write_study(tmp_path / "pairs", outputs(2, arms), arms=arms, more=people)
    for words in (("plan",), ("seal",), ("annotate", "make")):
        fine(*words, study)
    said = fine("annotate", "rate", study, "--annotator", "ann", given="?\n7 8 9\n1 2\n2\n")
    assert "1 or 2   the first text is better" in said
    assert "write 1 or 2, u" in said
    assert "all 2 sets are done" in said
    for name in ("bob", "cy"):
        fine("annotate", "rate", study, "--annotator", name, given="1\n2 1\n")
    status = fine("annotate", "status", study)
    assert "  better: raw " in status
    assert "worst" not in status


def test_what_is_no_rating_study_and_no_action_is_said(tmp_path: Path) -> None:
    fine("init", "loss", tmp_path / "L")
    for action in ("make", "status", "collect"):
        assert "L is a loss study: people rate nothing in it" in refused(
            "annotate", action, tmp_path / "L"
        )
    assert "did you mean 'equipoise compare'" in refused("annotate", "compare", tmp_path / "L")
    assert "did you mean 'collect'" in refused("annotate", "colect", tmp_path / "L")
