"""Who answers for a model, from what a study says of it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from equipoise.adapters.models.local import LocalModel, LocalSpec
from equipoise.errors import InputError, nearest
from equipoise.gateway.exchange import Upstream, unpack
from equipoise.gateway.keys import KeyPlace
from equipoise.gateway.provider import ANTHROPIC, GOOGLE, OPENAI, Provider, ProviderSpec
from equipoise.gateway.replay import Replay
from equipoise.gateway.scripted.judging import ScriptedJudge, judge_script
from equipoise.gateway.scripted.scenario import read_scenario
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.wire.facts import Api

_KNOWN = {spec.name: spec for spec in (ANTHROPIC, OPENAI, GOOGLE)}
_KEYS = frozenset({"provider", "url", "key_variable", "key_file", "auth", "vendor", "proxy"})
_KINDS = ("provider", "replay", "scripted", "scripted_judge", "local")
_LOCAL = ("context", "threads")
API_OF = {"anthropic": Api.MESSAGES, "openai": Api.RESPONSES, "google": Api.GOOGLE}
"""The format in which each known provider is asked directly; any other speaks `Api.CHAT`."""


def upstream_of(said: Mapping[str, Any], folder: Path, environment: Mapping[str, str]) -> Upstream:
    """Gives who answers.

    Args:
        said: ``{provider: NAME, ...}``, ``{replay: FOLDER or FILE}``, ``{scripted: FILE}``,
            ``{scripted_judge: RULE}``, or ``{local: FILE}`` with ``context`` and ``threads``. A
            provider that is not known by name needs ``url``; ``key_variable`` or ``key_file`` say
            where its key stands (neither = it wants none), ``vendor`` whose prices hold.
        folder: the study's, for relative paths.
        environment: where keys are looked for when the run begins.

    Raises:
        InputError: what is said is none of them; names the key.
    """
    kinds = [kind for kind in _KINDS if kind in said]
    if len(kinds) != 1:
        raise InputError(
            f"a model's upstream with the keys {sorted(said)}",
            wanted=f"one of {', '.join(_KINDS)}",
            code="upstream",
        )
    if kinds == ["provider"]:
        return Provider(_spec(said, folder), environment)
    more = _LOCAL if kinds == ["local"] else ()
    if unknown := sorted(set(said) - {*kinds, *more}):
        raise InputError(f"the key {unknown[0]!r} beside {kinds[0]!r}", wanted="nothing beside it")
    if kinds == ["scripted_judge"]:
        return ScriptedJudge(judge_script(said["scripted_judge"]))
    path = folder / str(said[kinds[0]])
    if kinds == ["local"]:
        numbers = {key: _whole(said[key], key) for key in _LOCAL if key in said}
        return LocalModel(LocalSpec(path=path, **numbers))
    if kinds == ["scripted"]:
        return Scripted(read_scenario(path))
    return Replay(unpack(text, where=where) for where, text in _documents(path))


def key_variable(said: Mapping[str, Any], folder: Path) -> str:
    """Gives the environment variable in which a provider's key stands; empty where none does.

    Raises:
        InputError: there is no such provider, or an option is wrong.
    """
    key = _spec(said, folder).key
    return key.variable if key is not None and key.file is None else ""


def _whole(value: Any, key: str) -> int:
    text = str(value)
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise InputError(f"{key} is {value!r}", wanted="a whole number, at least 1")
    return int(text)


def _spec(said: Mapping[str, Any], folder: Path) -> ProviderSpec:
    for key in said:
        if key not in _KEYS:
            wanted = ", ".join(sorted(_KEYS))
            mend = nearest(key, sorted(_KEYS))
            raise InputError(f"the key {key!r} of a provider", wanted=wanted, mend=mend)
    name = str(said["provider"])
    known = _KNOWN.get(name)
    if known is None and "url" not in said:
        raise InputError(
            f"the provider {name!r} is not known",
            wanted=f"one of {', '.join(sorted(_KNOWN))}, or a url",
            mend=nearest(name, sorted(_KNOWN)),
            code="provider",
        )
    variable = str(said.get("key_variable") or (known.key.variable if known and known.key else ""))
    file = folder / str(said["key_file"]) if said.get("key_file") else None
    has_key = bool(variable or file)
    return ProviderSpec(
        name=name,
        url=str(said.get("url") or (known.url if known else "")),
        key=KeyPlace(variable=variable, file=file) if has_key else None,
        auth=str(said.get("auth") or (known.auth if known else "authorization")).lower(),
        vendor=str(said.get("vendor") or (known.vendor if known else "")),
        headers=known.headers if known else {},
        proxy=str(said["proxy"]) if said.get("proxy") else None,
    )


def _documents(path: Path) -> Iterable[tuple[str, bytes]]:
    """Gives the exchanges under a folder in the order of their names, or those of one file."""
    files = sorted(path.rglob("calls/*.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"no calls/*.json under {path.name}", wanted="recorded exchanges")
    for file in files:
        try:
            text = file.read_bytes()
        except OSError as error:
            raise InputError(f"{error.strerror}", wanted="a recording", where=file.name) from error
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                yield f"{file.name}:{number}", line
