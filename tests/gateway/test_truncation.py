"""One answer at its token limit voids the batch."""

import pytest

from equipoise.errors import InputError
from equipoise.gateway.truncation import is_void, max_tokens, truncated
from equipoise.records.call import ModelCall


def _call(seq: int, *, is_truncated: bool = False) -> ModelCall:
    return ModelCall(
        trial="t1",
        seq=seq,
        api="openai-chat",
        model_asked="m-1",
        request_sha256="",
        at="2026-03-01T12:00:00+00:00",
        latency_ms=1.0,
        is_truncated=is_truncated,
    )


@pytest.mark.requirement("OUT-39")
def test_one_length_stop_among_many_voids_all() -> None:
    calls = [_call(k) for k in range(1, 36)]
    assert not is_void(calls)
    calls.append(_call(36, is_truncated=True))
    assert is_void(calls)
    assert [call.seq for call in truncated(calls)] == [36]


@pytest.mark.requirement("OUT-39")
def test_the_limit_is_8192_unless_the_environment_says_otherwise() -> None:
    assert max_tokens({}) == 8192
    assert max_tokens({"CS_EVAL_MAX_TOKENS": "16384"}) == 16384
    assert max_tokens({"CS_EVAL_MAX_TOKENS": " "}) == 8192


@pytest.mark.parametrize("given", ["0", "-1", "many", "1.5", "8192 tokens"])
def test_a_limit_that_is_no_number_is_refused(given: str) -> None:
    with pytest.raises(InputError, match="CS_EVAL_MAX_TOKENS"):
        max_tokens({"CS_EVAL_MAX_TOKENS": given})
