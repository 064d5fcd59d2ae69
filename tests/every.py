"""One test over many cases: all of them are tried, and all that fail are told."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def for_every(
    names: str, cases: Iterable[Any], *, ids: Callable[[Any], object] = repr
) -> Callable[[Test], Test]:
    """Gives a test its cases as ``pytest.mark.parametrize`` does, yet leaves it one test.

    As many cases as there may be, they are collected, handed to a worker and reported once. A
    fixture that the test takes besides is made once for all cases, so it has to be one that no case
    changes; of ``tmp_path`` each case gets a folder of its own.

    Args:
        names: of the parameters that differ, with commas between them.
        cases: a value each, or a tuple where there are several names; at least one.
        ids: what the report calls a value.
    """
    parameters = [name.strip() for name in names.split(",")]
    known = [tuple(case) if len(parameters) > 1 else (case,) for case in cases]
    assert known, "there is no case"

    def wrapped(test: Test) -> Test:
        @functools.wraps(test)
        def over_all(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for number, values in enumerate(known):
                try:
                    given = dict(zip(parameters, values, strict=True))
                    test(**given, **_own(fixtures, number))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  told below
                    error.add_note(f"case: {', '.join(str(ids(value)) for value in values)[:500]}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(known)} cases fail", failed)

        taken = inspect.signature(test)
        left = [one for one in taken.parameters.values() if one.name not in parameters]
        vars(over_all)["__signature__"] = taken.replace(parameters=left)
        return over_all

    return wrapped


def _own(fixtures: dict[str, Any], number: int) -> dict[str, Any]:
    """The fixtures with a new folder in place of the one for all cases."""
    if "tmp_path" not in fixtures:
        return fixtures
    own = fixtures["tmp_path"] / str(number)
    own.mkdir()
    return fixtures | {"tmp_path": own}
