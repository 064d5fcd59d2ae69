"""What may stand in a category's `check`: one kind, and the fields that this kind has."""

from typing import Any, Literal

import jsonpath
from pydantic import Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from equipoise.errors import nearest
from equipoise.records.wanted import shown, wanted
from equipoise.stages.grade.json_queries import compiled_query
from equipoise.stages.grade.outcome_specs import (
    ArtifactSpec,
    CheckpointSpec,
    EndStateSpec,
    GateSpec,
    RootCauseSpec,
)
from equipoise.stages.grade.pages import selector_fault
from equipoise.stages.grade.row_tables import query_fault
from equipoise.stages.grade.spec_base import Cite, Seconds, Spec, Words, compiles
from equipoise.stages.grade.suite_specs import SuiteSpec
from equipoise.stages.grade.templates import without_places


class RegexSpec(Spec):
    """A regular expression over one document.

    Args:
        document: name of one of the trial's documents; ``output`` is what the system answered.
        pattern: the expression; ``{expected.fact}`` stands for that text, taken literally.
        lost_when: whether a match is the fault (``found``) or its absence is (``absent``).
        count: with ``found``, every match counts 1; without, any number of matches counts 1.
        ignore_case: whether upper and lower case are the same.
        cite: what to quote where nothing matches.
    """

    document: str = "output"
    pattern: str
    lost_when: Literal["found", "absent"] = "found"
    count: bool = False
    ignore_case: bool = False
    cite: Cite | None = None

    @model_validator(mode="after")
    def _compiles(self) -> "RegexSpec":
        compiles(self.pattern)
        if self.count and self.lost_when == "absent":
            raise ValueError("count goes with lost_when 'found': what is absent cannot be counted")
        return self


class JsonPathSpec(Spec):
    """What an RFC 9535 query selects in a JSON document, held against what is expected.

    A document whose name ends in ``.jsonl`` is queried as the list of its lines. Exactly one of
    `equals`, `one_of`, `matches`, `at_least`, `at_most`, `exists` says what is right.

    Args:
        document: name of one of the trial's documents.
        path: the query; ``{expected.x}`` in it stands for the value as JSON.
        equals: every selected value has to be this; ``"{expected.x}"`` alone keeps its JSON type.
        one_of: every selected value has to be one of these.
        matches: every selected value has to be a text in which this expression is found.
        at_least, at_most: every selected value has to be a number not below, not above this.
        exists: whether anything may be selected at all.
        any: one right value among those selected is enough.
        count: every wrong value counts 1; without, any number of them counts 1.
        when_missing: what it means that nothing is selected.
        cite: what to quote where nothing is selected.
    """

    document: str = "output"
    path: str
    equals: Any = None
    one_of: tuple[Any, ...] | None = Field(default=None, min_length=1, strict=False)
    matches: str | None = None
    at_least: float | str | None = None
    at_most: float | str | None = None
    exists: bool | None = None
    any: bool = False
    count: bool = False
    when_missing: Literal["lost", "fine", "unbewertbar"] = "lost"
    cite: Cite | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> "JsonPathSpec":
        said = {"equals", "one_of", "matches", "at_least", "at_most", "exists"}
        given = sorted(said & self.model_fields_set)
        if len(given) != 1:
            told = ", ".join(given) or "none"
            raise ValueError(f"exactly one of {', '.join(sorted(said))} is wanted; found: {told}")
        if self.exists is not None and (self.any or "when_missing" in self.model_fields_set):
            raise ValueError("exists says by itself what a missing value means")
        compiles(self.matches or "")
        try:
            compiled_query(without_places(self.path, "null"))
        except jsonpath.JSONPathError as error:
            raise ValueError(f"no JSONPath (RFC 9535): {str(error).splitlines()[0]}") from error
        return self


class ExitCodeSpec(Spec):
    """The system's exit code.

    Args:
        one_of: the exit codes that are right.
        cite: what to quote; without it, the archived record of the trial is quoted.
    """

    one_of: tuple[int, ...] = Field(default=(0,), min_length=1, strict=False)
    cite: Cite | None = None


class TableSpec(Spec):
    """One document as a table: an object on each line (``.jsonl``), or a list of objects.

    Args:
        document: name of one of the trial's documents.
        columns: the keys that become columns; a row without one of them has null there.
    """

    document: str
    columns: Words


class SqlSpec(Spec):
    """A query over documents that hold rows, in a database that holds nothing else.

    Args:
        tables: name of each table -> the document it is made of; ``_line`` is a column of all.
        query: one SELECT. The first column of the result is summed up to the raw value; no row is
            0. A column ``_line`` says which line of the first table's document shows it. Places
            such as ``{expected.x}`` are bound, never pasted.
        cite: what to quote where no row says which line.
    """

    tables: dict[str, TableSpec] = Field(min_length=1)
    query: str
    cite: Cite | None = None

    @model_validator(mode="after")
    def _can_be_asked(self) -> "SqlSpec":
        columns = {name: table.columns for name, table in self.tables.items()}
        if fault := query_fault(self.query, columns):
            raise ValueError(fault)
        return self

    @property
    def documents(self) -> tuple[str, ...]:
        """Gives the names of the documents that its tables are made of."""
        return tuple(table.document for table in self.tables.values())


