"""Reads a loss catalog, `loss-catalog.vN.json`, and names everything that is wrong with it."""

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.records.catalog import DETERMINISTIC, MODEL_JUDGED, Catalog, Category
from equipoise.stages.grade.check_specs import read_spec
from equipoise.stages.grade.deciding import undecidable
from equipoise.stages.grade.judges.inquiries import ASKED
from equipoise.stages.grade.rubrics import is_rubric, rubric_catalog

MOST_JUDGED = Fraction(3, 10)
"""Largest share of the catalog's weight that model-judged categories may have."""

MAX_BYTES = 16 * 2**20

_FILE = re.compile(r"loss-catalog\.(v(?:0|[1-9][0-9]*))\.json", re.ASCII)
_VERSION = re.compile(r"v(?:0|[1-9][0-9]*)", re.ASCII)
_ID = re.compile(r"\w[\w.-]*")
_REQUIRED = ("id", "weight", "type", "max")
_FIELDS = (*_REQUIRED, "check", "is_reexecuted", "needs", "about", "applies_to", "asked")
_TYPES = (DETERMINISTIC, MODEL_JUDGED)


def read_catalog(content: bytes, name: str) -> Catalog:
    """Gives the catalog that stands in the file.

    Args:
        content: the bytes of the file.
        name: the file's name, ``loss-catalog.v3.json``; folders before it are left out of account.

    Raises:
        InputError: it is no JSON, or breaks a rule of a catalog; every fault is named at once.
    """
    file = name.rpartition("/")[2]
    catalog = _parsed(content, file)
    if is_rubric(catalog):
        return rubric_catalog(_plain(catalog), file)
    faults = list(_version_faults(catalog, file))
    entries = catalog.get("categories")
    if not isinstance(entries, list) or not entries:
        faults.append(
            "categories is missing"
            if "categories" not in catalog
            else f"categories is {_short(entries)}; wanted a list of at least one category"
        )
        entries = []
    for number, entry in enumerate(entries):
        faults += _category_faults(entry, f"categories[{number}]")
    faults += _repeated(entries)
    if not faults:
        faults += _weight_faults(entries)
    if faults:
        raise _refused(file, faults)
    return Catalog(
        version=catalog["version"], categories=tuple(_category(entry) for entry in entries)
    )


def _parsed(content: bytes, file: str) -> dict[str, Any]:
    if len(content) > MAX_BYTES:
        raise InputError(f"{file} has {len(content)} bytes", wanted=f"at most {MAX_BYTES}")
    try:
        value = json.loads(
            content.decode("utf-8-sig"),
            parse_float=Decimal,
            parse_constant=_no_number,
            object_pairs_hook=_once,
        )
    except UnicodeDecodeError as error:
        raise InputError(f"no UTF-8 at byte {error.start}", wanted="UTF-8", where=file) from error
    except json.JSONDecodeError as error:
        where = f"{file}:{error.lineno}:{error.colno}"
        raise InputError(error.msg, wanted="JSON", where=where, code="no_json") from error
    except RecursionError as error:
        raise InputError("nesting too deep", wanted="a catalog", where=file) from error
    except ValueError as error:
        raise InputError(str(error), wanted="JSON", where=file, code="no_json") from error
    if not isinstance(value, dict):
        raise InputError(
            f"the file holds {_short(value)}",
            wanted='an object with "version" and "categories"',
            where=file,
        )
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no JSON number")


def _version_faults(catalog: dict[str, Any], file: str) -> Iterator[str]:
    for key in catalog.keys() - {"version", "categories"}:
        hint = nearest(key, ["version", "categories"]) or "a catalog has version and categories"
        yield f"{key} is no field of a catalog; {hint}"
    version = catalog.get("version")
    if "version" not in catalog:
        yield "version is missing"
    elif not isinstance(version, str) or not _VERSION.fullmatch(version):
        yield f"version is {_short(version)}; wanted 'v' and a number, such as 'v1'"
    named = _FILE.fullmatch(file)
    if named is None:
        yield f"the file is called {file!r}; wanted loss-catalog.vN.json, N being the version"
    elif isinstance(version, str) and _VERSION.fullmatch(version) and named[1] != version:
        yield f"version is {version!r} and the file is called {file!r}; wanted the same version"


