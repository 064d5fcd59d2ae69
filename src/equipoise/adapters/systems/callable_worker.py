"""Calls one Python function per line of JSON; a program of its own that needs only the library.

It is started as a file, and imports nothing of this package: ``callable_worker.py FOLDER
MODULE:FUNCTION``. What the function prints goes to the answer's ``said``, never between the lines.
"""

import asyncio
import base64
import contextlib
import importlib
import inspect
import io
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, TextIO


def main(folder: str, target: str) -> int:
    """Says ``{"ready": true}`` once the function is found, then answers line by line."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path.insert(0, folder)
    module, _, attribute = target.partition(":")
    try:
        function = getattr(importlib.import_module(module), attribute)
    except Exception:  # noqa: BLE001  whatever a foreign module does when it is imported
        _say(answers, {"error": traceback.format_exc()})
        return 2
    _say(answers, {"ready": True})
    for line in sys.stdin:
        _say(answers, _called(function, json.loads(line)))
    return 0


def _called(function: Callable[[dict[str, Any]], Any], request: dict[str, Any]) -> dict[str, Any]:
    said = io.StringIO()
    answer: dict[str, Any]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            value = function(request)
            if inspect.isawaitable(value):
                value = asyncio.run(_awaited(value))
        answer = _packed(value)
    except Exception as error:  # noqa: BLE001  the function's failure is its outcome
        answer = {"error": traceback.format_exc(), "kind": type(error).__name__}
    return {**answer, "said": said.getvalue()}


async def _awaited(value: Any) -> Any:
    return await value


def _packed(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return {"text": value}
    return {"text": json.dumps(value, ensure_ascii=False, sort_keys=True)}


def _say(answers: TextIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
