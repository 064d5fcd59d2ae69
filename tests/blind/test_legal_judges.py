"""Before anything is spent, the plan knows who may judge what."""

import pytest

from equipoise.blind.families import read_families
from equipoise.blind.legal_judges import LegalComparison, LegalJudges, check_panel, legal_judges
from equipoise.blind.legal_page import legal_lines
from equipoise.errors import InputError
from equipoise.records.rating_plan import Output, Policy, RatingSet, SetKind

MAP = read_families()
PANEL = {
    name: MAP.judge_family(model)
    for name, model in {
        "gem": "gemini-3.1-pro-preview",
        "grok": "grok-4.3",
        "mini": "gpt-5-mini",
    }.items()
}
MODELS: dict[str, tuple[str, ...] | None] = {
    "draft": ("deepseek-v4-flash",),
    "edited": ("deepseek-v4-flash", "grok-4.3"),
    "by-gemini": ("deepseek-v4-flash", "gemini-3.1-pro-preview"),
    "by-mini": ("deepseek-v4-flash", "openai/gpt-5-mini"),
    "human": (),
    "lost": None,
    "strange": ("my-own-model",),
}
OUTPUTS = [
    Output(unit=unit, arm=arm, text="t", lang="ru", models=models)
    for unit in ("u1", "u2")
    for arm, models in MODELS.items()
]


def _sets(*arms: str, **fields: object) -> list[RatingSet]:
    return [
        RatingSet(id=f"{'-'.join(arms)}-{unit}", axis="style", unit=unit, arms=arms, **fields)  # type: ignore[arg-type]  # fields of a case
        for unit in ("u1", "u2")
    ]


def _only(legal: LegalJudges) -> LegalComparison:
    (comparison,) = legal.comparisons
    return comparison


@pytest.mark.requirement("PIL-37")
@pytest.mark.requirement("X-P2")
def test_an_edit_by_a_judges_family_leaves_two_families() -> None:
    legal = legal_judges(PANEL, _sets("draft", "edited"), OUTPUTS, MAP)
    assert legal.allowed["draft-edited-u1"] == ("gem", "mini")
    assert legal.excluded["draft-edited-u1"] == {"grok": "same_family:xai"}
    assert (_only(legal).n_sets, _only(legal).n_two, _only(legal).add) == (2, 2, ())
    page = "\n".join(legal_lines(legal))
    assert "judge `grok` is left out of 2 sets: a model of its own family (xai)" in page
    assert "| style | ru | draft, edited | 2 | 2 | 0 | 0 |  |" in page


@pytest.mark.requirement("X-P2")
@pytest.mark.requirement("PIL-37")
def test_candidates_of_all_judges_families_leave_nobody_and_the_plan_says_whom_to_ask() -> None:
    arms = ("edited", "by-gemini", "by-mini")
    legal = legal_judges(PANEL, _sets(*arms), OUTPUTS, MAP)
    assert set(legal.allowed.values()) == {()}
    assert len(legal.comparisons) == 3
    for one in legal.comparisons:
        assert (one.n_two, one.n_one, one.n_none, one.n_to_add) == (0, 0, 2, 2)
        assert not one.is_evaluable
        assert one.add[0] == "anthropic"
        assert not {"xai", "google", "openai", "deepseek"} & set(one.add)
    page = "\n".join(legal_lines(legal))
    assert page.count("**not evaluable by judges**") == 3
    assert "replace judges by two of: anthropic" in page
    two = {"gem": "google", "claude": "anthropic"}
    fewer = legal_judges(two, _sets(*arms), OUTPUTS, MAP)
    assert {(one.n_one, one.n_to_add) for one in fewer.comparisons} == {(2, 1)}
    assert "add one of: mistral" in "\n".join(legal_lines(fewer))
    again = legal_judges(two | {"le-chat": "mistral"}, _sets(*arms), OUTPUTS, MAP)
    assert all(one.n_two == 2 for one in again.comparisons)


