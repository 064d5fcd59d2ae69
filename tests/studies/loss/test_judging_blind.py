"""Outputs that name their own release reach a judge of a loss study masked; its quotes stand."""

from pathlib import Path

import pytest

from equipoise.studies.loss.blinding import as_written
from studies.loss.executed import answered, grades, trials
from studies.loss.judged import ask, judge, judged_study, judgements


def _signed(unit: str, arm: str, repetition: int) -> dict[str, bytes]:
    left = answered(unit, arm, repetition)
    return left | {"output": left["output"].rstrip() + f" by {arm}.\n".encode()}


@pytest.mark.requirement("ABX-38")
def test_a_release_that_signs_its_answers_is_judged_blind_and_quoted_as_it_wrote(
    tmp_path: Path,
) -> None:
    finds = r"refunded 0 cents by \[masked\]"
    study = judged_study(tmp_path / "study", judge(finds=finds), left=_signed)
    ask(study)
    said = [quote for one in judgements(study, "release-2") for quote in one.quotes.values()]
    assert said
    assert set(said) == {"refunded 0 cents by [masked]"}
    lost = {t.id for t in trials(study, "release-2") if int(t.unit.rpartition("-")[2]) % 2 == 0}
    given = grades(study, "release-2", "v1:tone_off")
    assert {trial for trial, grade in given.items() if grade.value} == lost
    places = [place for trial in lost for place in given[trial].evidence]
    assert {place.quote for place in places} == {"refunded 0 cents by release-2"}


@pytest.mark.parametrize(
    ("quote", "text", "written"),
    [
        ("by [masked].", "made by release-2.", "by release-2."),
        ("[masked] and [masked]", "Grok and Claude.", "Grok and Claude"),
        ("by [masked]!", "made by release-2.", "by [masked]!"),
        ("a [masked] word", "it wrote a [masked] word", "a [masked] word"),
        ("plain", "plain", "plain"),
    ],
)
def test_a_quote_of_a_masked_text_is_found_in_the_text_itself(
    quote: str, text: str, written: str
) -> None:
    assert as_written(quote, text) == written
