"""The characters that OpenCC simplifies, where it is installed."""

from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import regex

from equipoise.errors import InputError
from equipoise.terms.fold import Table, table_of

_PACKAGES = {"opencc_purepy": "opencc-purepy", "opencc": "opencc"}
"""Module -> name of the package; both have the same tables, the first that is there is asked."""

_LAST = 0x323AF


def installed() -> dict[str, str]:
    """Gives name and version of the OpenCC that is there; empty where none is."""
    for module, package in _PACKAGES.items():
        if find_spec(module) is not None:
            try:
                return {package: version(package)}
            except PackageNotFoundError:
                continue
    return {}


@cache
def opencc_table() -> Table:
    """Gives what OpenCC makes of each Han character that stands alone.

    Raises:
        InputError: no OpenCC is installed.
    """
    name, number = next(iter(installed().items()), ("", ""))
    if not name:
        raise InputError(
            "no OpenCC is installed",
            wanted="the package opencc-purepy",
            mend="pip install 'equipoise[translation]', or take the built-in table",
            code="no_opencc",
        )
    module = next(module for module, package in _PACKAGES.items() if package == name)
    converter: Any = import_module(module).OpenCC("t2s")
    signs = regex.findall(r"\p{Han}", "".join(map(chr, range(0x2E80, _LAST + 1))))
    became = str(converter.convert("\n".join(signs))).split("\n")
    return table_of(f"{name} {number}", dict(zip(signs, became, strict=True)))
