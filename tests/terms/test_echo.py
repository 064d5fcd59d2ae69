"""Echo control and injection, against written cases."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.terms.declension import Kind
from equipoise.terms.echo import echo_of
from equipoise.terms.injection import Chunk, Injector, Left, Rules, Term
from equipoise.terms.matching import Matcher, State, Target
from equipoise.terms.modes import exchanged
from equipoise.terms.morphology import Morphology
from equipoise.terms.words import words_of
from shared_data import shared


def test_repeated_glossaries_and_sources_are_found_and_cut() -> None:
    lines = shared("oracles", "human_public.jsonl").read_text("utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["topic"] == "echo"]
    assert len(cases) == 12
    morphology = Morphology()
    for case in cases:
        asked, wanted = case["input"], case["expected"]
        found = echo_of(asked["output"], asked["glossary"], source=asked["source"])
        text = words_of(found.body)
        rendered = [
            target
            for target in asked["glossary"].values()
            if Matcher(Target(text=target, kind=Kind.PLACE), morphology).match(text).state
            is State.MATCH
        ]
        assert found.is_echo is wanted["echo"], case["id"]
        assert (found.kind and found.kind.value) == wanted["echo_kind"], case["id"]
        assert found.body == wanted["body"], case["id"]
        assert (not found.is_echo) is wanted["in_clean_aggregate"], case["id"]
        assert rendered == wanted["rendered_in_body"], case["id"]


@given(st.text(max_size=200))
def test_without_glossary_and_source_nothing_is_an_echo(output: str) -> None:
    found = echo_of(output, {})
    assert found.body == output.strip()
    assert not found.cut


_TEXTS = st.lists(st.text("青灯阁月井河规 ,Rr", max_size=12), min_size=1, max_size=6)


@given(_TEXTS, st.integers(0, 3), st.one_of(st.none(), st.integers(0, 40)))
def test_each_term_is_injected_or_says_why_not_within_the_budget(
    texts: list[str], depth: int, budget: int | None
) -> None:
    keys = ("青灯", "青灯阁", "月井", "河规", "灯")
    terms = [Term(id=key, keys=(key,), target=key * 2) for key in keys]
    rules = Rules(sticky_depth=depth, budget=budget)
    injector = Injector(terms, rules, lambda one: len(one.term.target))
    last: dict[str, int] = {}
    for number, text in enumerate(texts):
        found = injector.inject(Chunk(id=str(number), chapter=1, text=text))
        names = [one.term.id for one in found.injected]
        assert sorted([*names, *found.left]) == sorted(keys)
        assert names == [key for key in keys if key in names]
        assert found.n_tokens == sum(len(one.term.target) for one in found.injected)
        assert budget is None or found.n_tokens <= budget
        last |= {one.term.id: number for one in found.injected if not one.stays}
        for one in found.injected:
            assert one.stays <= depth
            assert one.stays == 0 or budget is not None or last[one.term.id] == number - one.stays
        evicted = [name for name, why in found.left.items() if why is Left.EVICTED]
        assert budget is not None or not evicted


@pytest.mark.requirement("PIL-42")
@given(
    st.lists(st.sampled_from("абвгдежз"), min_size=2, max_size=12),
    st.integers(0, 2**32 - 1),
)
def test_an_exchange_leaves_no_term_its_target(targets: list[str], seed: int) -> None:
    if 2 * max(map(targets.count, targets)) > len(targets):
        return
    terms = [Term(id=str(n), keys=(str(n),), target=t) for n, t in enumerate(targets)]
    wrong = exchanged(terms, np.random.default_rng(seed))
    assert all(a.target != b.target for a, b in zip(terms, wrong, strict=True))
    assert sorted(one.target for one in wrong) == sorted(targets)
    assert [one.id for one in wrong] == [one.id for one in terms]
    assert wrong == exchanged(terms, np.random.default_rng(seed))
