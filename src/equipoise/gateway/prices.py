"""What calls cost, by dated tables that say where they are from; unknown stays unknown."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import msgspec

from equipoise.errors import InputError
from equipoise.records.call import Price
from equipoise.records.trial import Usage
from equipoise.records.wanted import plainly
from equipoise.records.yaml_text import parse


class Prices(Protocol):
    """A table of prices. Both give null for a model that it does not list."""

    def cost(
        self, vendor: str, model: str, usage: Usage, at: datetime, *, n_long: int = 0
    ) -> Price | None:
        """Gives what the usage costs; `n_long` of its cache writes are kept for an hour."""
        ...

    def bound(
        self, vendor: str, model: str, n_input: int, n_output: int, at: datetime
    ) -> float | None:
        """Gives the most that so many tokens may cost, however they are cached."""
        ...


class NoPrices:
    """Knows no price."""

    def cost(
        self, vendor: str, model: str, usage: Usage, at: datetime, *, n_long: int = 0
    ) -> Price | None:
        """Gives null."""
        del vendor, model, usage, at, n_long
        return None

    def bound(
        self, vendor: str, model: str, n_input: int, n_output: int, at: datetime
    ) -> float | None:
        """Gives null."""
        del vendor, model, n_input, n_output, at
        return None


class FirstOf:
    """Asks several tables in turn; the first that lists the model has it."""

    def __init__(self, tables: Sequence[Prices]) -> None:
        """Takes the tables, the own one first."""
        self._tables = tuple(tables)

    def cost(
        self, vendor: str, model: str, usage: Usage, at: datetime, *, n_long: int = 0
    ) -> Price | None:
        """Gives the cost by the first table that knows it."""
        found = (t.cost(vendor, model, usage, at, n_long=n_long) for t in self._tables)
        return next((price for price in found if price is not None), None)

    def bound(
        self, vendor: str, model: str, n_input: int, n_output: int, at: datetime
    ) -> float | None:
        """Gives the bound by the first table that knows it."""
        found = (t.bound(vendor, model, n_input, n_output, at) for t in self._tables)
        return next((usd for usd in found if usd is not None), None)


class PerMillion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens; where one is null, a cost with such tokens is unknown."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    cache_write_1h: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPrices:
    """A table of the user's own: `source` says where it is from and of which day."""

    source: str
    models: Mapping[str, PerMillion]

    def cost(
        self, vendor: str, model: str, usage: Usage, at: datetime, *, n_long: int = 0
    ) -> Price | None:
        """Gives what the usage costs; null where it holds tokens without a price."""
        del vendor, at
        if (price := self.models.get(model)) is None:
            return None
        counted = (
            (usage.input_tokens, price.input),
            (usage.output_tokens, price.output),
            (usage.cache_read_tokens or 0, price.cache_read),
            ((usage.cache_write_tokens or 0) - n_long, price.cache_write),
            (n_long, price.cache_write_1h),
        )
        usd = 0.0
        for tokens, each in counted:
            if tokens is None or (tokens and each is None):
                return None
            usd += tokens * (each or 0.0) / 1e6
        return Price(usd=usd, source=self.source)

    def bound(
        self, vendor: str, model: str, n_input: int, n_output: int, at: datetime
    ) -> float | None:
        """Gives the most that so many tokens may cost."""
        del vendor, at
        if (price := self.models.get(model)) is None:
            return None
        inputs = (price.input, price.cache_read, price.cache_write, price.cache_write_1h)
        dearest = max(each for each in inputs if each is not None)
        return (n_input * dearest + n_output * price.output) / 1e6


def read_prices(path: Path) -> OwnPrices:
    """Reads a table: ``source``, and ``models`` with US dollars for a million tokens.

    Raises:
        InputError: it is none; names the field.
    """
    try:
        held = parse(path.read_bytes(), name=path.name).value
        table = msgspec.convert(held, _Table, strict=False)
    except OSError as error:
        raise InputError(str(error.strerror), wanted="a price table", where=str(path)) from error
    except msgspec.ValidationError as error:
        raise InputError(plainly(error), wanted="a price table", where=path.name) from error
    return OwnPrices(source=table.source, models=table.models)


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    models: dict[str, PerMillion]


class ListedPrices:
    """The prices of the package ``genai-prices``, as they stood on the day of the call.

    The source names the package's version, the hash of its data and the entry that was used.
    """

    def cost(
        self, vendor: str, model: str, usage: Usage, at: datetime, *, n_long: int = 0
    ) -> Price | None:
        """Gives what the usage costs; null where input or output is not known."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        read, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
        counts = {
            "input_tokens": usage.input_tokens + read + written,
            "output_tokens": usage.output_tokens,
            "cache_read_tokens": read,
            "cache_write_tokens": written,
        }
        if n_long:
            counts["cache_write_1h_tokens"] = n_long
        return _listed(vendor, model, counts, at)

    def bound(
        self, vendor: str, model: str, n_input: int, n_output: int, at: datetime
    ) -> float | None:
        """Gives the most that so many tokens may cost."""
        plain = {"input_tokens": n_input, "output_tokens": n_output}
        written = {**plain, "cache_write_tokens": n_input}
        long = {**written, "cache_write_1h_tokens": n_input}
        found = [_listed(vendor, model, counts, at) for counts in (plain, written, long)]
        return max((price.usd for price in found if price is not None), default=None)


def _listed(vendor: str, model: str, counts: dict[str, Any], at: datetime) -> Price | None:
    if not (source := listed_source()):
        return None
    import genai_prices  # noqa: PLC0415  optional, and a third of a second to load

    try:
        found = genai_prices.calc_price(
            genai_prices.Usage(**counts),
            model_ref=model,
            provider_id=vendor,
            genai_request_timestamp=at,
        )
    except (LookupError, ValueError):
        return None
    entry = f"{found.provider.id}/{found.model.id} on {at.date().isoformat()}"
    return Price(usd=float(found.total_price), source=f"{source}: {entry}")


@cache
def listed_source() -> str:
    """Names the package of prices with its version and the hash of its data; empty without it."""
    try:
        held = version("genai-prices")
    except PackageNotFoundError:
        return ""
    spec = find_spec("genai_prices")
    if spec is None or spec.origin is None:
        return ""
    data = Path(spec.origin).with_name("data.py").read_bytes()
    return f"genai-prices {held} sha256:{hashlib.sha256(data).hexdigest()[:12]}"
