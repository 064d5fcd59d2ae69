"""The user's mapping: a YAML file, single keys from the command line, and the arm's name."""

from pathlib import Path
from typing import Any

import yaml

from equipoise.errors import InputError


def read_options(
    mapping: Path | None, settings: tuple[str, ...] = (), *, arm: str | None = None
) -> dict[str, Any]:
    """Gives the options for a reader; a later setting of the same key wins.

    Args:
        mapping: YAML file whose top level is a mapping; every scalar stays text.
        settings: ``key=value``, a dot in the key reaching inside (``labels.intent=topic``).
        arm: name of the arm for every run of the source.

    Raises:
        InputError: the file or a setting is not of that form.
    """
    options = {} if mapping is None else _read(mapping)
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise InputError(
                f"--set {setting!r}", wanted="--set key=value", mend="for instance --set unit=id"
            )
        _put(options, key.split("."), value, setting)
    if arm is not None:
        options["arm"] = {"const": arm}
    return options


def _read(mapping: Path) -> dict[str, Any]:
    try:
        value = yaml.load(mapping.read_bytes(), Loader=yaml.BaseLoader)  # noqa: S506  makes text only
    except OSError as error:
        raise InputError(
            f"{mapping} cannot be read: {error.strerror}", wanted="a readable mapping file"
        ) from error
    if not isinstance(value, dict):
        raise InputError(f"{mapping} holds no mapping", wanted="lines such as `unit: task_id`")
    return value


def _put(options: dict[str, Any], keys: list[str], value: str, setting: str) -> None:
    for key in keys[:-1]:
        inner = options.setdefault(key, {})
        if not isinstance(inner, dict):
            raise InputError(
                f"--set {setting!r}: {key!r} is {inner!r} already", wanted="a key that holds keys"
            )
        options = inner
    options[keys[-1]] = value
