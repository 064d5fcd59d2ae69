"""Catalogs for the tests, written as a user writes them."""

import json
from typing import Any

from equipoise.records.catalog import Catalog
from equipoise.stages.grade.catalog import read_catalog


def category(name: str = "wrong", **fields: Any) -> dict[str, Any]:
    """One category with everything that is required."""
    return {"id": name, "weight": 0.5, "type": "deterministic", "max": 1} | fields


def content(*categories: dict[str, Any], version: str = "v1") -> bytes:
    """The bytes of a catalog file."""
    return json.dumps({"version": version, "categories": list(categories)}).encode()


def catalog(*categories: dict[str, Any], version: str = "v1") -> Catalog:
    """A catalog, read."""
    return read_catalog(content(*categories, version=version), f"loss-catalog.{version}.json")
