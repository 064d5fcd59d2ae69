"""What stands beside the pooled ranking: each language, and people by what they believe."""

from pathlib import Path

from equipoise.records.answer import AnswerKind
from equipoise.records.rating_plan import RatingSet
from equipoise.studies.rating.comparing import compare
from studies.rating.rated import Rated, always


def test_each_language_stands_beside_all_together_and_says_no_word(tmp_path: Path) -> None:
    def tells(_rng: object, one: RatingSet, arms: tuple[str, ...]) -> tuple[int, int]:
        is_ru = int(one.unit[1:]) % 2
        best, worst = ("C3", "C0") if is_ru else ("C0", "C3")
        return arms.index(best), arms.index(worst)

    made = Rated(n_units=40, langs=lambda unit: "ru" if int(unit[1:]) % 2 else "de")
    for who in ("ann", "bo", "cy"):
        made.asks(who, tells)
    found = compare(made.write(tmp_path / "study"))
    axis = found.ranking.axis("style")
    assert axis.people is not None
    pooled = {(p.arm, p.against): p for p in axis.people.pairs}["C3", "C0"]
    assert pooled.delta == 0.0
    apart = {one.language: one.estimate for one in axis.by_language}
    assert sorted(apart) == ["de", "ru"]
    for language, sign in (("de", -2.0), ("ru", 2.0)):
        pair = {(p.arm, p.against): p for p in apart[language].pairs}["C3", "C0"]
        assert (pair.delta, pair.word) == (sign, "")
        assert (apart[language].n_units, apart[language].n_answers) == (20, 60)
    for name in ("report/index.html", "report/report.md"):
        assert "Scores by language" in found.files[name].decode()


def test_scores_stand_by_who_people_believe_wrote_the_texts(tmp_path: Path) -> None:
    made = Rated(n_units=12)
    told = {"ann": ("C3", "people"), "bo": ("C0", "machines: style of a robot"), "cy": ("C3", "")}
    for who, (best, guess) in told.items():
        made.asks(who, always(best, "C1"))
        if guess:
            made.says(who, "", kind=AnswerKind.GUESSED, guess=guess)
    found = compare(made.write(tmp_path / "study"))
    axis = found.ranking.axis("style")
    by_guess = {
        one.guess: (one.annotators, {a.arm: a.score for a in one.estimate.arms})
        for one in axis.by_guess
    }
    assert {guess: who for guess, (who, _) in by_guess.items()} == {
        "people": ("ann",), "machines": ("bo",), "": ("cy",),
    }  # fmt: skip
    assert by_guess["people"][1]["C3"] == by_guess["machines"][1]["C0"] == 1.0
    for name in ("report/index.html", "report/report.md"):
        assert "Scores by belief" in found.files[name].decode()
