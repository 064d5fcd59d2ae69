"""Every public function of ``stats`` has an example in its docstring, and every example holds."""

import doctest
import inspect
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

import equipoise.stats

_MODULES = [
    import_module(f"equipoise.stats.{e.name}") for e in iter_modules(equipoise.stats.__path__)
]


@pytest.mark.parametrize("module", _MODULES, ids=lambda module: module.__name__)
def test_examples_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("module", _MODULES, ids=lambda module: module.__name__)
def test_every_public_function_has_an_example(module: ModuleType) -> None:
    without = [
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and ">>>" not in (function.__doc__ or "")
    ]
    assert without == []
