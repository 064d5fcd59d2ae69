"""The family map knows the models in use, refuses the rest, and takes the user's rows."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from equipoise.blind.families import count_families, read_families
from equipoise.errors import InputError

_MAKERS = {  # how the largest catalogue of hosted models names makers -> family
    "ai21": "ai21", "allenai": "allenai", "amazon": "amazon", "anthropic": "anthropic",
    "bytedance-seed": "bytedance", "deepseek": "deepseek", "ibm-granite": "ibm", "meta": "meta",
    "meta-llama": "meta", "microsoft": "microsoft", "minimax": "minimax", "mistralai": "mistral",
    "moonshotai": "moonshot", "nousresearch": "nous", "nvidia": "nvidia", "openai": "openai",
    "qwen": "alibaba", "stepfun": "stepfun", "tencent": "tencent", "writer": "writer",
    "x-ai": "xai", "xiaomi": "xiaomi", "z-ai": "zhipu",
}  # fmt: skip


@pytest.mark.requirement("X-P26")
@pytest.mark.parametrize(
    ("model", "families"),
    [
        ("gemini-3.1-pro-preview", ("google",)),
        ("grok-4.3", ("xai",)),
        ("GPT-5-mini", ("openai",)),
        ("o3", ("openai",)),
        ("openrouter/x-ai/grok-4.3:batch", ("xai",)),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", ("anthropic",)),
        ("accounts/fireworks/models/deepseek-v4-pro", ("deepseek",)),
        ("qwen2.5:7b-instruct-q4_K_M", ("alibaba",)),
        ("ollama/mixtral:8x7b", ("mistral",)),
        ("deepseek-r1-distill-llama-70b", ("deepseek", "meta")),
        ("nvidia/llama-3.3-nemotron-super-49b-v1", ("meta", "nvidia")),
        ("gpt-neox-20b", ("eleutherai",)),
        ("o3000", ()),
        ("my-own-model", ()),
        ("", ()),
        ("openai/", ()),
    ],
)
def test_an_id_leads_to_its_family(model: str, families: tuple[str, ...]) -> None:
    assert read_families().of(model) == families


@pytest.mark.skipif(find_spec("genai_prices") is None, reason="genai-prices is not installed")
def test_the_shipped_table_agrees_with_a_catalogue_of_what_is_hosted() -> None:
    from genai_prices.data import providers  # noqa: PLC0415  only where it is installed

    table = read_families()
    ids = {m.id for provider in providers if provider.id == "openrouter" for m in provider.models}
    made = {name: _MAKERS.get(name.split("/")[0]) for name in ids if name.count("/") == 1}
    wrong = {
        name: table.of(name)
        for name, family in made.items()
        if family and table.of(name) and family not in table.of(name)
    }
    known = [name for name, family in made.items() if family and table.of(name)]
    unknown = [name for name, family in made.items() if family and not table.of(name)]
    assert wrong == {}
    assert len(known) > 200
    assert len(unknown) < len(known) / 20, unknown


@pytest.mark.requirement("X-P26")
def test_a_model_that_nobody_knows_may_not_judge_until_the_user_says_what_it_is(
    tmp_path: Path,
) -> None:
    own = tmp_path / "families.yaml"
    shipped = read_families(own)
    with pytest.raises(InputError, match=r"families\.yaml") as caught:
        shipped.judge_family("my-own-model")
    assert caught.value.code == "unknown_family"
    own.write_text(
        'version: "2026-12-01"\nextends: shipped\nfamilies:\n'
        '  - {id: meta, models: ["my-own-*"]}\n  - {id: house, models: [acme/in-house-1]}\n'
    )
    table = read_families(own)
    assert table.judge_family("my-own-model") == "meta"
    assert table.of("llama-3.1-8b") == ("meta",)
    assert (table.of("acme/in-house-1"), table.of("in-house-1")) == (("house",), ())
    assert table.sha256 != shipped.sha256
    assert "2026-12-01" in table.version


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("families: []", "version"),
        ('version: "1"\nfamilies:\n  - {id: a, models: ["*"]}', "families.yaml:3"),
        ('version: "1"\nfamilies:\n  - {id: a, modles: [ab]}', "models"),
        ('version: "1"\nfamilies:\n  - {id: a, models: []}', "has no models"),
        ('version: "1"\nfamilies:\n  - {id: a, models: [ab]}\n  - {id: a, models: [cd]}', "twice"),
        ('version: "1"\nfamilies:\n  - {id: a+b, models: [ab]}', "a[+]b"),
        ('version: "1"\nextends: other', "extends"),
        ('version: "1"\nfamilies:\n  - {id: a, models: ab}', "list"),
        ("- a", "no table"),
    ],
)
def test_a_faulty_table_is_refused(tmp_path: Path, text: str, wanted: str) -> None:
    path = tmp_path / "families.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=wanted):
        read_families(path)


@pytest.mark.requirement("PIL-34")
def test_relatives_count_once() -> None:
    assert count_families(["openai", "openai"]) == 1
    assert count_families(["deepseek", "meta"]) == 2
    assert count_families(["deepseek", "meta", "deepseek+meta"]) == 1
