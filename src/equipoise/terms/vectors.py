"""Inputs with the answers they must get: what a command holds itself against."""

import difflib
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import msgspec

from equipoise.errors import EquipoiseError, InputError


class Vector(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One input and the answer it must get; `says` tells what it shows."""

    id: str
    says: str
    input: dict[str, Any]
    expected: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A vector that got another answer, with the difference line by line."""

    id: str
    says: str
    diff: str


def built_in_vectors(name: str) -> tuple[Vector, ...]:
    """Gives the vectors of a command that ship with it: ``terms/data/NAME_vectors.jsonl``."""
    file = f"{name}_vectors.jsonl"
    return vectors_of(files("equipoise.terms").joinpath("data", file).read_bytes(), where=file)


def vectors_of(data: bytes, *, where: str) -> tuple[Vector, ...]:
    """Reads vectors, one JSON object a line: ``{"id", "says", "input", "expected"}``.

    Raises:
        InputError: a line is no vector, an id stands twice, or there is none.
    """
    found: dict[str, Vector] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=Vector)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(
                f"no vector: {error}",
                wanted='{"id": ..., "says": ..., "input": {...}, "expected": ...}',
                where=f"{where}:{number}",
            ) from error
        if one.id in found:
            raise InputError(
                f"the id {one.id!r} stands twice", wanted="ids of their own", where=where
            )
        found[one.id] = one
    if not found:
        raise InputError("no vectors", wanted="one JSON object a line", where=where)
    return tuple(found.values())


def failures(
    vectors: tuple[Vector, ...], answer: Callable[[dict[str, Any]], object]
) -> tuple[Failure, ...]:
    """Gives the vectors whose answer is not the expected one.

    Args:
        vectors: what to hold the program against.
        answer: gives for an input what JSON can hold; an error it raises is its answer, too.
    """
    found = []
    for one in vectors:
        wanted, got = _lines(one.expected), _lines(_answered(one, answer))
        if wanted != got:
            diff = difflib.unified_diff(wanted, got, "expected", "got", lineterm="", n=1)
            found.append(Failure(id=one.id, says=one.says, diff="\n".join(diff)))
    return tuple(found)


def _answered(one: Vector, answer: Callable[[dict[str, Any]], object]) -> object:
    try:
        return answer(one.input)
    except (EquipoiseError, KeyError, TypeError, ValueError) as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _lines(value: object) -> list[str]:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).splitlines()