def test_what_nobody_recorded_nobody_may_judge_and_a_persons_text_anybody() -> None:
    lost = legal_judges(PANEL, _sets("human", "lost"), OUTPUTS, MAP)
    assert (_only(lost).n_none, _only(lost).n_unrecorded, _only(lost).n_to_add) == (2, 2, 0)
    assert "record the models of the outputs of 2 sets" in "\n".join(legal_lines(lost))
    strange = legal_judges(PANEL, _sets("human", "strange"), OUTPUTS, MAP)
    assert _only(strange).unknown_models == ("my-own-model",)
    assert "add to families.yaml: my-own-model" in "\n".join(legal_lines(strange))
    assert _only(legal_judges(PANEL, _sets("human", "gone"), OUTPUTS, MAP)).n_none == 2
    human = legal_judges(PANEL, _sets("human", "draft"), OUTPUTS, MAP)
    assert set(human.allowed.values()) == {("gem", "grok", "mini")}


def test_an_arm_that_is_not_shown_because_its_text_is_the_same_counts() -> None:
    legal = legal_judges(
        PANEL, _sets("draft", "human", "edited", same=(("draft", "edited"),)), OUTPUTS, MAP
    )
    assert set(legal.allowed.values()) == {("gem", "mini")}


def test_two_arms_are_one_comparison_in_whatever_order_sets_have_them() -> None:
    sets = [*_sets("draft", "edited", "human"), *_sets("human", "edited", "draft")]
    legal = legal_judges(PANEL, sets, OUTPUTS, MAP)
    assert [(one.first, one.second, one.n_sets) for one in legal.comparisons] == [
        ("draft", "edited", 4),
        ("draft", "human", 4),
        ("edited", "human", 4),
    ]


def test_checks_are_guarded_but_no_comparison() -> None:
    sets = _sets("draft", "spoiled", kind=SetKind.SILENT, planted={"spoiled": "bad"})
    legal = legal_judges(PANEL, sets, OUTPUTS, MAP)
    assert legal.comparisons == ()
    assert legal.allowed["draft-spoiled-u1"] == ("gem", "grok", "mini")


def test_a_judge_that_may_judge_nothing_is_named() -> None:
    legal = legal_judges(PANEL, _sets("draft", "edited"), OUTPUTS, MAP)
    assert any("'grok' (xai) may judge no set" in warning for warning in legal.warnings)


@pytest.mark.requirement("PIL-34")
def test_four_families_are_refused_one_is_a_warning_and_relatives_count_once() -> None:
    assert check_panel(PANEL) == ()
    with pytest.raises(InputError) as caught:
        check_panel(PANEL | {"claude": "anthropic"})
    assert caught.value.code == "too_many_families"
    assert check_panel(PANEL | {"flash": "google"})
    (alone, relatives) = check_panel({"mini": "openai", "big": "openai"})
    assert "one family" in alone
    assert "count once" in relatives
    for judges, code in (({}, "no_judge"), ({"x": ""}, "unknown_family")):
        with pytest.raises(InputError) as caught:
            check_panel(judges)
        assert caught.value.code == code


def test_one_judge_is_told_of_what_its_policy_allows() -> None:
    single = legal_judges({"mini": "openai"}, _sets("draft"), OUTPUTS, MAP, policy=Policy.SINGLE)
    (warning,) = single.warnings
    assert warning.startswith("one judge decides, of the family openai: ")
    assert warning.endswith("; policy panel has room for it")
    sets = [*_sets("draft", "edited"), *_sets("by-mini", "draft")]
    page = legal_lines(legal_judges({"mini": "openai"}, sets, OUTPUTS, MAP, policy=Policy.SINGLE))
    assert "| style | ru | draft, edited | 2 | 0 | 2 | 0 |  |" in page
    assert any("draft, by-mini" in row and "replace judges by one of: " in row for row in page)
