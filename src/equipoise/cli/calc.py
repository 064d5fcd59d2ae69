"""``equipoise calc``: every public statistic from the shell, JSON in, JSON out."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from equipoise.cli import calc_self_test as self_test
from equipoise.cli.calc_cases import read_cases, shipped_cases
from equipoise.cli.calc_reference import reference
from equipoise.cli.calc_self_test import run_cases
from equipoise.cli.screen import write, write_json
from equipoise.cli.topics import Topic, compute, load_families, load_topics, loads
from equipoise.errors import EquipoiseError, InputError, NotEstimable

_UNREADABLE = "unreadable"


@click.command("calc")
@click.argument("topic", required=False)
@click.option("--input", "path", type=click.Path(dir_okay=False), help="Read here, not stdin.")
@click.option("--jsonl", is_flag=True, help="One case a line: {id, topic, input}.")
@click.option("--list", "told", flag_value="list", help="List the topics and their keys.")
@click.option("--reference", "told", flag_value="reference", help="The same as a Markdown page.")
@click.option(
    "--self-test",
    "told",
    flag_value="self-test",
    help="Hold the topics (or the one, or one family) against published and hand-made answers.",
)
@click.option(
    "--cases",
    type=click.Path(dir_okay=False),
    help="With --self-test: these cases, not those shipped; a line is "
    '{"topic", "input", "value", "tolerance", "source"}.',
)
@click.option("--json", "as_json", is_flag=True, help="With --self-test: print it as JSON.")
def command(
    topic: str | None,
    path: str | None,
    told: str | None,
    cases: str | None,
    *,
    jsonl: bool,
    as_json: bool,
) -> None:
    """Compute one statistic from a JSON object, or many from JSON Lines.

    TOPIC names the statistic (`equipoise calc --list`). The input is read from stdin, or from
    --input FILE. One topic prints its value as a JSON object; --jsonl prints one line a case:
    {"id", "topic", "value"}, {"id", "topic", "not_estimable"} or {"id", "topic", "error"}.

    --self-test computes cases whose right answer comes from a paper, a table, another program or
    a few lines by hand, and tells each that differs with its source.

    Exit codes: 0 done (with --jsonl also where single cases have errors); 1 the self-test found a
    difference; 2 the input, or a line of it, could not be read, or the one topic has no honest
    number.
    """
    if told == "self-test":
        if path is not None:
            raise InputError("--input with --self-test", wanted="cases", mend="--cases FILE")
        _self_test(topic, cases, as_json=as_json, jsonl=jsonl)
        return
    if cases or as_json:
        raise InputError(
            "--cases" if cases else "--json",
            wanted="it together with --self-test",
            mend="equipoise calc --self-test --cases FILE" if cases else "a topic prints JSON",
        )
    topics = load_topics()
    if told == "list":
        _print_list(topics)
    elif told == "reference":
        click.echo(reference(topics, shipped_cases()), nl=False)
    elif jsonl:
        _many(topics, topic, path)
    elif topic is None:
        raise InputError(
            "no topic", wanted="equipoise calc TOPIC, or --jsonl", mend="equipoise calc --list"
        )
    else:
        _one(topics, topic, path)


def _self_test(only: str | None, path: str | None, *, as_json: bool, jsonl: bool) -> None:
    cases = shipped_cases() if path is None else read_cases(_read(path), path)
    families = load_families()
    answers = run_cases(families, cases, only)
    if jsonl:
        write_json(self_test.as_json_lines(answers))
    elif as_json:
        write_json(self_test.as_json(answers, path or "built-in"))
    else:
        write(self_test.told(families, answers))
    if any(answer.differences for answer in answers):
        raise SystemExit(1)


def _one(topics: Mapping[str, Topic], name: str, path: str | None) -> None:
    if name not in topics:
        compute(topics, name, {})
    given = loads(_read(path), where=path or "stdin")
    if isinstance(given, Mapping) and {"topic", "input"} <= given.keys():
        given = given["input"]
    try:
        value = compute(topics, name, given)
    except NotEstimable as reason:
        click.echo(json.dumps({"not_estimable": reason.why, "code": reason.code}))
        raise
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def _many(topics: Mapping[str, Topic], default_topic: str | None, path: str | None) -> None:
    unreadable = 0
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        answer = _case(topics, default_topic, line, f"{path or 'stdin'}:{number}")
        unreadable += answer.get("error") == _UNREADABLE
        click.echo(json.dumps(answer, ensure_ascii=False))
    if unreadable:
        raise InputError(
            f"{unreadable} line(s) could not be read",
            wanted='one object a line: {"id": ..., "topic": ..., "input": {...}}',
            mend="see the lines with the error 'unreadable'; all others were computed",
        )


def _case(
    topics: Mapping[str, Topic], default_topic: str | None, line: bytes, where: str
) -> dict[str, Any]:
    head: dict[str, Any] = {"id": None, "topic": default_topic}
    try:
        case = _parts(line, where)
        head = {"id": case.get("id"), "topic": case.get("topic", default_topic)}
        given = case.get("input", {}) if "topic" in case else case.get("input", case)
        return head | {"value": compute(topics, _topic_name(head["topic"], where), given)}
    except NotEstimable as reason:
        return head | {"not_estimable": reason.why, "code": reason.code}
    except InputError as error:
        return head | {"error": error.code, "message": str(error)}
    except EquipoiseError as error:
        return head | {"error": type(error).__name__, "message": str(error)}


def _topic_name(name: Any, where: str) -> str:
    if not isinstance(name, str):
        raise InputError(
            "the case names no topic", wanted="the key 'topic'", where=where, code=_UNREADABLE
        )
    return name


def _parts(line: bytes, where: str) -> Mapping[str, Any]:
    case = loads(line, where=where)
    if not isinstance(case, Mapping):
        raise InputError(
            "the line holds no JSON object",
            wanted='{"id": ..., "topic": ..., "input": {...}}',
            where=where,
            code=_UNREADABLE,
        )
    return case


def _read(path: str | None) -> bytes:
    return b"".join(_lines(path))


def _lines(path: str | None) -> Iterator[bytes]:
    if path is None:
        yield from sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as file:
            yield from file
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}", wanted="a readable file", code=_UNREADABLE
        ) from error


def _print_list(topics: Mapping[str, Topic]) -> None:
    for name, topic in topics.items():
        click.echo(f"{name}\n    {topic.says}\n    in:  {_input_keys(topic)}")
        click.echo(f"    out: {', '.join(topic.gives)}")


def _input_keys(topic: Topic) -> str:
    from msgspec.structs import fields

    keys = fields(topic.takes)
    return ", ".join(k.encode_name if k.required else f"[{k.encode_name}]" for k in keys)
