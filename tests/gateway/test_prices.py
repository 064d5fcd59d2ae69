"""Costs follow from tokens and a table that names its source; what is not listed has none."""

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

from equipoise.errors import InputError
from equipoise.gateway.prices import (
    FirstOf,
    ListedPrices,
    NoPrices,
    OwnPrices,
    PerMillion,
    read_prices,
)
from equipoise.gateway.wire.facts import Api, Found
from equipoise.gateway.wire.reading import Reading
from equipoise.records.trial import Usage
from every import for_every

_AT = datetime(2026, 3, 1, tzinfo=UTC)
_SONNET = "claude-sonnet-4-5-20250929"


@pytest.mark.parametrize(
    ("vendor", "model", "usage", "usd"),
    [
        # the vendors' price lists: $3, $15, $0.30 and $3.75 for a million; $2.50, $1.25 and $10
        ("anthropic", _SONNET, Usage(input_tokens=1000, output_tokens=100), 0.0045),
        (
            *("anthropic", _SONNET),
            Usage(input_tokens=0, cache_read_tokens=1000, cache_write_tokens=1000, output_tokens=0),
            0.00405,
        ),
        (
            *("openai", "gpt-4o-2024-08-06"),
            Usage(input_tokens=100, cache_read_tokens=900, output_tokens=100),
            0.002375,
        ),
    ],
)
def test_a_listed_model_costs_what_its_vendor_lists(
    vendor: str, model: str, usage: Usage, usd: float
) -> None:
    price = ListedPrices().cost(vendor, model, usage, _AT)
    assert price is not None
    assert price.usd == pytest.approx(usd)
    assert price.source.startswith(f"genai-prices {version('genai-prices')} sha256:")
    assert price.source.endswith("on 2026-03-01")


def test_what_is_kept_for_an_hour_costs_more() -> None:
    usage = Usage(input_tokens=0, cache_write_tokens=1000, output_tokens=0)
    listed = ListedPrices()
    short = listed.cost("anthropic", _SONNET, usage, _AT)
    long = listed.cost("anthropic", _SONNET, usage, _AT, n_long=1000)
    assert short is not None
    assert long is not None
    assert (short.usd, long.usd) == pytest.approx((0.00375, 0.006))


@pytest.mark.parametrize(
    ("vendor", "model"),
    [("anthropic", "fake-model"), ("scripted", _SONNET), ("", _SONNET), ("openai", "fake-1")],
)
def test_an_unlisted_model_has_no_price(vendor: str, model: str) -> None:
    usage = Usage(input_tokens=1000, output_tokens=100)
    assert ListedPrices().cost(vendor, model, usage, _AT) is None
    assert ListedPrices().bound(vendor, model, 1000, 100, _AT) is None


def test_a_bound_is_above_every_way_to_cache() -> None:
    listed = ListedPrices()
    bound = listed.bound("anthropic", _SONNET, 1000, 100, _AT)
    assert bound is not None
    for read, written, long in ((0, 0, 0), (1000, 0, 0), (0, 1000, 0), (0, 1000, 1000)):
        usage = Usage(
            input_tokens=1000 - read - written,
            cache_read_tokens=read,
            cache_write_tokens=written,
            output_tokens=100,
        )
        price = listed.cost("anthropic", _SONNET, usage, _AT, n_long=long)
        assert price is not None
        assert price.usd <= bound


def test_tokens_that_nobody_told_have_no_price() -> None:
    assert ListedPrices().cost("anthropic", _SONNET, Usage(output_tokens=1), _AT) is None
    own = OwnPrices(source="s", models={"m": PerMillion(input=1, output=2)})
    assert own.cost("", "m", Usage(input_tokens=1), _AT) is None
    cached = Usage(input_tokens=1, output_tokens=1, cache_read_tokens=5)
    assert own.cost("", "m", cached, _AT) is None


def test_the_own_table_goes_first(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("source: my contract, 2026-02-01\nmodels:\n  m-1: {input: 1.5, output: 6}\n")
    own = read_prices(path)
    both = FirstOf([NoPrices(), own, ListedPrices()])
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    price = both.cost("anthropic", "m-1", usage, _AT)
    assert price is not None
    assert (price.usd, price.source) == (7.5, "my contract, 2026-02-01")
    assert both.bound("anthropic", "m-1", 1_000_000, 0, _AT) == 1.5
    listed = both.cost("anthropic", _SONNET, usage, _AT)
    assert listed is not None
    assert "genai-prices" in listed.source


@pytest.mark.parametrize(
    "text",
    [
        "models: {}",
        "source: s\nmodels: {m: {input: dear, output: 1}}",
        "source: s\nmodels: {m: {}}",
    ],
)
def test_a_faulty_table_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match="a price table"):
        read_prices(path)


def _read(api: Api, body: object) -> Found:
    reading = Reading(api, status=200, content_type="application/json")
    reading.feed(msgspec.json.encode(body))
    return reading.end()


@for_every(
    "api, body",
    [
        (Api.MESSAGES, {"usage": {"input_tokens": 1, "service_tier": "priority"}}),
        (Api.MESSAGES, {"usage": {"input_tokens": 1, "inference_geo": "us"}}),
        (Api.MESSAGES, {"usage": {"input_tokens": 1, "speed": "fast"}}),
        (Api.MESSAGES, {"content": [{"type": "server_tool_use", "name": "web_search"}]}),
        (Api.RESPONSES, {"service_tier": "flex"}),
        (Api.RESPONSES, {"output": [{"type": "web_search_call"}]}),
        (Api.CHAT, {"service_tier": "priority"}),
        (Api.GOOGLE, {"candidates": [{"groundingMetadata": {}}]}),
    ],
)
def test_what_costs_beside_the_tokens_is_seen(api: Api, body: object) -> None:
    found = _read(api, body)
    assert found.has_own_tariff or found.has_hosted_use
    plain = _read(api, {"usage": {"service_tier": "standard"}, "service_tier": "default"})
    assert not plain.has_own_tariff
    assert not plain.has_hosted_use


def test_tokens_kept_for_an_hour_are_told_apart() -> None:
    parts = {"ephemeral_1h_input_tokens": 70, "ephemeral_5m_input_tokens": 30}
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 100, "cache_creation": parts}
    found = _read(Api.MESSAGES, {"usage": usage})
    assert found.n_long_cached == 70
    assert found.usage is not None
    assert found.usage.cache_write_tokens == 100
