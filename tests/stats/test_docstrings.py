"""Every public function of ``stats`` has an example in its docstring, and every example holds."""

import doctest
import inspect
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import equipoise.stats
from every import for_every

_MODULES = [
    import_module(f"equipoise.stats.{e.name}") for e in iter_modules(equipoise.stats.__path__)
]

_INNER = {
    "bws": {"check_answers"},
    "choice_counts": {"tabulate"},
    "choice_existence": {"is_separated"},
    "choice_newton": {"cell_moments", "maximise", "information"},
    "choice_sandwich": {"prompt_meat"},
}
"""Parts of one method that lie in files of their own; the method's example shows them at work."""


@for_every("module", _MODULES, ids=lambda module: module.__name__)
def test_examples_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@for_every("module", _MODULES, ids=lambda module: module.__name__)
def test_every_public_function_has_an_example(module: ModuleType) -> None:
    without = [
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and name not in _INNER.get(module.__name__.rpartition(".")[2], set())
        and ">>>" not in (function.__doc__ or "")
    ]
    assert without == []