class DomSpec(Spec):
    """Elements of an HTML page, chosen by a CSS selector; wants the extra ``browser``.

    Args:
        document: name of one of the trial's documents.
        selector: the CSS selector; ``{expected.x}`` stands for that text, escaped.
        text: only elements in whose text this expression is found.
        lost_when: whether such an element is the fault (``found``) or its absence is (``absent``).
        count: with ``found``, every element counts 1.
        cite: what to quote where nothing is found.
    """

    document: str
    selector: str
    text: str = ""
    lost_when: Literal["found", "absent"] = "found"
    count: bool = False
    cite: Cite | None = None

    @model_validator(mode="after")
    def _is_selector(self) -> "DomSpec":
        compiles(self.text)
        if self.count and self.lost_when == "absent":
            raise ValueError("count goes with lost_when 'found': what is absent cannot be counted")
        if fault := selector_fault(without_places(self.selector, "x")):
            raise ValueError(fault)
        return self


class CallableSpec(Spec):
    """A Python function of the study, called in a process of its own.

    Args:
        function: ``module:function``, the module found from the study's folder.
        timeout_s: longest time for one trial.
    """

    function: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    timeout_s: Seconds = 10.0


class CommandSpec(Spec):
    """A program of the study, started in the study's folder for each trial.

    Args:
        argv: the program and its arguments, as they are; no shell.
        timeout_s: longest time for one trial.
    """

    argv: Words
    timeout_s: Seconds = 30.0


class ScriptSpec(Spec):
    """A line for the shell: its exit code says whether the criterion is met.

    Args:
        script: executed by ``sh -c`` in the study's folder, with the document on standard input and
            the trial's exit code in ``EXIT_CODE``; 0 = yes, 1 = no, anything else is a failure.
        document: what it reads.
        lost_when: ``absent`` (1 loses) or ``found`` (0 loses).
        timeout_s: longest time for one trial.
    """

    script: str = Field(min_length=1)
    document: str = "output"
    lost_when: Literal["absent", "found"] = "absent"
    timeout_s: Seconds = 30.0

    @property
    def documents(self) -> tuple[str, ...]:
        """Gives the documents it looks at."""
        return (self.document,)


class TokenRecallSpec(Spec):
    """The share of expected words that stand in what the agent left; a diagnostic.

    Args:
        items: the expert's items, ``{expected.items}``; each one's words are looked for.
        artifact: the path of the file in the agent's workspace.
        over: what is looked at; over anything but a ``diff`` it may have no weight.
    """

    items: str = "{expected.items}"
    artifact: str = "{expected.deliverable}"
    over: Literal["decomposition", "generated_text"] = "decomposition"


SPECS: dict[str, type[Spec]] = {
    "script": ScriptSpec,
    "regex": RegexSpec,
    "json_path": JsonPathSpec,
    "exit_code": ExitCodeSpec,
    "sql": SqlSpec,
    "dom": DomSpec,
    "callable": CallableSpec,
    "command": CommandSpec,
    "suite": SuiteSpec,
    "end_state": EndStateSpec,
    "token_recall": TokenRecallSpec,
    "checkpoint": CheckpointSpec,
    "artifact": ArtifactSpec,
    "root_cause": RootCauseSpec,
    "dod_gate": GateSpec,
}
"""Kind of check -> what it wants."""


def read_spec(check: Any, where: str) -> tuple[Spec | None, list[str]]:
    """Gives the check's specification, or every fault in it, each with its place."""
    if not isinstance(check, dict) or len(check) != 1:
        kinds = ", ".join(SPECS)
        return None, [f"{where} is {shown(check)}; wanted one of {kinds} with its fields"]
    ((kind, fields),) = check.items()
    if kind not in SPECS:
        hint = nearest(kind, list(SPECS)) or f"the kinds are {', '.join(SPECS)}"
        return None, [f"{where}: no kind of check {kind!r}; {hint}"]
    if not isinstance(fields, dict):
        told = f"is {shown(fields)}; wanted a mapping with the check's fields"
        return None, [f"{where}.{kind} {told}"]
    try:
        return SPECS[kind].model_validate(fields), []
    except ValidationError as error:
        model = SPECS[kind]
        return None, [_told(fault, f"{where}.{kind}", model) for fault in error.errors()]


def _told(fault: ErrorDetails, where: str, model: type[Spec]) -> str:
    place = ".".join([where, *(str(part) for part in fault["loc"])])
    if fault["type"] == "missing":
        return f"{place} is missing"
    if fault["type"] == "extra_forbidden":
        known = list(Cite.model_fields if len(fault["loc"]) > 1 else model.model_fields)
        hint = nearest(str(fault["loc"][-1]), known) or f"the fields are {', '.join(known)}"
        return f"{place} is no field of this check; {hint}"
    message = wanted(fault)
    if fault["type"] == "value_error":
        return f"{place}: {message[:1].lower()}{message[1:]}"
    return f"{place} is {shown(fault['input'])}; wanted: {message}"
