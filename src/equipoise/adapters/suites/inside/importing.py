"""Imports of the tests that mean the program under test: its modules are stood in for."""

import importlib.machinery
import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder

from .asking import Asker


class Importer(MetaPathFinder, Loader):
    """Finds the program's modules; asked before all other finders.

    A name is the program's where the seed has it at its top, or where it cannot be found here.
    What Python itself has, and what runs the tests, is never the program's.
    """

    def __init__(
        self, asker: Asker, of_the_seed: Sequence[str], of_the_tests: Sequence[str]
    ) -> None:
        """Takes the names at the top of the seed, and those that are the tests' own."""
        self._asker = asker
        self._seeds = frozenset(of_the_seed)
        self._ours = frozenset(of_the_tests) | sys.stdlib_module_names | {"pytest", "_pytest"}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  as Python calls it
        target: types.ModuleType | None = None,  # noqa: ARG002  as Python calls it
    ) -> importlib.machinery.ModuleSpec | None:
        """Gives a spec where the name is the program's."""
        top = fullname.partition(".")[0]
        if top in self._ours or not (top in self._seeds or not _is_here(top)):
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Has the program import it, and stands in for it.

        Raises:
            ImportError: the program could not import it, or ended itself.
        """
        try:
            module = self._asker.ask("import", spec.name)
        except ImportError:
            raise
        except BaseException as error:
            raise ImportError(f"{spec.name} could not be imported: {error!r}") from error
        if not isinstance(module, types.ModuleType):
            raise ImportError(f"{spec.name} is no module")  # noqa: TRY004  it was imported
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Does nothing: the program has run it."""


def _is_here(top: str) -> bool:
    if top in sys.modules:
        return True
    for finder in sys.meta_path:
        if not isinstance(finder, Importer) and hasattr(finder, "find_spec"):
            spec = finder.find_spec(top, None)
            if spec is not None:
                return spec.loader is not None  # a bare folder of that name is no module
    return False
