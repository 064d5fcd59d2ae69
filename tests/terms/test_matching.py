"""Matching of approved targets, against written cases and against what naive tools do."""

import json

import pytest

from equipoise.errors import Blocked
from equipoise.terms.declension import Kind
from equipoise.terms.matching import Matcher, State, Target
from equipoise.terms.morphology import Morphology
from equipoise.terms.words import words_of
from shared_data import shared

_BEST_PUBLISHED = 92 / 95
"""Right of the decidable cases by the best method that the specification lists."""


@pytest.fixture(scope="module")
def morphology() -> Morphology:
    return Morphology()


def test_declension_is_at_least_as_right_as_the_best_published_method(
    morphology: Morphology,
) -> None:
    lines = shared("oracles", "human_public.jsonl").read_text("utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["topic"] == "declension"]
    right, naive, decidable, flagged = 0, 0, 0, []
    for case in cases:
        given = case["input"]
        target = Target(
            text=given["term"],
            kind=Kind(given["type"]),
            gender=given.get("gender", ""),
            is_case_sensitive=given["case"] == "sensitive",
        )
        found = Matcher(target, morphology).match(words_of(given["text"]))
        if case["expected"] == "ambiguous":
            flagged.append(found.morphology is not None and bool(found.morphology.whys))
            continue
        decidable += 1
        right += found.state.value == case["expected"]
        naive += found.is_base_whole == (case["expected"] == "match")
    told = f"{right} of {decidable} decidable cases right, by base form {naive}"
    assert len(cases) == 67, told
    assert right / decidable >= _BEST_PUBLISHED, told
    assert naive < right, told
    assert all(flagged), "each undecidable case is flagged, whatever is said of it"


@pytest.mark.parametrize(
    ("term", "kind", "gender", "text", "wanted"),
    [
        ("Вэй Лан", Kind.NAME, "m", "Меч отдали Вэй Лану.", State.MATCH),
        ("Вэй Лан", Kind.NAME, "m", "Меч отдали Вэю Лану.", State.MATCH),
        ("Вэй Лан", Kind.NAME, "m", "Меч Вэй Ланы.", State.NO_MATCH),
        ("Николай Ростов", Kind.NAME, "m", "Ждали Николая Ростова.", State.MATCH),
        ("Николай Ростов", Kind.NAME, "m", "Ждали Николаю Ростова.", State.NO_MATCH),
        ("Соловьёв", Kind.SURNAME, "m", "За Соловьевым послали.", State.MATCH),
        ("духовный камень", Kind.TERM, "", "Горсть духовных камней.", State.MATCH),
        ("духовный камень", Kind.TERM, "", "Горсть духовному камнем.", State.NO_MATCH),
        ("Великая стена", Kind.PLACE, "", "Они ждали у Великой стены.", State.MATCH),
    ],
)
def test_cases_of_our_own(
    morphology: Morphology, term: str, kind: Kind, gender: str, text: str, wanted: State
) -> None:
    target = Target(text=term, kind=kind, gender=gender)
    assert Matcher(target, morphology).match(words_of(text)).state is wanted


@pytest.mark.requirement("PIL-46")
def test_stored_forms_are_primary_and_enough_without_the_dictionary(
    morphology: Morphology,
) -> None:
    target = Target(text="Гэнкай", kind=Kind.NAME, forms=("Гэнкая", "д’Гэнкаю"))
    alone = Matcher(target, None)
    both = Matcher(target, morphology)
    for text, state in (
        ("Ждали Гэнкая.", State.MATCH),
        ("Ждали Гэн\u00adкая.", State.MATCH),
        ("Дали дʼГэнкаю.", State.MATCH),
        ("Шли за Гэнкаем.", State.NO_MATCH),
        ("Гэнкаяма молчит.", State.NO_MATCH),
        ("в лесу гэнкая", State.NO_MATCH),
    ):
        one, other = alone.match(words_of(text)), both.match(words_of(text))
        assert one.state is other.state is state, text
        assert one.morphology is None
        assert one.by == other.by == "stored forms"
    disputed = both.match(words_of("Шли за Гэнкаем."))
    assert disputed.is_disputed
    assert disputed.morphology is not None
    assert disputed.morphology.state is State.MATCH
    with pytest.raises(Blocked, match="stored forms"):
        Matcher(Target(text="Гэнкай", kind=Kind.NAME), None)
