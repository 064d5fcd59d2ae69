"""Does what a list of actions says, and writes down each one: a stand-in for an agent.

usage: scripted.py ACTIONS.json TRANSCRIPT.jsonl
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

VERSION = "1"


def write(path: str, text: str) -> str:
    """Writes a file, with its folders."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return path


def edit(path: str, old: str, new: str) -> str:
    """Replaces a text that stands in a file once."""
    text = Path(path).read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path} has the text {text.count(old)} times")
    return write(path, text.replace(old, new))


def run(command: str) -> str:
    """Runs a command of the shell; that it fails is an error of the action."""
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise ValueError(f"exit code {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout[-10000:]


def sleep(seconds: str) -> str:
    """Waits."""
    time.sleep(float(seconds))
    return seconds


def say(text: str) -> str:
    """Prints."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
    return text


def crash(name: str) -> str:
    """Ends itself by a signal."""
    sys.stdout.flush()
    number = getattr(signal, name)
    if name not in ("SIGKILL", "SIGSTOP"):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    time.sleep(60)
    return name


ACTIONS: dict[str, Callable[[Any], str]] = {
    "write": lambda given: write(given["path"], given.get("text", "")),
    "edit": lambda given: edit(given["path"], given["old"], given["new"]),
    "run": run,
    "sleep": sleep,
    "print": say,
    "handoff": str,
    "crash": crash,
}


def main(actions: str, transcript: str) -> int:
    """Does the actions in their order until one ends it."""
    todo = json.loads(Path(actions).read_text(encoding="utf-8"))
    output = ""
    with Path(transcript).open("a", encoding="utf-8", buffering=1) as told:

        def tell(**event: object) -> None:
            told.write(json.dumps(event) + "\n")

        tell(type="begin", version=VERSION, tools=sorted(ACTIONS))
        for action in todo:
            ((name, given),) = action.items()
            if name == "exit":
                tell(type="end", output=output, exit_code=int(given))
                return int(given)
            error = ""
            if name == "crash":
                tell(type="action", name=name)
            try:
                result = ACTIONS[name](given)
            except (OSError, ValueError) as fault:
                result, error = "", str(fault)
            output = result if name == "print" else output
            tell(
                type="action",
                name=name,
                given=given,
                result=result,
                error=error,
                is_error=bool(error),
            )
        tell(type="end", output=output, exit_code=0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
