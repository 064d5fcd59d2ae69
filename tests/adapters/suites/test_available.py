"""What workspaces and hidden suites need is found out by asking it."""

from equipoise.adapters.suites.interpreters import available as pytest_available
from equipoise.adapters.workspaces.git import available as git_available


def test_what_the_tests_themselves_use_is_there() -> None:
    for found in (pytest_available(), git_available()):
        assert found.is_available, found
        assert found.version[0].isdecimal()
        assert not found.why_not
