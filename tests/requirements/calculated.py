"""Calls one `calc` topic the way a shell does."""

import json
from typing import Any

from click.testing import CliRunner

from equipoise.cli import commands


def calc(topic: str, **given: Any) -> dict[str, Any]:
    """The value of the topic for the given input."""
    done = CliRunner().invoke(commands, ["calc", topic], input=json.dumps(given))
    assert done.exit_code == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value
