"""A rating that says what an output took to make is told from one that says how good it is."""

import pytest

from equipoise.errors import InputError
from equipoise.records.roles import efficiency_fields, refuse_efficiency


@pytest.mark.requirement("ABX-41")
@pytest.mark.parametrize(
    "field",
    [
        "tokens", "n_tokens", "tokens_in", "outputTokens", "total-tokens", "token_count", "cost",
        "cost_usd", "Price", "latency_ms", "latency", "duration_s", "elapsed", "tool_calls",
        "toolCalls", "handoffs", "routing", "usage", "prompt_tokens", "wall_time", "usd",
    ],
)  # fmt: skip
def test_what_an_output_took_is_not_a_raters_to_say(field: str) -> None:
    assert efficiency_fields({"best": 1, field: 3}) == (field,)
    assert efficiency_fields({"extra": [{field: 3}]}) == (f"extra[0].{field}",)
    with pytest.raises(InputError, match="line 3") as caught:
        refuse_efficiency({field: None}, where="line 3")
    assert caught.value.code == "efficiency_in_rating"


def test_what_a_rater_says_is() -> None:
    rating = {
        "seq": 1, "annotator": "ann", "packet": "p-1", "best": 0, "worst": 2, "seconds": 12.5,
        "at": "2026-11-30", "n_actions": 4, "scores": {"accuracy": 1}, "quotes": {"cited": "x"},
        "reason": "cost nothing", "attempt": 1, "used": True, "costume": 1,
    }  # fmt: skip
    assert efficiency_fields(rating) == ()
    refuse_efficiency(rating)
