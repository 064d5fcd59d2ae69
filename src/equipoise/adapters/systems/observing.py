"""Looks at what a program started as the system is really sees of our environment."""

import sys
from collections.abc import Mapping

from equipoise.adapters.systems.processes import Launch, Processes
from equipoise.adapters.systems.setting import Setting
from equipoise.adapters.systems.streams import Stream
from equipoise.errors import Blocked

_MOST = 1 << 22
_PRINT = (
    "import os, sys; sys.stdout.buffer.write("
    "b'\\0'.join(k + b'=' + v for k, v in os.environb.items()))"
)
_OWN = frozenset({"LC_CTYPE"})
"""Variables that the interpreter sets for itself."""


async def observed(setting: Setting) -> Mapping[str, str]:
    """Gives the environment of a program that is started in the setting.

    Raises:
        Blocked: no program can be started.
    """
    argv = [sys.executable, "-I", "-S", "-c", _PRINT]
    launch = Launch(argv=argv, environment=setting.environment, folder=str(setting.folder))
    processes = Processes(setting.ledger)
    try:
        child = processes.start(launch)
    except OSError as error:
        raise Blocked(f"no program can be started in {setting.folder}: {error}") from error
    assert child.stdout is not None
    assert child.stderr is not None
    with child.stdout, child.stderr:
        stream = Stream(child.stdout.fileno(), _MOST)
        await stream.read()
        await processes.ended(child)
    pairs = (pair.partition(b"=") for pair in bytes(stream.content).split(b"\0") if pair)
    found = {name.decode(): value.decode(errors="replace") for name, _, value in pairs}
    own = _OWN - setting.environment.keys()
    return {name: value for name, value in found.items() if name not in own}
