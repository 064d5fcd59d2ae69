"""The check `json_path`: what a query selects in a JSON document, held against what is expected."""

import json
from collections.abc import Callable
from itertools import islice
from typing import Any

import jsonpath
import regex

from equipoise.errors import NotEstimable
from equipoise.stages.grade.check_specs import JsonPathSpec
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.json_places import json_of, span_of
from equipoise.stages.grade.json_queries import PATTERN_SECONDS, compiled_query
from equipoise.stages.grade.material import Material, page, values
from equipoise.stages.grade.quoting import MOST_QUOTES, cited, quoted
from equipoise.stages.grade.templates import as_literal, filled, has_places, resolved

MOST_NODES = 100_000
"""Most values that a query may select."""

Node = tuple[Any, tuple[int | str, ...]]


def check_json_path(spec: JsonPathSpec, material: Material) -> Found:
    """Gives 1 where a selected value is wrong or nothing is selected; the wrong ones if counted.

    Raises:
        NotEstimable: there is no such document, it is no JSON, the unit lacks what the check
            names, an expression takes too long, or nothing is selected and that says nothing.
    """
    document = json_of(material, spec.document)
    try:
        nodes = _selected(spec, material, document)
        if spec.exists is not None:
            wrong = [] if spec.exists else nodes
            return _told(spec, material, nodes, wrong, is_lost=bool(nodes) != spec.exists)
        is_right = _rule(spec, values(material))
        wrong = [node for node in nodes if not is_right(node[0])]
    except TimeoutError as error:
        raise NotEstimable(
            f"an expression took more than {PATTERN_SECONDS:g} s in {spec.document}",
            code="pattern_timeout",
        ) from error
    if not nodes:
        if spec.when_missing == "unbewertbar":
            raise NotEstimable(f"{spec.path} selects nothing in {spec.document}", code="no_value")
        return _told(spec, material, nodes, nodes, is_lost=spec.when_missing == "lost")
    is_lost = len(wrong) == len(nodes) if spec.any else bool(wrong)
    return _told(spec, material, nodes, wrong, is_lost=is_lost)


def _selected(spec: JsonPathSpec, material: Material, document: Any) -> list[Node]:
    path = spec.path
    if has_places(path):
        path = filled(path, values(material), json.dumps)
    try:
        found = compiled_query(path).finditer(document)
        nodes = [(match.obj, match.parts) for match in islice(found, MOST_NODES + 1)]
    except jsonpath.JSONPathError as error:
        told = str(error).splitlines()[0]
        raise NotEstimable(f"{path} cannot be asked: {told}", code="no_query") from error
    if len(nodes) > MOST_NODES:
        raise NotEstimable(f"{path} selects more than {MOST_NODES:,} values", code="too_many")
    return nodes


def _rule(spec: JsonPathSpec, known: dict[str, Any]) -> Callable[[Any], bool]:
    if spec.one_of is not None:
        allowed = resolved(list(spec.one_of), known)
        return lambda value: any(same(value, one) for one in allowed)
    if spec.matches is not None:
        expression = regex.compile(filled(spec.matches, known, as_literal))
        return lambda value: (
            isinstance(value, str) and expression.search(value, timeout=PATTERN_SECONDS) is not None
        )
    if spec.at_least is not None:
        least = _number(resolved(spec.at_least, known))
        return lambda value: _is_number(value) and value >= least
    if spec.at_most is not None:
        most = _number(resolved(spec.at_most, known))
        return lambda value: _is_number(value) and value <= most
    wanted = resolved(spec.equals, known)
    return lambda value: same(value, wanted)


def same(one: Any, other: Any) -> bool:
    """Says whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def _told(
    spec: JsonPathSpec, material: Material, nodes: list[Node], wrong: list[Node], *, is_lost: bool
) -> Found:
    seen = page(material, spec.document)
    shown = (wrong if is_lost else nodes) or nodes
    places = tuple(
        place
        for _, parts in shown[:MOST_QUOTES]
        for place in quoted(seen, *span_of(seen, tuple(parts)))
    )
    if not is_lost:
        return Found(raw=0.0, places=places)
    raw = float(len(wrong)) if spec.count and wrong else 1.0
    return Found(raw=raw, places=places or cited(material, spec.cite, spec.document))


def _number(value: Any) -> float:
    if not _is_number(value):
        raise NotEstimable(f"{value!r} is expected to be a number", code="no_expectation")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
