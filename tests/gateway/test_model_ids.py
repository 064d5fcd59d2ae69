"""A run names one version of a model, or it is refused."""

import anyio
import pytest

from equipoise.errors import InputError
from equipoise.gateway.model_ids import ALIASES, check_model, is_other_model
from every import for_every
from gateway.asking import gateway, scenario

_PINNED = (
    "claude-sonnet-4-5-20250929",
    "claude-opus-4-6",
    "gpt-4o-2024-11-20",
    "gpt-5.1-codex",
    "gemini-2.5-pro",
    "gemini-2.0-flash-001",
    "anthropic/claude-3-5-haiku-20241022",
    "qwen2.5-coder-0.5b-instruct-q4_k_m",
    "scripted-model-1",
)


@pytest.mark.requirement("ABX-46")
@for_every("model", ["", "  ", "sonnet", "latest", "gpt-4", "gpt-5", "opus[1m]"])
def test_a_trial_without_an_explicit_model_is_refused(model: str) -> None:
    async def run() -> None:
        async with gateway(scenario({"say": "hello"})) as held:
            held.open("t1", model)

    with pytest.raises(InputError):
        anyio.run(run)


@pytest.mark.requirement("ABX-46")
def test_every_listed_alias_is_refused_in_any_writing() -> None:
    for name in (name for names in ALIASES.values() for name in names):
        for written in (name, name.upper(), f"openrouter/{name}"):
            with pytest.raises(InputError, match="alias"):
                check_model(written)
    for moving in ("claude-3-7-sonnet-latest", "chatgpt-4o-latest", "llama3.1:latest"):
        with pytest.raises(InputError, match="alias"):
            check_model(moving)


@for_every("model", _PINNED)
def test_an_exact_id_is_taken(model: str) -> None:
    check_model(model)


def test_an_alias_may_be_allowed_but_never_an_empty_name() -> None:
    check_model("sonnet", allowed=("sonnet",))
    with pytest.raises(InputError):
        check_model("", allowed=("",))


@for_every(
    "asked, answered, expected",
    [
        ("gpt-4o", "gpt-4o-2024-11-20", False),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", False),
        ("gemini-2.0-flash", "models/gemini-2.0-flash-001", False),
        ("anthropic/claude-x-1", "claude-x-1", False),
        ("gpt-4o", "gpt-4o-mini", True),
        ("gpt-4o-2024-11-20", "gpt-4o-2024-08-06", True),
        ("claude-opus-4-6", "claude-haiku-4-5", True),
        ("anything", None, False),
        ("anything", "", False),
    ],
)
def test_another_model_is_told_from_its_dated_self(
    asked: str, answered: str | None, expected: bool
) -> None:
    assert is_other_model(asked, answered) is expected
