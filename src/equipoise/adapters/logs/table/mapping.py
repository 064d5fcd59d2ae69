"""The mapping: which column of a table is what; checked as a whole, all faults at once."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from equipoise.errors import InputError, nearest
from equipoise.records.terms import Direction
from equipoise.records.wanted import shown, wanted
from equipoise.records.yaml_text import YamlText, parse

Format = Literal["table", "jsonl", "csv", "tsv", "parquet", "json", "yaml"]
Zeroable = Literal[
    "cost_usd",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "duration_ms",
]


def _as_list(value: Any) -> Any:
    """A text such as ``a, b`` or ``[a, b]`` is a list: the command line knows only texts."""
    if not isinstance(value, str):
        return value
    inside = value.strip().removeprefix("[").removesuffix("]")
    return [part.strip() for part in inside.split(",")]


Words = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


def _as_plain(value: Any) -> Any:
    """Gives numbers and truth values for the words a YAML file has for them."""
    plain = {"0": 0, "1": 1, "true": True, "false": False}
    return plain.get(value, value) if isinstance(value, str) else value


class Column(_Strict):
    """Where a value comes from: a column, several columns joined with ``/``, or a constant.

    Args:
        column: name of the column; ``a.b`` reaches into nested objects.
        columns: several columns; their values are joined with ``/``.
        match: a regular expression; its first group (or whole match) is taken in place of the
            value, so that ``HumanEval/23`` and ``HumanEval_23_strlen`` become one unit.
        const: the same value for every row.
        wide: value of this field -> outcome column: one row then holds several executions.
        base: for counted fields, the first number used (0 or 1).
    """

    column: str | None = None
    columns: tuple[str, ...] = ()
    match: str | None = None
    const: str | None = None
    wide: dict[str, str] = {}
    base: Annotated[Literal[0, 1] | None, BeforeValidator(_as_plain)] = None

    @model_validator(mode="after")
    def _one_source(self) -> "Column":
        named = [self.column is not None, bool(self.columns), self.const is not None]
        if sum([*named, bool(self.wide)]) != 1:
            raise ValueError("exactly one of column, columns, const, wide is wanted")
        if self.match is not None:
            try:
                re.compile(self.match)
            except re.error as error:
                raise ValueError(f"match is no regular expression: {error}") from error
        return self


def _as_column(value: Any) -> Any:
    if isinstance(value, str):
        return {"column": value}
    if isinstance(value, list | tuple):
        return {"columns": value}
    return value


Source = Annotated[
    Column, BeforeValidator(_as_column, json_schema_input_type=Column | str | tuple[str, ...])
]


class Graded(_Strict):
    """A column that holds an outcome.

    Args:
        column: name of the column.
        direction: whether more is better.
        scale: lowest and highest possible value; put onto [0,1]; values outside are refused.
        words: own words for values, on the scale, beside the documented ones.
        missing: words that mean "no value".
        how: ``measured`` by a program, or ``soft``: judged by a person or a model.
        by: who or what graded.
    """

    column: str
    direction: Direction = Direction.HIGHER
    scale: Annotated[tuple[float, float], BeforeValidator(_as_list)] = (0.0, 1.0)
    words: dict[str, float] = {}
    missing: Words = ()
    how: Literal["measured", "soft"] = "measured"
    by: str = ""

    @model_validator(mode="after")
    def _has_width(self) -> "Graded":
        if not self.scale[0] < self.scale[1]:
            raise ValueError("scale wants the lowest value first, then a higher one")
        return self


def _as_graded(value: Any) -> Any:
    return {"column": value} if isinstance(value, str) else value


GradedSource = Annotated[Graded, BeforeValidator(_as_graded, json_schema_input_type=Graded | str)]


class Status(_Strict):
    """The column that says how an execution ended, and own words for it."""

    column: str
    words: dict[str, str] = {}


def _as_status(value: Any) -> Any:
    return {"column": value} if isinstance(value, str) else value


class Findings(_Strict):
    """A column that holds a list of findings, and the names of the fields of each finding.

    Args:
        column: the column with the list.
        categories: all categories that were looked for; one without a finding then counts as 0.
        category, value, log, line, quote: field names inside a finding.
    """

    column: str = "findings"
    categories: tuple[str, ...] = ()
    category: str = "category"
    value: str = "value"
    log: str = "log"
    line: str = "line"
    quote: str = "quote"
    how: Literal["measured", "soft"] = "measured"


def _as_findings(value: Any) -> Any:
    return {"column": value} if isinstance(value, str) else value


class Aggregate(_Strict):
    """Rows that count executions instead of listing them.

    Args:
        passed, total: columns with the two counts.
        rate: column with the rate the source declares, to be checked against the counts.
        rate_scale: what a full rate is written as, 100 for percent.
        rate_tolerance: largest difference that is rounding, on the scale of the rate.
    """

    passed: str
    total: str
    rate: str | None = None
    rate_scale: float = Field(default=100.0, gt=0)
    rate_tolerance: float = Field(default=0.06, ge=0)


class HeadlineFile(_Strict):
    """Figures that another file (JSON list) beside the table declares, per arm."""

    file: str
    arm: Source | None = None
    repetition: str | None = None
    metrics: dict[str, str]


def _as_labels(value: Any) -> Any:
    value = _as_list(value)
    if isinstance(value, list | tuple):
        if not all(isinstance(name, str) for name in value):
            raise ValueError("not all are names of columns; wanted: a list of texts")
        return {name: name for name in value}
    return value


Names = Annotated[
    dict[str, str],
    BeforeValidator(_as_labels, json_schema_input_type=dict[str, str] | tuple[str, ...] | str),
]
"""Name -> column; a list stands for columns that keep their names."""


class Mapping(_Strict):
    """Which column of a table is what; see docs/reference/formats.md for every key."""

    format: Format | None = None
    unit: Source | None = None
    arm: Source | None = None
    model: Source | None = None
    repetition: Source | None = None
    attempt: Source | None = None
    value: GradedSource | None = None
    outcome: GradedSource | None = None
    loss: GradedSource | None = None
    direction: Direction | None = None
    scale: Annotated[tuple[float, float] | None, BeforeValidator(_as_list)] = None
    missing: Words = ()
    words: dict[str, float] = {}
    criteria: dict[str, GradedSource] = {}
    aggregate: Aggregate | None = None
    status: Annotated[
        Status | None, BeforeValidator(_as_status, json_schema_input_type=Status | str | None)
    ] = None
    error: str | None = None
    stop_reason: str | None = None
    exit_code: str | None = None
    labels: Names = {}
    cluster: Source | None = None
    cost_usd: str | None = None
    input_tokens: str | None = None
    output_tokens: str | None = None
    max_output_tokens: str | None = None
    cache_read_tokens: str | None = None
    cache_write_tokens: str | None = None
    convention: Literal["extra", "subset", "unknown"] = "unknown"
    duration_ms: str | None = None
    duration_s: str | None = None
    timeout_limit_ms: str | None = None
    timeout_limit_s: str | None = None
    output: str | None = None
    output_sha256: str | None = None
    cached: str | None = None
    counts: Names = {}
    versions: Names = {}
    model_answered: str | None = None
    started_at: str | None = None
    findings: Annotated[
        Findings | None, BeforeValidator(_as_findings, json_schema_input_type=Findings | str | None)
    ] = None
    headline: dict[str, float | dict[str, float | None] | None] | HeadlineFile = Field(
        default={}, union_mode="smart"
    )
    zero_means_missing: Annotated[tuple[Zeroable, ...], BeforeValidator(_as_list)] = ()
    is_simulated: Annotated[bool | str, BeforeValidator(_as_plain)] = False
    rows: str | None = None
    recognise: Annotated[bool, BeforeValidator(_as_plain)] = False

    @model_validator(mode="after")
    def _has_outcome(self) -> "Mapping":
        singles = [name for name in ("value", "outcome", "loss") if getattr(self, name) is not None]
        if self.arm is not None and self.arm.wide:
            singles.append("arm.wide")
        if self.aggregate is not None:
            singles.append("aggregate")
        if self.unit is None and self.aggregate is None:
            raise ValueError("unit: this key is missing; it names the column with the unit's id")
        if self.scale is not None and not self.scale[0] < self.scale[1]:
            raise ValueError("scale: the lowest value comes first, then a higher one")
        if len(singles) > 1:
            raise ValueError(
                f"{' and '.join(singles)} are given; one outcome is wanted, "
                "further ones go under criteria"
            )
        has_any = bool(singles or self.criteria or self.findings or self.output)
        if not has_any:
            raise ValueError("no outcome: give one of value, outcome, loss, criteria, findings")
        return self


def mapping_schema() -> dict[str, Any]:
    """Gives the JSON Schema of a mapping file, for editors that complete and check."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Equipoise table mapping",
    } | Mapping.model_json_schema(mode="validation")


