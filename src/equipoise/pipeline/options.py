"""The user's mapping: a YAML file, single keys from the command line, and the arm's name."""

from pathlib import Path
from typing import Any

from equipoise.adapters.logs.table.mapping import check
from equipoise.errors import InputError
from equipoise.records.yaml_text import parse

_OUTCOMES = {"value", "outcome", "loss", "criteria", "findings", "aggregate"}


def read_options(
    mapping: Path | None,
    settings: tuple[str, ...] = (),
    *,
    arm: str | None = None,
    format_name: str = "table",
) -> dict[str, Any]:
    """Gives the options for a reader; a later setting of the same key wins.

    A mapping file says all there is to say. Settings alone add to what a table's column names say.

    Args:
        mapping: YAML file whose top level is a mapping; every scalar stays text.
        settings: ``key=value``, a dot in the key reaching inside (``labels.intent=topic``).
        arm: name of the arm for every run of the source.
        format_name: the source's format; a table takes a column for its arm, the others a name.

    Raises:
        InputError: the file or a setting is not of that form.
    """
    options: dict[str, Any] = {} if mapping is None else _read(mapping)
    if mapping is None and settings and format_name == "table":
        options["recognise"] = True
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise InputError(
                f"--set {setting!r}", wanted="--set key=value", mend="for instance --set unit=id"
            )
        _put(options, key.split("."), value, setting)
    if arm is not None:
        options["arm"] = {"const": arm} if format_name == "table" else arm
    return options


def _read(mapping: Path) -> dict[str, Any]:
    try:
        text = parse(mapping.read_bytes(), name=mapping.name)
    except OSError as error:
        raise InputError(
            f"{mapping} cannot be read: {error.strerror}",
            wanted="a readable mapping file",
            code="unreadable",
        ) from error
    options = text.value
    if not isinstance(options, dict):
        raise InputError(
            f"{mapping} holds no mapping", wanted="lines such as `unit: task_id`", code="mapping"
        )
    if "unit" in options or options.keys() & _OUTCOMES:
        check(_completed(options), yaml=text, name=mapping.name)  # line and column of every fault
    return options


def _completed(options: dict[str, Any]) -> dict[str, Any]:
    """Gives the mapping with a placeholder for what the column names or settings may still say."""
    arm = options.get("arm")
    has_outcome = options.keys() & _OUTCOMES or (isinstance(arm, dict) and "wide" in arm)
    return {"unit": "unit"} | ({} if has_outcome else {"outcome": "outcome"}) | options


def _put(options: dict[str, Any], keys: list[str], value: str, setting: str) -> None:
    for key in keys[:-1]:
        inner = options.setdefault(key, {})
        if not isinstance(inner, dict):
            raise InputError(
                f"--set {setting!r}: {key!r} is {inner!r} already", wanted="a key that holds keys"
            )
        options = inner
    options[keys[-1]] = value
