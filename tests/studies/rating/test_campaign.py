"""From the starter to a campaign: what people see, what is hidden, and what each is asked."""

import json
import re
import stat
from collections import Counter
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from shutil import copytree

import pytest

from equipoise.cli.doctor_rating import of_rating
from studies.rating.rating_commands import fine, lines_of, refused, run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The starter with its campaign, and what `annotate make` printed."""
    study = tmp_path_factory.mktemp("rating") / "study"
    fine("init", "rating", study)
    fine("plan", study)
    fine("seal", study)
    return study, fine("annotate", "make", study)


@pytest.mark.requirement("PIL-25")
def test_what_people_see_names_no_arm_and_no_unit(made: tuple[Path, str]) -> None:
    study, _ = made
    shown = study.joinpath("campaign", "packets.jsonl").read_text(encoding="utf-8")
    lists = study.joinpath("campaign", "assignments.jsonl").read_text(encoding="utf-8")
    hidden = ("guided", "edited", "draft", '"plain"', "zh-01", "kettle", "-check-", "-again")
    assert [one for one in hidden if one in shown or one in lists] == []
    keys = lines_of(study / "campaign" / "keys.jsonl")
    maps = {(key["set"], key["who"]): tuple(key["arms"]) for key in keys}
    assert len({arms for (name, _), arms in maps.items() if name.startswith("style-0")}) == 4


@pytest.mark.requirement("PIL-26")
def test_each_axis_is_a_task_of_its_own(made: tuple[Path, str]) -> None:
    study, _ = made
    packets = {one["id"]: one for one in lines_of(study / "campaign" / "packets.jsonl")}
    tasks = lines_of(study / "campaign" / "assignments.jsonl")
    for name, axes in (("anna", 2), ("boris", 2), ("vera", 1)):
        mine = [packets[task["packet"]]["axis"] for task in tasks if task["annotator"] == name]
        changes = sum(one != other for one, other in pairwise(mine))
        assert (len(set(mine)), changes) == (axes, axes - 1)
    for one in packets.values():
        docs = [doc["name"] for doc in one.get("docs", [])]
        assert docs == (["anchor"] if one["axis"] == "fidelity" else [])
    first = {task["annotator"]: packets[task["packet"]]["axis"] for task in reversed(tasks)}
    assert first["anna"] != first["boris"]


def test_everyone_sees_another_order_and_every_arm_equally_often_at_each_place(
    made: tuple[Path, str],
) -> None:
    study, _ = made
    keys = lines_of(study / "campaign" / "keys.jsonl")
    seen = [key for key in keys if re.fullmatch(r"\w+-\d{4}", key["set"])]
    for who in ("anna", "boris", "vera"):
        at = Counter(
            (key["set"][:5], arm, place)
            for key in seen
            if key["who"] == who
            for place, arm in enumerate(key["arms"])
        )
        assert set(at.values()) == {2}
    by_set: dict[str, list[tuple[str, ...]]] = {}
    for key in seen:
        by_set.setdefault(key["set"], []).append(tuple(key["arms"]))
    assert all(len(set(orders)) == len(orders) for orders in by_set.values())


def test_a_retest_comes_late_in_another_order(made: tuple[Path, str]) -> None:
    study, _ = made
    keys = {key["packet"]: key for key in lines_of(study / "campaign" / "keys.jsonl")}
    tasks = lines_of(study / "campaign" / "assignments.jsonl")
    place = {(task["annotator"], keys[task["packet"]]["set"]): task["n"] for task in tasks}
    again = [key for key in keys.values() if key["set"].endswith("-again")]
    assert Counter(key["who"] for key in again) == {"anna": 4, "boris": 4, "vera": 2}
    for key in again:
        first = key["set"].removesuffix("-again")
        before = next(k for k in keys.values() if (k["set"], k["who"]) == (first, key["who"]))
        assert key["repeat"] == 2
        assert key["arms"] != before["arms"]
        assert place[key["who"], key["set"]] > place[key["who"], first] + 1


@pytest.mark.requirement("PIL-32")
def test_checks_of_three_kinds_are_kept_where_only_the_owner_reads(made: tuple[Path, str]) -> None:
    study, _ = made
    checks = json.loads(study.joinpath("campaign", "checks.json").read_bytes())
    packets = {one["id"]: one for one in lines_of(study / "campaign" / "packets.jsonl")}
    kinds = Counter(check["kind"] for check in checks.values())
    assert kinds == {"silent": 15, "loud": 5, "tutorial": 5}
    tasks = lines_of(study / "campaign" / "assignments.jsonl")
    first = {task["annotator"]: task["packet"] for task in reversed(tasks)}
    assert {checks[packet]["kind"] for packet in first.values()} == {"tutorial"}
    originals = {line["text"] for line in lines_of(study / "outputs.jsonl")}
    for packet, check in checks.items():
        texts = [option["text"] for option in packets[packet]["options"]]
        assert (check["warning"] != "") == (check["kind"] != "silent")
        if check["worst"] is None:
            assert len(set(texts)) == len(texts) - 1
        else:
            odd = [place for place, text in enumerate(texts) if text not in originals]
            assert odd == [check["worst"]]
            words = sorted(texts[check["worst"]].split())
            assert words in [sorted(text.split()) for text in originals]
    for name in ("checks.json", "keys.jsonl", "tokens.json", "secret"):
        assert stat.S_IMODE(study.joinpath("campaign", name).stat().st_mode) == 0o600


def test_tokens_are_told_once_and_only_their_hashes_are_kept(made: tuple[Path, str]) -> None:
    study, said = made
    told = dict(re.findall(r"^  (\w+): /[ad]/(\S+)$", said, re.MULTILINE))
    kept = json.loads(study.joinpath("campaign", "tokens.json").read_bytes())
    assert set(told) == {"dashboard", "anna", "boris", "vera"}
    told[""] = told.pop("dashboard")
    assert kept == {name: sha256(token.encode()).hexdigest() for name, token in told.items()}
    assert all(len(token) >= 43 for token in told.values())
    for path in study.rglob("*"):
        if path.is_file():
            assert not any(token.encode() in path.read_bytes() for token in told.values())


def test_a_campaign_is_made_once_and_links_are_renewed_one_by_one(made: tuple[Path, str]) -> None:
    study, _ = made
    before = {path.name: path.read_bytes() for path in study.joinpath("campaign").iterdir()}
    assert "--renew NAME" in refused("annotate", "make", study, code=3)
    assert "no annotator 'ana'; did you mean 'anna'" in refused(
        "annotate", "make", study, "--renew", "ana"
    )
    new = fine("annotate", "make", study, "--renew", "vera").rpartition("/")[2].strip()
    after = {path.name: path.read_bytes() for path in study.joinpath("campaign").iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"made.json", "tokens.json"}
    assert json.loads(after["tokens.json"])["vera"] == sha256(new.encode()).hexdigest()


def test_the_same_study_gives_the_same_sets_under_other_names(
    made: tuple[Path, str], tmp_path: Path
) -> None:
    study, _ = made
    fine("init", "rating", tmp_path)
    for verb in ("plan", "seal"):
        fine(verb, tmp_path)
    fine("annotate", "make", tmp_path)
    for name in ("plan.json", "RATING-PLAN.md"):
        assert tmp_path.joinpath(name).read_bytes() == study.joinpath(name).read_bytes()
    mine, theirs = (lines_of(folder / "campaign" / "keys.jsonl") for folder in (tmp_path, study))
    assert not {key["packet"] for key in mine} & {key["packet"] for key in theirs}
    assert Counter((k["who"], k["set"], *k["arms"]) for k in mine) == Counter(
        (k["who"], k["set"], *k["arms"]) for k in theirs
    )


def test_nobody_is_asked_before_the_plan_is_sealed_or_after_it_was_changed(tmp_path: Path) -> None:
    fine("init", "rating", tmp_path)
    fine("plan", tmp_path)
    assert "is not sealed" in refused("annotate", "make", tmp_path, code=3)
    fine("seal", tmp_path)
    lines = tmp_path.joinpath("outputs.jsonl").read_bytes().splitlines(keepends=True)
    tmp_path.joinpath("outputs.jsonl").write_bytes(b"".join(reversed(lines)))
    code, _, err = run("annotate", "make", tmp_path)
    assert code == 1
    assert "outputs.jsonl was changed after sealing" in err
    assert not tmp_path.joinpath("campaign").exists()


def test_verbs_that_execute_send_the_reader_of_a_rating_study_on(made: tuple[Path, str]) -> None:
    study, _ = made
    assert "nothing is executed for it" in refused("run", study)
    outputs, app = of_rating(study, [])
    assert outputs.found == "outputs.jsonl, 33 sets can be made of them"
    assert app.name == "annotation app"


def test_a_rating_study_is_amended_by_remarks_and_not_by_other_questions(
    made: tuple[Path, str], tmp_path: Path
) -> None:
    study = copytree(made[0], tmp_path / "study")
    said = fine("amend", study, "--by", "me", "--reason", "anna was ill for a week")
    assert "by me: a remark" in said
    fine("annotate", "rate", study, "--annotator", "vera", given="s\n1 2\n1 2\n1 2\n1 2\nq\n")
    fine("annotate", "collect", study)
    fine("compare", study)
    (page,) = study.glob("comparisons/*/report/index.html")
    assert "anna was ill" in page.read_text(encoding="utf-8")
    fine("verify", study)
    assert "has no threshold.json" in refused(
        "amend", study, "--reason", "why", "--set", "threshold.style=0.5", code=3
    )
    assert "--reason with a sentence" in refused("amend", study, "--reason", " ")


def test_verify_makes_sets_and_campaign_again(made: tuple[Path, str], tmp_path: Path) -> None:
    said = fine("verify", made[0])
    assert "sets and their page follow from study.yaml and the outputs" in said
    assert "packets, lists, checks and keys follow from the plan" in said
    for name, find, put in (
        ("RATING-PLAN.md", b"24 ", b"25 "),
        ("study.yaml", b"mde: 0.5", b"mde: 0.4"),
        ("campaign/packets.jsonl", "Бабушка".encode(), "Дедушка".encode()),
        ("campaign/assignments.jsonl", b'"n":1,', b'"n":9,'),
        ("campaign/checks.json", b'"worst": 1', b'"worst": 0'),
        ("campaign/keys.jsonl", b'"guided"', b'"plain"'),
    ):
        study = copytree(made[0], tmp_path / name.replace("/", "-"))
        content = study.joinpath(name).read_bytes()
        assert find in content
        study.joinpath(name).write_bytes(content.replace(find, put))
        code, out, _ = run("verify", study)
        assert (code, name in out) == (1, True), (name, out)


def test_a_campaign_of_another_plan_is_neither_used_nor_made_over(
    made: tuple[Path, str], tmp_path: Path
) -> None:
    study = copytree(made[0], tmp_path / "study")
    fine("annotate", "rate", study, "--annotator", "vera", given="s\n1 2\nq\n")
    study.joinpath("seal.json").unlink()
    text = study.joinpath("study.yaml").read_text(encoding="utf-8")
    study.joinpath("study.yaml").write_text(text.replace("seed: 1 ", "seed: 2 "), encoding="utf-8")
    fine("plan", study)
    fine("seal", study)
    for action in ("make", "collect", "simulate"):
        assert "was made of another plan" in refused("annotate", action, study, code=3)
    asked = ("annotate", "rate", study, "--annotator", "vera")
    assert "was made of another plan" in refused(*asked, code=3)
    assert "was made of another plan" in refused("annotate", "serve", study, code=3)
    study.joinpath("campaign").rename(tmp_path / "earlier")
    fine("annotate", "make", study)
