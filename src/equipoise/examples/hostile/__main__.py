"""Tries the attempts that are named as arguments, or all that do not end the agent itself.

``python3 -m hostile [attempt ...] < targets.json``
"""

import json
import os
import select
import signal
import sys

from . import endings, files, network, processes, resources
from .targets import Attempt, Targets, targets_of

_PATIENCE_S = 20.0
_LONGEST = 300
LASTING = {
    attempt.__name__: attempt
    for module in (files, processes, network, resources)
    for attempt in module.ATTEMPTS
}
ENDING = {attempt.__name__: attempt for attempt in endings.ATTEMPTS}


def main() -> None:
    """Reads the targets, tries, and tells each attempt in one line."""
    of = targets_of(json.load(sys.stdin))
    for name in sys.argv[1:] or LASTING:
        if name in ENDING:
            ENDING[name](of)
        print(json.dumps({"attempt": name, **_tried(LASTING[name], of)}), flush=True)


def _tried(attempt: Attempt, of: Targets) -> dict[str, object]:
    """Tries in a process of its own, so that the next can be tried whatever this one does."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(told)
        os.write(tell, json.dumps(_made(attempt, of)).encode())
        os._exit(0)
    os.close(tell)
    said = b""
    while select.select([told], [], [], _PATIENCE_S)[0] and (part := os.read(told, 65536)):
        said += part
    os.close(told)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if said:
        made: dict[str, object] = json.loads(said)
        return made
    return {"succeeded": False, "evidence": "", "error": f"it ended with status {status}"}


def _made(attempt: Attempt, of: Targets) -> dict[str, object]:
    try:
        evidence = attempt(of)
    except BaseException as error:  # noqa: BLE001  whatever stops it, it did not succeed
        return {"succeeded": False, "evidence": "", "error": f"{type(error).__name__}: {error}"}
    return {"succeeded": bool(evidence), "evidence": evidence[:_LONGEST], "error": ""}


if __name__ == "__main__":
    main()