def load_mapping(path: Path) -> dict[str, Any]:
    """Gives the mapping written in a YAML (or JSON) file, checked.

    Raises:
        InputError: the file cannot be read or the mapping is wrong; lists every fault with its
            line and column, and the nearest valid key.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"the mapping file cannot be read ({error.strerror})",
            where=path.name,
            code="unreadable",
        ) from error
    yaml = parse(text, name=path.name)
    if not isinstance(yaml.value, dict):
        raise InputError(
            "no mapping", wanted="lines such as 'unit: task_id'", where=path.name, code="mapping"
        )
    check(yaml.value, yaml=yaml, name=path.name)
    return yaml.value


def check(options: dict[str, Any], *, yaml: YamlText | None = None, name: str = "") -> Mapping:
    """Gives the mapping as a checked record.

    Args:
        options: plain values; text is taken for numbers where numbers are wanted.
        yaml: where the values stand in their file, if they come from one.
        name: name of that file.

    Raises:
        InputError: lists every fault, each with its place and the nearest valid key.
    """
    try:
        return Mapping.model_validate(options)
    except ValidationError as error:
        faults = [_fault(item, yaml, name) for item in error.errors(include_url=False)]
        raise InputError(
            "\n".join(dict.fromkeys(faults)), where="" if yaml else name, code="mapping"
        ) from error


def _fault(item: ErrorDetails, yaml: YamlText | None, name: str) -> str:
    path = tuple(p for p in item["loc"] if not (isinstance(p, str) and p.startswith("function-")))
    place = yaml.place(path) if yaml else None
    where = f"{name}:{place[0]}:{place[1]}: " if place else ""
    key = ".".join(str(p) for p in path)
    message = f"is {shown(item['input'])}; wanted: {wanted(item)}"
    if item["type"] == "value_error":
        message = wanted(item)
    if item["type"] == "extra_forbidden":
        close = nearest(str(path[-1]), _keys_at(path[:-1]))
        message = f"unknown key{'; ' + close if close else ''}"
    if item["type"] == "missing":
        message = "this key is missing"
    joint = " " if message.startswith("is ") else ": "
    return f"{where}{key + joint if key else ''}{message}"


def _keys_at(path: tuple[int | str, ...]) -> list[str]:
    models: dict[str, type[BaseModel]] = {
        "status": Status,
        "findings": Findings,
        "aggregate": Aggregate,
        "headline": HeadlineFile,
        "criteria": Graded,
        "value": Graded,
        "outcome": Graded,
        "loss": Graded,
    }
    if not path:
        return list(Mapping.model_fields)
    return list(models.get(str(path[0]), Column).model_fields)
