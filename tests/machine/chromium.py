"""The Chromium of this machine, or a skip that says what is missing."""

import pytest

from equipoise.adapters.probes.chromium import find
from equipoise.adapters.probes.rows import Unseen


@pytest.fixture(scope="session")
def chromium() -> str:
    """Gives the path of the browser."""
    pytest.importorskip("playwright", reason="no playwright: pip install '.[browser]'")
    try:
        return find()
    except Unseen:
        pytest.skip("no Chromium: apt-get install chromium (or `make machine` as root)")
