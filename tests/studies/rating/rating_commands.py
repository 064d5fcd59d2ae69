"""Calls the command line on a rating study, at a fixed time, and writes small studies."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from equipoise.cli import commands

NOON = "1767355200"


def run(*args: str | Path, given: str = "", **env: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; a traceback is a failure of the test."""
    done = CliRunner().invoke(
        commands, [str(arg) for arg in args], input=given, env={"SOURCE_DATE_EPOCH": NOON} | env
    )
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def fine(*args: str | Path, given: str = "") -> str:
    """What is printed by a command that ends with 0."""
    code, out, err = run(*args, given=given)
    assert (code, err) == (0, ""), err
    return out


def refused(*args: str | Path, code: int = 2) -> str:
    """What is said by a command that ends with this code."""
    got, out, err = run(*args)
    assert (got, out) == (code, ""), (got, out, err)
    return err


def outputs(
    n_units: int, arms: Sequence[str], *, n_clusters: int = 0, lang: str = "en"
) -> list[dict[str, Any]]:
    """Outputs of every arm for some units, each text its own, of a dozen words."""
    return [
        {
            "unit": f"u{unit:03d}",
            "arm": arm,
            "text": " ".join(f"{word}{unit}" for word in _WORDS[number:] + _WORDS[:number]),
            "lang": lang,
            "docs": [{"name": "source", "text": f"original {unit}", "lang": "zh"}],
            "cluster": f"c{unit % n_clusters}" if n_clusters else "",
            "models": [],
        }
        for unit in range(n_units)
        for number, arm in enumerate(arms)
    ]


_WORDS = [
    "rain",
    "came",
    "over",
    "the",
    "hill",
    "and",
    "nobody",
    "at",
    "mill",
    "looked",
    "up",
    "then",
]


def write_study(
    folder: Path, lines: Sequence[dict[str, Any]], *, arms: Sequence[str], more: str = ""
) -> Path:
    """A study file with one axis, and its outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    folder.joinpath("outputs.jsonl").write_text(text, encoding="utf-8")
    axes = "" if "axes:\n" in more else "axes:\n  - {name: style, ask: Which reads best?}\n"
    folder.joinpath("study.yaml").write_text(
        "kind: rating\ntitle: A study\nquestion: Whose is best?\nseed: 3\noutputs: outputs.jsonl\n"
        f"arms: [{', '.join(arms)}]\nbaseline: {arms[0]}\n{axes}{more}",
        encoding="utf-8",
    )
    return folder


def plan_of(study: Path) -> dict[str, Any]:
    """The plan as a dict."""
    fine("plan", study)
    plan: dict[str, Any] = json.loads(study.joinpath("plan.json").read_bytes())
    return plan


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
