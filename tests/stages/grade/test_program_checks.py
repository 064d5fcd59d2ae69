"""The checks `callable` and `command`: the study's own code, whose quotes are looked up again."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import InputError
from equipoise.records.grade import Grade
from equipoise.stages.grade.programs import Programs
from every import for_every
from stages.grade.made_catalogs import catalog, category
from stages.grade.made_material import grade, material, quotes

CHECKS = """
import os, sys, time

def polite(trial):
    print("this is no answer")
    text = trial["documents"]["output"]
    if "please" in text:
        return 0
    line = text.splitlines()[0]
    return {"raw": 2, "quotes": [{"document": "output", "quote": line, "line": 1}]}

def right(trial):
    return {"raw": 0 if trial["expected"]["fact"] in trial["documents"]["output"] else 1,
            "quotes": ["12"]}

def lying(trial):
    return {"raw": 1, "quotes": [{"document": "output", "quote": "never said"}]}

def unquoted(trial):
    return 1

def unknowing(trial):
    return {"not_evaluable": "no opinion"}

def raising(trial):
    raise KeyError("boom")

def odd(trial):
    return trial["brief"].get("said")

def endless(trial):
    time.sleep(600)

def dying(trial):
    os._exit(3)

def process(trial):
    return {"raw": 1, "quotes": [str(os.getpid())]} if 0 else {"not_evaluable": str(os.getpid())}

def seeing(trial):
    return {"not_evaluable": ",".join(sorted(os.environ))}
"""


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    tmp_path.joinpath("checks.py").write_text(CHECKS, encoding="utf-8")
    with Programs(tmp_path) as programs:
        yield programs


def call(programs: Programs, function: str, output: str = "12\nno\n", **fields: Any) -> Grade:
    made = material({"output": output}, expected={"fact": "12"}, programs=programs)
    return grade({"callable": {"function": f"checks:{function}"} | fields}, made, max=4)


def test_a_function_says_what_was_lost_and_quotes_it(programs: Programs) -> None:
    given = call(programs, "polite")
    assert given.value == 0.5
    assert quotes(given) == [("output", 1, "12")]
    assert call(programs, "polite", "please\n").value == 0
    assert quotes(call(programs, "right")) == [("output", 1, "12")]


@pytest.mark.requirement("E2E-33")
def test_e2e_33_a_quote_that_does_not_stand_does_not_count(programs: Programs) -> None:
    given = call(programs, "lying")
    assert given.value is None
    assert given.not_evaluable == (
        "invalid: lost, and no quote shows it; 'never said' does not stand in output"
    )
    assert call(programs, "unquoted").not_evaluable == "invalid: lost, and no quote shows it"


@pytest.mark.parametrize(
    ("function", "part"),
    [
        ("unknowing", "no opinion"),
        ("raising", "the check failed: checks:raising: KeyError: 'boom'"),
        ("odd", "the check answered None; wanted"),
        ("nowhere", "checks:nowhere: cannot be loaded: AttributeError"),
        ("dying", "the check failed: the function's process ended"),
    ],
)
def test_what_is_no_answer_is_not_evaluable(programs: Programs, function: str, part: str) -> None:
    given = call(programs, function)
    assert given.value is None
    assert part in given.not_evaluable
    assert call(programs, "polite").value == 0.5


def test_a_function_that_takes_too_long_is_ended(programs: Programs) -> None:
    began = time.monotonic()
    given = call(programs, "endless", timeout_s=1)
    assert given.not_evaluable == "the check failed: the function took more than 1 s"
    assert time.monotonic() - began < 10
    assert call(programs, "polite").value == 0.5


def test_the_process_stays_up_between_trials_and_ends_with_the_rest(programs: Programs) -> None:
    first = call(programs, "process").not_evaluable
    assert call(programs, "process").not_evaluable == first
    programs.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(first), 0)


def test_a_check_sees_no_secret_of_the_environment(programs: Programs) -> None:
    names = set(call(programs, "seeing").not_evaluable.split(","))
    kept = {"PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT"}
    assert names <= kept | {"LC_CTYPE"}


def command(tmp_path: Path, script: str, **fields: Any) -> Grade:
    tmp_path.joinpath("check.sh").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    with Programs(tmp_path) as programs:
        made = material({"output": "12\n"}, programs=programs)
        return grade({"command": {"argv": ["sh", "check.sh"]} | fields}, made)


@for_every(
    "script, value, part",
    [
        ('grep -q \'"unit": "u1"\' && echo 0', 0, ""),
        ('cat > /dev/null; echo \'{"raw": 1, "quotes": ["12"]}\'', 1, ""),
        ('echo \'{"raw": 1, "quotes": ["13"]}\'', None, "'13' does not stand in output"),
        ("echo no", None, "sh answered no JSON"),
        ("echo '\"yes\"'", None, "the check answered 'yes'; wanted"),
        ("echo '{\"raw\": -1}'", None, "raw -1; wanted 0 or more"),
        ('echo \'{"raw": 1, "weight": 2}\'', None, "wanted"),
        ("exit 4", None, "sh ended with exit code 4"),
    ],
)
def test_a_command_says_what_was_lost(
    tmp_path: Path, script: str, value: float | None, part: str
) -> None:
    given = command(tmp_path, script)
    assert given.value == value
    assert part in given.not_evaluable


def test_a_command_that_takes_too_long_ends_with_all_it_started(tmp_path: Path) -> None:
    script = "sleep 300 &\necho $! > child\nwait"
    given = command(tmp_path, script, timeout_s=1)
    assert given.not_evaluable == "the check failed: sh took more than 1 s"
    child = int(tmp_path.joinpath("child").read_text(encoding="utf-8"))
    end = time.monotonic() + 5
    while Path(f"/proc/{child}").exists() and time.monotonic() < end:
        status = Path(f"/proc/{child}/status").read_text(encoding="utf-8")
        if "zombie" in status:
            break
        time.sleep(0.05)
    assert time.monotonic() < end


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    with Programs(tmp_path) as programs:
        made = material({}, programs=programs)
        given = grade({"command": {"argv": ["no-such-program"]}}, made)
    assert "no-such-program cannot be started" in given.not_evaluable


@for_every("function", ["checks", "checks:", ":f", "a b:c", "checks:f()"])
def test_a_faulty_name_is_refused_with_the_catalog(function: str) -> None:
    with pytest.raises(InputError, match=r"check\.callable\.function"):
        catalog(category(check={"callable": {"function": function}}))
