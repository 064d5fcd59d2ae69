"""The process in which a function of the study is called: a question and an answer on each line."""

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any


def main() -> None:
    """Answers until the questions end: ``callable_host.py ROOT module:function``."""
    root, function = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the function prints is no answer
    sys.path[0] = root  # in place of this file's own folder
    called, why = _found(function)
    for question in sys.stdin.buffer:
        answer = {"failed": why} if called is None else _answer(called, json.loads(question))
        answers.write(f"{json.dumps(answer)}\n")
        answers.flush()


def _found(function: str) -> tuple[Callable[[Any], Any] | None, str]:
    module, _, name = function.partition(":")
    try:
        return getattr(importlib.import_module(module), name), ""
    except Exception as error:  # noqa: BLE001  whatever the study's module raises
        return None, f"cannot be loaded: {type(error).__name__}: {error}"


def _answer(called: Callable[[Any], Any], question: Any) -> dict[str, Any]:
    try:
        said = called(question)
        json.dumps(said, allow_nan=False)
    except Exception as error:  # noqa: BLE001  whatever the study's function raises
        return {"failed": f"{type(error).__name__}: {error}"}
    return {"said": said}


if __name__ == "__main__":
    main()
