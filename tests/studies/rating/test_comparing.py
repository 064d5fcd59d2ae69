"""A rating study from its answers to ranking.json and its pages."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from equipoise.blind.keys import write_keys
from equipoise.cli import commands
from equipoise.records.answer import AnswerKind
from equipoise.records.codec import encode
from equipoise.records.rating_plan import ChecksPlan, RatingSet, SetKind
from equipoise.studies.rating.comparing import RatingCompared, compare
from house.schema_files import SCHEMAS
from studies.rating.rated import ARMS, SECRET, Rated, always, checks, feeling, first_and_second

WORTH = dict(zip(ARMS, (0.0, 0.4, 1.2, 2.4), strict=True))


def _by_hand() -> Rated:
    """Three people on six units, every answer written down."""
    made = Rated(n_units=6)
    told = {"ann": "C3 C0", "bo": "C3 C0", "cy": "C2 C0"}
    for who, text in told.items():
        best, worst = text.split()
        made.asks(who, always(best, worst))
    return made


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> RatingCompared:
    """Three careful annotators and one who guesses, with silent checks and a retest."""
    plan = {"checks": ChecksPlan(n_silent=8, need=6)}
    made = Rated(n_units=40, plan=plan)
    again = [
        RatingSet(
            id=f"again-{n}",
            axis="style",
            unit=f"u{n:03d}",
            arms=ARMS,
            kind=SetKind.RETEST,
            of=f"style-{n:03d}",
        )
        for n in range(4)
    ]
    made.sets += [*checks(8), *again]
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling(WORTH))
    made.asks("guess", first_and_second())
    return compare(made.write(tmp_path_factory.mktemp("rated") / "study"))


@pytest.mark.requirement("PIL-31")
def test_scores_are_those_counted_by_hand(tmp_path: Path) -> None:
    axis = compare(_by_hand().write(tmp_path / "study")).ranking.axis("style")
    assert axis.people is not None
    scores = {arm.arm: (arm.best, arm.worst, arm.shown, arm.score) for arm in axis.people.arms}
    assert scores == {
        "C0": (0, 18, 18, -1.0),
        "C1": (0, 0, 18, 0.0),
        "C2": (6, 0, 18, pytest.approx(1 / 3)),
        "C3": (12, 0, 18, pytest.approx(2 / 3)),
    }
    pair = {(p.arm, p.against): p for p in axis.people.pairs}["C3", "C0"]
    assert pair.delta == pytest.approx(5 / 3)
    assert pair.word == "better"
    # every unit says the same: the limits are guarded and never of zero width
    assert pair.lo is not None
    assert pair.hi is not None
    assert pair.hi - pair.lo > 0.5
    assert (pair.won, pair.lost) == (18.0, 0.0)
    # always worst: no finite strength, and no big number in its place
    assert pair.logit is None
    assert "never" in pair.logit_why
    assert axis.agreement[0].raw.value == pytest.approx(1 / 3)
    assert axis.agreement[0].primary.value == pytest.approx((1 / 3 - 1 / 4) / (3 / 4))
    assert axis.agreement[1].raw.value == 1.0


@pytest.mark.requirement("PIL-31")
def test_planted_order_is_found_and_what_cannot_be_told_is_said(found: RatingCompared) -> None:
    axis = found.ranking.axis("style")
    assert axis.people is not None
    assert [arm.arm for arm in sorted(axis.people.arms, key=lambda a: -(a.score or 0))] == [
        "C3",
        "C2",
        "C1",
        "C0",
    ]
    words = {(p.arm, p.against): p.word for p in axis.people.pairs}
    assert words["C3", "C0"] == words["C2", "C0"] == words["C3", "C2"] == "better"
    assert ("C3",) in axis.people.groups
    for pair in axis.people.pairs:
        assert "registered mde 0.3" in pair.said


def test_who_fails_the_checks_is_left_out_and_shown_with_and_without(found: RatingCompared) -> None:
    axis = found.ranking.axis("style")
    out = {one.annotator: one for one in axis.annotators}
    assert [name for name, one in out.items() if one.is_excluded] == ["guess"]
    assert (out["ann"].silent_right, out["ann"].silent_seen) == (8, 8)
    assert axis.people is not None
    assert axis.people_all is not None
    assert (axis.people.n_answers, axis.people_all.n_answers) == (120, 160)
    assert out["guess"].n_retest == 4
    assert out["ann"].retest_best is not None
    assert axis.people_all.places[0].chosen[0] > axis.people.places[0].chosen[0]


def _two_axes(fidelity: dict[str, float]) -> Rated:
    rules = (
        {"arm": "C3", "axis": "style", "is": "superior", "margin": 0.0},
        {"arm": "C3", "axis": "fidelity", "is": "non-inferior", "margin": 0.5},
    )
    made = Rated(n_units=60, axes=("style", "fidelity"), plan={"rules": rules})
    style = [one for one in made.sets if one.axis == "style"]
    other = [one for one in made.sets if one.axis == "fidelity"]
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling(WORTH), style)
        made.asks(who, feeling(fidelity), other)
    return made


@pytest.mark.parametrize(
    ("fidelity", "word"),
    [
        ({"C0": 0.0, "C1": 0.0, "C2": 0.0, "C3": 0.0}, "better"),
        ({"C0": 2.0, "C1": 1.0, "C2": 0.0, "C3": -1.0}, "worse"),
        ({"C0": 0.6, "C1": 0.0, "C2": 0.0, "C3": 0.0}, "cannot tell"),
    ],
)
@pytest.mark.requirement("PIL-30")
def test_an_arm_has_to_win_on_one_axis_and_lose_nothing_on_the_other(
    tmp_path: Path, fidelity: dict[str, float], word: str
) -> None:
    ranking = compare(_two_axes(fidelity).write(tmp_path / "study")).ranking
    assert ranking.rules[0].word == word
    assert [one.promise for one in ranking.rules[0].promises] == ["superior", "non-inferior"]
    assert ranking.axis("style").people != ranking.axis("fidelity").people


@pytest.mark.requirement("PIL-28")
@pytest.mark.requirement("X-P22")
def test_one_annotator_decides_nothing_and_no_kappa_stands_anywhere(tmp_path: Path) -> None:
    made = Rated(n_units=40)
    made.asks("ann", feeling(WORTH))
    found = compare(made.write(tmp_path / "study"))
    axis = found.ranking.axis("style")
    assert axis.mode == "no_kappa"
    assert axis.people is not None
    assert {pair.word for pair in axis.people.pairs} == {"cannot tell"}
    assert "better" in {pair.indicative for pair in axis.people.pairs}
    assert axis.people.groups == ()
    for name, content in found.files.items():
        text = content.decode()
        assert "no-κ mode" in text, name
        assert "Fleiss" not in text
        assert "Brennan-Prediger, chance" not in text


@pytest.mark.requirement("PIL-27")
def test_poor_agreement_asks_for_more_people_and_ranks_nobody(tmp_path: Path) -> None:
    made = Rated(n_units=40, plan={"agreement_min": 0.6})
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling(WORTH))
    found = compare(made.write(tmp_path / "study"))
    axis = found.ranking.axis("style")
    assert axis.mode == "kappa"
    assert axis.blocked is not None
    assert "add annotators or sets" in axis.blocked
    assert axis.people is not None
    assert axis.people.groups == ()
    assert "There is no ranking" in found.files["report/index.html"].decode()


@pytest.mark.requirement("PIL-29")
def test_no_difference_is_never_said_without_what_could_have_been_shown(tmp_path: Path) -> None:
    made = Rated(n_units=40)
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling(dict.fromkeys(ARMS, 0.0)))
    axis = compare(made.write(tmp_path / "study")).ranking.axis("style")
    assert axis.people is not None
    for pair in axis.people.pairs:
        assert pair.word in {"cannot tell", "equivalent"}
        assert pair.power is not None
        assert "probability" in pair.said


def test_what_fits_no_key_is_counted_and_left_out(tmp_path: Path) -> None:
    made = _by_hand()
    made.says("ann", "p-unknown", best=0, worst=1)
    made.says("ann", "", kind=AnswerKind.GUESSED, guess="machine: the second")
    made.says("dee", made.keys[0].packet, best=0, worst=1)
    made.says("ann", made.keys[0].packet, best=0, worst=0)
    made.says("bo", made.keys[6].packet, kind=AnswerKind.UNDONE)
    ranking = compare(made.write(tmp_path / "study")).ranking
    assert ranking.unjoined == {"other_rater": 1, "unknown_packet": 1}
    people = ranking.axis("style").people
    assert people is not None
    assert people.refused == {"best_equals_worst": 1}
    assert people.n_answers == 16
    told = {one.annotator: one for one in ranking.axis("style").annotators}
    assert told["ann"].guess == "machine: the second"
    assert told["bo"].n_undone == 1


def test_identical_texts_are_both_credited_and_pairs_are_analysed_as_pairs(tmp_path: Path) -> None:
    made = Rated(arms=("A", "B", "C"), n_units=12, size=3)
    made.sets = [
        RatingSet(
            id=f"s{n}", axis="style", unit=f"u{n:03d}", arms=("A", "B", "C"), same=(("A", "B"),)
        )
        for n in range(12)
    ]
    for who in ("ann", "bo", "cy"):
        made.asks(who, always("A", "C"))
    people = compare(made.write(tmp_path / "study")).ranking.axis("style").people
    assert people is not None
    scores = {arm.arm: arm.score for arm in people.arms}
    assert scores == {"A": 1.0, "B": 1.0, "C": -1.0}
    pair = {(p.arm, p.against): p for p in people.pairs}["B", "A"]
    assert pair.delta == 0.0


def test_the_same_study_gives_the_same_bytes(tmp_path: Path) -> None:
    study = _by_hand().write(tmp_path / "study")
    assert compare(study).files == compare(study).files
    schema = json.loads((SCHEMAS / "ranking.schema.json").read_bytes())
    ranking = json.loads(compare(study).files["ranking.json"])
    Draft202012Validator(schema).validate(ranking)


def test_verify_names_the_altered_line(tmp_path: Path) -> None:
    study = _by_hand().write(tmp_path / "study")
    run = CliRunner().invoke
    assert run(commands, ["compare", str(study)]).exit_code == 0
    assert run(commands, ["verify", str(study)]).exit_code == 0
    page = next(study.glob("comparisons/*/report/index.html"))
    page.write_bytes(page.read_bytes().replace(b"cannot tell", b"better", 1))
    told = run(commands, ["verify", str(study)])
    assert told.exit_code == 1
    assert "report/index.html:" in told.output
    assert run(commands, ["report", str(study)]).exit_code == 0
    assert run(commands, ["verify", str(study)]).exit_code == 0
    answers = study / "archive" / "rating-1" / "answers.jsonl"
    lines = answers.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b'"worst":', b'"worst":1')
    answers.write_bytes(b"\n".join(lines))
    told = run(commands, ["verify", str(study)])
    assert told.exit_code == 1
    assert "answers.jsonl:3" in told.output


@pytest.mark.requirement("X-P21")
def test_coefficients_are_those_that_suit_who_judged_what_and_bear_their_names(
    tmp_path: Path,
) -> None:
    named = {}
    for case, raters in (("three", "abc"), ("two", "ab"), ("gaps", "abc")):
        made = Rated(n_units=30, plan={"raters_per_set": min(3, len(raters))})
        for who in raters:
            sets = made.sets[:25] if (case, who) == ("gaps", "c") else made.sets
            made.asks(who, feeling(WORTH), sets)
        axis = compare(made.write(tmp_path / case)).ranking.axis("style")
        assert axis.agreement[0].primary.name == "Brennan-Prediger, chance 1/m"
        assert axis.agreement[0].primary.lo is not None
        named[case] = [one.name for one in axis.agreement[0].secondary]
    alpha = "Krippendorff's alpha, nominal"
    assert named == {
        "three": ["Fleiss' kappa", alpha],
        "two": [alpha, "Cohen's kappa"],
        "gaps": [alpha],
    }


@pytest.mark.requirement("X-P8")
def test_sets_of_two_are_paired_comparisons(tmp_path: Path) -> None:
    made = Rated(arms=("A", "B"), n_units=60, size=2)
    for who in ("ann", "bo", "cy"):
        made.asks(who, feeling({"A": 0.0, "B": 1.0}))
    people = compare(made.write(tmp_path / "study")).ranking.axis("style").people
    assert people is not None
    (pair,) = people.pairs
    # a win is one best and one worst: half the difference of scores is the win rate's way from 1/2
    assert pair.delta is not None
    assert pair.delta == pytest.approx(2 * (2 * pair.won / (pair.won + pair.lost) - 1))
    assert pair.logit == pytest.approx(np.log(pair.won / pair.lost), abs=1e-6)
    assert pair.word == "better"
    assert [place.choice for place in people.places] == ["best"]


def test_hostile_names_and_foreign_scripts_stay_text(tmp_path: Path) -> None:
    arms = ("<script>alert(1)</script>", "مترجم", "翻訳\u202eevil", "| a | b |")
    made = Rated(arms=arms, n_units=20, plan={"title": "<img src=x onerror=y>"})
    for who in ("<b>ann</b>", "بو", "cy\u200b"):
        made.asks(who, feeling(dict(zip(arms, (0.0, 1.0, 2.0, 3.0), strict=True))))
    files = compare(made.write(tmp_path / "study")).files
    page, text = (files[name].decode() for name in ("report/index.html", "report/report.md"))
    for shown in (page, text):
        assert "<script>alert" not in shown
        assert "<img" not in shown
        assert "<b>ann" not in shown
        assert "\u202e" not in shown
        assert "\u200b" not in shown
        assert "مترجم" in shown
    assert "| a | b |" not in text


def test_another_key_is_found_by_who_verifies(tmp_path: Path) -> None:
    made = _by_hand()
    study = made.write(tmp_path / "study")
    run = CliRunner().invoke
    assert run(commands, ["compare", str(study)]).exit_code == 0
    keys = study / "campaign" / "keys.jsonl"
    keys.write_bytes(keys.read_bytes().replace(b'"C3"', b'"XX"').replace(b'"C0"', b'"C3"'))
    told = run(commands, ["verify", str(study)])
    assert told.exit_code == 1
    assert "ranking.json:" in told.output
    assert json.loads(compare(study).files["ranking.json"])["unjoined"] == {"other_arms": 18}
    # packets as people had them: each id goes with what the packet shows and its key hides
    keys.write_bytes(b"")
    keys.unlink()
    write_keys(keys, made.keys)
    (study / "campaign" / "secret").write_text(SECRET.hex() + "\n", encoding="utf-8")
    (study / "campaign" / "secret").chmod(0o600)
    packets = b"".join(encode(packet) + b"\n" for packet in made.packets)
    (study / "campaign" / "packets.jsonl").write_bytes(packets)
    assert run(commands, ["compare", str(study)]).exit_code == 0
    assert run(commands, ["verify", str(study)]).exit_code == 0
    one = made.keys[3]
    turned = msgspec.structs.replace(one, arms=one.arms[::-1])
    write_keys(keys, [*made.keys[:3], turned, *made.keys[4:]])
    told = run(commands, ["verify", str(study)])
    assert "campaign/keys.jsonl:4" in told.output
    keys.chmod(0o644)
    told = run(commands, ["verify", str(study)])
    assert told.exit_code == 1
    assert "keys" in told.output
    keys.unlink()
    assert "without them nobody knows" in run(commands, ["verify", str(study)]).output


def test_one_text_twice_shows_who_tells_apart_what_is_the_same(tmp_path: Path) -> None:
    made = Rated(n_units=12)
    copies = [
        RatingSet(
            id=f"copy-{n}",
            axis="style",
            unit=f"u{n:03d}",
            arms=ARMS,
            kind=SetKind.SILENT,
            planted={"C1": made.texts(f"u{n:03d}", "C0")},
        )
        for n in range(2)
    ]
    made.sets += copies
    for who, best, worst in (("ann", "C3", "C0"), ("bo", "C3", "C0"), ("cy", "C0", "C1")):
        made.asks(who, always(best, worst))
    axis = compare(made.write(tmp_path / "study")).ranking.axis("style")
    seen = {one.annotator: (one.copies_apart, one.copies_seen) for one in axis.annotators}
    assert seen == {"ann": (0, 2), "bo": (0, 2), "cy": (2, 2)}
    assert axis.people is not None
    assert axis.people.n_sets == 12
