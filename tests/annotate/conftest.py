"""People with browsers that have no script, closed when their test ends."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from annotate.campaigns import Person

Visit = Callable[[str, str], Person]
"""Opens the link with this path at this address."""


@pytest.fixture
def visit() -> Iterator[Visit]:
    with ExitStack() as stack:

        def opened(address: str, path: str) -> Person:
            person = Person(address, path)
            stack.callback(person.close)
            return person

        yield opened
