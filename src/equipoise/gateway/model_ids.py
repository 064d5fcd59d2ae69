"""Which names of models name one version, so that a run can say what it ran."""

import re
from collections.abc import Collection, Mapping

from equipoise.errors import InputError

ALIASES: Mapping[str, tuple[str, ...]] = {
    "any vendor": (
        *("latest", "default", "auto", "best", "fast", "cheap", "small", "medium", "large"),
        *("stable", "preview", "experimental", "model", "gpt", "claude", "gemini", "llama"),
        *("mistral", "qwen", "deepseek", "grok"),
    ),
    "Anthropic": (
        *("sonnet", "opus", "haiku", "opusplan", "sonnet[1m]", "opus[1m]"),
        *("claude-sonnet", "claude-opus", "claude-haiku", "claude-instant", "claude-2"),
        *("claude-3-opus", "claude-3-sonnet", "claude-3-haiku", "claude-3-5-sonnet"),
        *("claude-3-5-haiku", "claude-3-7-sonnet", "claude-opus-4", "claude-sonnet-4"),
        *("claude-opus-4-0", "claude-sonnet-4-0", "claude-opus-4-1", "claude-sonnet-4-5"),
        *("claude-haiku-4-5", "claude-opus-4-5"),
    ),
    "OpenAI": (
        *("gpt-4", "gpt-4-32k", "gpt-4-turbo", "gpt-4-turbo-preview", "gpt-4o", "gpt-4o-mini"),
        *("gpt-3.5-turbo", "gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "gpt-4.5-preview"),
        *("gpt-5", "gpt-5-mini", "gpt-5-nano", "o1", "o1-mini", "o1-preview", "o1-pro", "o3"),
        *("o3-mini", "o3-pro", "o4-mini", "codex", "codex-mini"),
    ),
    "Google": (
        *("gemini-pro", "gemini-flash", "gemini-flash-lite", "gemini-1.5-pro"),
        *("gemini-1.5-flash", "gemini-1.5-flash-8b", "gemini-2.0-flash", "gemini-2.0-flash-lite"),
    ),
}
"""Names that their vendors move from version to version, or that name a family only: they have
snapshots with a date or a number beside them. A name ending in ``-latest`` is one as well."""

_DATE = re.compile(r"-(?:20\d{6}|20\d{2}-\d{2}-\d{2}|\d{3})$|@20\d{6}$")


def check_model(model: str, *, allowed: Collection[str] = ()) -> None:
    """Refuses a model id that does not say which model is run.

    Args:
        model: the id, with or without its vendor before a slash (``anthropic/claude-...``).
        allowed: ids that the study takes although they are aliases.

    Raises:
        InputError: it is empty, holds what no id holds, or is an alias.
    """
    if model in allowed and model.strip():
        return
    name = model.rsplit("/", maxsplit=1)[-1].removesuffix(":latest").casefold()
    if not name.strip() or model != model.strip() or any(c.isspace() for c in model):
        raise InputError(
            f"the model id is {model!r}",
            wanted="the exact id of one version of a model",
            code="no_model",
        )
    if vendor := _whose_alias(name, is_latest=model.casefold().endswith((":latest", "-latest"))):
        raise InputError(
            f"the model id {model!r} is an alias ({vendor}): it names another model tomorrow",
            wanted="the exact id of one version, such as one with a date",
            mend="name the version, or declare the alias as allowed",
            code="model_alias",
        )


def is_other_model(asked: str, answered: str | None) -> bool:
    """Says whether another model answered than the one that was asked.

    An id with a date answers for the one without; a vendor before a slash does not count. Where the
    answer names no model nothing is known against it.
    """
    if not answered:
        return False
    names = [
        m.rsplit("/", maxsplit=1)[-1].removeprefix("models/").casefold() for m in (asked, answered)
    ]
    return names[0] != names[1] and names[0] != _DATE.sub("", names[1])


def _whose_alias(name: str, *, is_latest: bool) -> str:
    if is_latest:
        return "latest"
    return next((vendor for vendor, names in ALIASES.items() if name in names), "")