def _category_faults(entry: Any, where: str) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield f"{where} is {_short(entry)}; wanted an object"
        return
    yield from (f"{where}.{field} is missing" for field in _REQUIRED if field not in entry)
    for field in entry.keys() - set(_FIELDS):
        hint = nearest(field, list(_FIELDS)) or f"the fields are {', '.join(_FIELDS)}"
        yield f"{where}.{field} is no field of a category; {hint}"
    checks: dict[str, tuple[Callable[[Any], bool], str]] = {
        "id": (lambda v: isinstance(v, str) and bool(_ID.fullmatch(v)), "letters, digits, _ . -"),
        "weight": (lambda v: _is_number(v) and 0 <= v <= 1, "a number from 0 to 1"),
        "type": (lambda v: v in _TYPES, "'deterministic' or 'model_judged'"),
        "max": (lambda v: _is_number(v) and v > 0, "a number above 0"),
        "is_reexecuted": (lambda v: isinstance(v, bool), "true or false"),
        "needs": (_is_words, "a list of names of probes"),
        "about": (lambda v: isinstance(v, str), "a text"),
        "applies_to": (_is_words, "a list of names of arms"),
        "asked": (lambda v: v in ASKED, f"one of {', '.join(ASKED)}"),
    }
    for field, (is_right, wanted) in checks.items():
        if field in entry and not is_right(entry[field]):
            hint = nearest(str(entry[field]), list(_TYPES)) if field == "type" else ""
            told = f"{where}.{field} is {_short(entry[field])}; wanted {wanted}"
            yield f"{told}; {hint}" if hint else told
    if "check" in entry:
        yield from _check_faults(entry, f"{where}.check")
    if "asked" in entry and entry.get("type") != MODEL_JUDGED:
        yield f"{where}.asked: only a model_judged category is asked about"


def _check_faults(entry: dict[str, Any], where: str) -> Iterator[str]:
    if entry.get("type") == MODEL_JUDGED:
        yield f"{where}: a model_judged category has no check; its raters write findings/*.jsonl"
        return
    check = _plain(entry["check"])
    spec, faults = read_spec(check, where)
    yield from faults
    if spec is not None and entry.get("weight"):
        why = undecidable(next(iter(check)), str(getattr(spec, "over", "")))
        if why:
            yield f"{where}: {why}; mend: weight 0 keeps it as a diagnostic"


def _repeated(entries: list[Any]) -> Iterator[str]:
    first: dict[str, int] = {}
    for number, entry in enumerate(entries):
        name = entry.get("id") if isinstance(entry, dict) else None
        if isinstance(name, str) and first.setdefault(name, number) != number:
            yield f"categories[{number}].id {name!r} is that of categories[{first[name]}] already"


def _weight_faults(entries: list[dict[str, Any]]) -> Iterator[str]:
    """Says whether nothing weighs, or the judged share is above its limit, exactly as written."""
    weights = [(Fraction(entry["weight"]), entry["type"] == MODEL_JUDGED) for entry in entries]
    total = sum((weight for weight, _ in weights), Fraction())
    judged = sum((weight for weight, is_judged in weights if is_judged), Fraction())
    if not total:
        yield "every category has the weight 0, a diagnostic; wanted one that has part in the loss"
    if judged > MOST_JUDGED * total:
        names = ", ".join(entry["id"] for entry in entries if entry["type"] == MODEL_JUDGED)
        yield (
            f"model_judged categories ({names}) weigh {_share(judged, total)} of the catalog; "
            "wanted at most 30 %; mend: lower their weights, or find them with a check"
        )


def _share(part: Fraction, whole: Fraction) -> str:
    return f"{float(part):.6g} of {float(whole):.6g}, {float(100 * part / whole):.6g} %,"


def _category(entry: dict[str, Any]) -> Category:
    numbers = {"weight": float(entry["weight"]), "max": float(entry["max"])}
    lists = {name: tuple(entry.get(name, ())) for name in ("needs", "applies_to")}
    lists |= {"check": _plain(entry.get("check", {}))}
    return Category(**(entry | numbers | lists))


def _plain(value: Any) -> Any:
    """Gives a check's JSON with plain floats, as it is kept and executed."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _is_number(value: Any) -> bool:
    """Says whether it is a number that keeps its sign and size as a float."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return False
    size = Decimal(value).copy_abs()
    return size == 0 or Decimal("1e-300") < size < Decimal("1e300")


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)


def _short(value: Any) -> str:
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _refused(file: str, faults: list[str]) -> InputError:
    if len(faults) == 1:
        return InputError(faults[0], where=file, code="catalog")
    told = "".join(f"\n  {fault}" for fault in faults)
    return InputError(f"{len(faults)} faults:{told}", where=file, code="catalog")
