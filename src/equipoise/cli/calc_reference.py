"""The reference page of ``calc``, written from the registry of topics so that it cannot drift."""

import json
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from equipoise.cli.calc_cases import Case
from equipoise.cli.topics import Topic

_HEAD = """\
# `equipoise calc`: every statistic from the shell

Written by `equipoise calc --reference > docs/reference/calc.md`.

One topic reads a JSON object from stdin (or `--input FILE`) and prints its value as JSON:

```console
$ echo '{"s": "0.3", "mde": "0.05"}' | equipoise calc power.n_min
{
  "n_min": 576
}
```

`--jsonl` reads one case a line, `{"id", "topic", "input"}` (further keys are ignored), and prints
one line a case:

(lines that end in `\\` are one line)

```console
$ echo '{"id": 1, "topic": "pass_at_k", "input": {"n": 3, "c": 2, "k": 2}}' | equipoise calc --jsonl
{"id": 1, "topic": "pass_at_k", "value": {"pass_at_k": 1.0, "pass_hat_k": 0.3333333333333333}}
$ echo '{"id": 2, "topic": "multiplicity.seed_z", "input": {}}' | equipoise calc --jsonl
{"id": 2, "topic": "multiplicity.seed_z", "error": "input", "message": "field 'k': no key 'k'; \\
wanted: an object with k"}
$ echo '{"id": 3, "topic": "pass_at_k", "input": {"n": 3, "c": 2, "k": 5}}' | equipoise calc --jsonl
{"id": 3, "topic": "pass_at_k", "not_estimable": "with 3 repetitions there is no pass@5", \\
"code": "k_above_n"}
```

`not_estimable` is an answer: no honest number exists for this input. `error` says that the input is
not what was wanted. One bad line does not stop the others.

| exit code | meaning |
| --- | --- |
| 0 | done; with `--jsonl` also where single cases have errors |
| 1 | `--self-test` found a difference |
| 2 | the input, or a line of it, could not be read; or the one topic has no honest number |

| `code` of `not_estimable` | meaning |
| --- | --- |
| `too_few` | fewer units, trials or ratings than the method needs |
| `degenerate` | no spread: a standard error of 0 would be false certainty |
| `impossible` | no number of units can do what was asked |
| `one_cluster` | one cluster alone shows no spread between clusters |
| `no_discordant` | no unit differs between the arms |
| `no_repetitions` | no unit was repeated |
| `k_above_n` | more repetitions asked about than there were |
| `k0` | no cell was compared |
| `no_weight` | no scored partition has weight |
| `not_evaluable` | no category could be evaluated |
| others | named in the message |

| `error` | meaning |
| --- | --- |
| `input` | a key is missing, of a wrong type, or its value is out of range |
| `unknown_topic` | no such topic; the nearest names are in the message |
| `unreadable` | the line is not UTF-8, not JSON, or no case (exit code 2) |
| `not_a_number` | a value is NaN, infinite or beyond 1e100 |
| `outside_range` | a value lies outside [0, 1] |
| `unequal_length` | lists that belong together differ in length |
| `needs_seed` | too many patterns to try all: give `seed` |
| others | named in the message |

## Self-test

`--self-test` computes cases whose right answer does not come from this program: tables and worked
examples of papers and books, other programs (named with their version), or a few lines by hand. The
first case of each topic is its example below.

```console
$ equipoise calc --self-test suite
suite    6 topics    10 cases  agree

6 topics, 10 cases: all agree
```

Without a name all topics are tried; a topic, or one of the families that are printed, may be
named. It ends with 0 where all agree and with 1 where a value differs: then each difference is
printed with what was found, what was wanted, and the source. `--json` prints it as one object
(`schemas/self-test.schema.json`), `--jsonl` as one line a case. `--cases FILE` takes your own cases
instead, one a line:

```json
{"topic": "interval.wilson", "input": {"x": 15, "n": 148}, "value": {"lo": 0.0624, "hi": 0.1605},
 "tolerance": 0.00006, "source": "Newcombe (1998), table I"}
```

(on one line.) Only the keys that stand in `value` are compared. `tolerance` is how far a number may
be off, 1e-9 if not given. In place of `value` a case may have `not_estimable` or `error`, with the
code.

Wherever a `level` is taken it is the confidence level, 0.95 if not given. Samples are lists with
one number per unit; repetitions of a unit are averaged first.

## Topics
"""

_KINDS: dict[Any, str] = {
    float: "number",
    int: "whole number",
    str: "text",
    bool: "true or false",
    type(None): "null",
    Any: "anything",
}


def reference(topics: Mapping[str, Topic], cases: Sequence[Case]) -> str:
    """The page as Markdown: how to call, the codes, and each topic with its keys and an example.

    Args:
        topics: all topics.
        cases: the cases of the self-test; the first of a topic is its example.
    """
    first = {case.topic: case for case in reversed(cases)}
    parts = [_HEAD]
    for name, topic in topics.items():
        parts.append(f"### `{name}`\n\n{topic.says}\n\n{_doc(topic.takes)}\n")
        parts.append(_keys(topic.takes))
        rows = "\n".join(f"| `{key}` | {meaning} |" for key, meaning in topic.gives.items())
        parts.append(f"| gives | |\n| --- | --- |\n{rows}\n")
        if name in first:
            parts.append(_example(first[name]))
    return "\n".join(parts)


def _example(case: Case) -> str:
    given, (wanted,) = case.given, case.wanted.values()
    texts = [json.dumps(value, ensure_ascii=False) for value in (given, wanted)]
    source = case.source[0].upper() + case.source[1:]
    return f"Example: `{texts[0]}`\\\ngives `{texts[1]}`\\\n{source}\n"


def _doc(takes: type[msgspec.Struct]) -> str:
    return "Input: " + " ".join((takes.__doc__ or "").split())


def _keys(takes: type[msgspec.Struct]) -> str:
    rows = []
    for field in msgspec.structs.fields(takes):
        default = "required" if field.required else _default(field)
        rows.append(f"| `{field.encode_name}` | {_kind(field.type)} | {default} |")
    return "| key | kind | if not given |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"


def _default(field: Any) -> str:
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return "-" if value is None else f"`{value!r}`" if isinstance(value, str) else f"{value}"


def _kind(kind: Any) -> str:
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " or ".join(_kind(part) for part in inside)
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in inside)
    if origin is not None:
        return _container(origin, [_kind(part) for part in inside if part is not ...])
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = msgspec.structs.fields(kind)
        return "object with " + ", ".join(f"`{field.encode_name}`" for field in fields)
    return _KINDS.get(kind, str(kind))


def _container(origin: Any, inside: list[str]) -> str:
    if origin is dict:
        return f"object of ({inside[1]})"
    return f"list of ({inside[0]})" if origin is list else f"list of {', '.join(inside)}"
