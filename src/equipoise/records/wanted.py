"""What is wrong with a value, in the words of who writes the file and not of the program."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_LONGEST = 60

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""What names of arms, people, axes and judges are: they stand in names of files and in links."""
NAME_WANTED = (
    "at most 64 of the signs A-Z, a-z, 0-9, dot, dash and underscore, the first no mark "
    "(letters of other kinds stand in titles and texts only)"
)

_WANTED = {
    "too_short": "at least one",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dataclass_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "string_type": "text",
    "string_sub_type": "text",
    "string_too_short": "text, not nothing",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "finite_number": "a finite number",
    "none_required": "nothing",
    "extra_forbidden": "no such key",
    "missing": "this key",
}
"""Kind of fault that pydantic finds -> what is wanted."""

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
"""Kind of value, as msgspec names it -> in plain words."""

_GOT = re.compile(r"Expected `(?P<wanted>[^`]*)`(?P<more>[^,]*)(?:, got `(?P<found>[^`]*)`)?")
_KEY = re.compile(
    r"Object (?:(?P<unknown>contains unknown)|missing required) field `(?P<key>[^`]*)`"
)
_AT = re.compile(r" - at `(?:key in )?\$\.?(?P<place>[^`]*)`")


def wanted(item: Mapping[str, object]) -> str:
    """Gives what is wanted in place of a value that pydantic refuses; `item` is what it tells."""
    if NAME_PATTERN in str(item.get("ctx", "")):
        return NAME_WANTED
    message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    return _WANTED.get(str(item["type"]), message)


def as_name(value: object) -> str:
    """Gives the name that a text is without its accents; "" where that is none either.

    >>> as_name("Zoë"), as_name("hö flich"), as_name("李雷")
    ('Zoe', 'ho-flich', '')
    """
    if not isinstance(value, str):
        return ""
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", value.strip()) if not unicodedata.combining(c)
    )
    name = re.sub(r"\s+", "-", plain)
    return name if re.fullmatch(NAME_PATTERN, name) else ""


def shown(value: Any) -> str:
    """Gives a value as a message shows it: short, and with nothing that acts on a terminal."""
    if value is None:
        return "empty"
    if isinstance(value, dict):
        return f"a mapping with {', '.join(map(str, list(value)[:5])) or 'nothing in it'}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def plainly(message: object) -> str:
    """Gives a message of msgspec with its field in front, and kinds of values in plain words.

    >>> plainly("Expected `int | null`, got `str` - at `$.partitions[0].n`")
    "field 'partitions.0.n' is text; wanted a whole number or nothing"
    >>> plainly("Object missing required field `unit`")
    "the key 'unit' is missing"
    """
    text = str(message)
    at = _AT.search(text)
    place = re.sub(r"\[(\d+|\.\.\.)\]", r".\1", at["place"]).strip(".") if at else ""
    text = _AT.sub("", text)
    if key := _KEY.fullmatch(text):
        full = f"{place}.{key['key']}" if place else key["key"]
        return f"the key {full!r} is {'unknown' if key['unknown'] else 'missing'}"
    field = f"field {place!r}" if place else ""
    if got := _GOT.fullmatch(text):
        wants = f"{_kinds(got['wanted'])}{got['more']}"
        found = _kinds(got["found"]) if got["found"] else "something else"
        return f"{field or 'this'} is {found}; wanted {wants}"
    return f"{field}: {text[:1].lower()}{text[1:]}" if field else text


def _kinds(text: str) -> str:
    return " or ".join(_KINDS.get(one.strip(), one.strip()) for one in text.split("|"))
