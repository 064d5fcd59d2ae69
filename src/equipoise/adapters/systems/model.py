"""A system that is a model: one prompt, one answer, no harness and no tools."""

import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any, Self

from equipoise.adapters.systems.agent_means import ChatMaker
from equipoise.adapters.systems.agent_session import cost_of
from equipoise.adapters.systems.endings import infrastructure
from equipoise.adapters.systems.options import Options
from equipoise.adapters.systems.setting import Setting
from equipoise.adapters.systems.templates import check_placeholders, filled, values_of
from equipoise.errors import InputError
from equipoise.gateway.truncation import MAX_TOKENS
from equipoise.ports import Answer
from equipoise.ports.models import ChatModel, Message, Prompt, Reply
from equipoise.records.brief import Request
from equipoise.records.call import ModelCall
from equipoise.records.trial import Ending, EndingKind, Fault, Reason

_KEYS = (
    *("model", "provider", "system", "prompt", "messages"),
    *("temperature", "max_tokens", "seeded", "schema"),
)
_ROLES = ("system", "user", "assistant")


class ModelSystem:
    """Asks a model for every request, through the recording gateway.

    The text it answers is the answer; the exchange is the document ``calls/0001.json``. An answer
    that meets its token limit voids the trial; that the provider fails is the infrastructure's
    fault; that the model declines is its own.
    """

    def __init__(self, spec: Any, setting: Setting, gateway: ChatMaker) -> None:
        """Reads the specification and finds who answers.

        Raises:
            InputError: a key, a value or a placeholder is wrong.
        """
        options = Options(spec, _KEYS, "model")
        self._model = options.needed("model")
        self._messages = _messages(options)
        temperature = options.template("temperature")
        self._temperature = None if temperature in {None, "none"} else _number(temperature)
        self._max_tokens = int(options.number("max_tokens") or setting.max_tokens or MAX_TOKENS)
        self._is_seeded = options.flag("seeded", default=False)
        self._schema = options.mapping("schema") or None
        check_placeholders((self._model, self._messages), setting.environment, where="model")
        self._setting = setting
        self._route = gateway(options.template("provider"), setting)
        self._chat: ChatModel | None = None
        self._stack = AsyncExitStack()
        self.is_simulated = self._route.is_simulated

    async def __aenter__(self) -> Self:
        """Opens the gateway.

        Raises:
            Blocked: it lacks what it needs, such as a key.
        """
        gateway = await self._stack.enter_async_context(self._route.opened(_ignored))
        self._chat = self._route.chat(gateway)
        return self

    async def __aexit__(self, *error: object) -> None:
        """Closes the gateway."""
        await self._stack.aclose()

    async def execute(self, request: Request) -> Answer:
        """Executes one attempt: asks once."""
        assert self._chat is not None
        values = values_of(request, self._setting.fixed)
        prompt = Prompt(
            trial=request.trial,
            model=str(filled(self._model, values)),
            messages=[
                Message(role=role, text=str(filled(text, values))) for role, text in self._messages
            ],
            max_tokens=self._max_tokens,
            temperature=self._temperature,
            seed=request.seed % 2**31 if self._is_seeded else None,
            json_schema=self._schema,
        )
        before = time.monotonic()
        reply = await self._chat.complete(prompt)
        elapsed_ms = (time.monotonic() - before) * 1000
        call = reply.call
        return Answer(
            ending=_ending(call),
            output=None if reply.text is None else reply.text.encode(),
            documents={"calls/0001.json": reply.document},
            duration_ms=elapsed_ms,
            usage=call.usage,
            cost_usd=cost_of([call]),
            model=call.model_asked or None,
            model_answered=call.model_answered,
            stop_reason=call.stop_reason,
            versions=_versions(reply),
        )

    async def canary(self, request: Request) -> Answer:
        """Executes a request outside the study, in the same way."""
        return await self.execute(request)


def _messages(options: Options) -> list[tuple[str, str]]:
    given = options.template("messages")
    if given is None:
        system = options.text("system")
        ours = [("system", system)] if system else []
        return [*ours, ("user", options.text("prompt", "{brief.prompt}"))]
    messages = []
    for message in given if isinstance(given, list) else [given]:
        if not isinstance(message, Mapping) or len(message) != 1:
            raise _no_message(message)
        role, text = next(iter(message.items()))
        if role not in _ROLES or not isinstance(text, str):
            raise _no_message(message)
        messages.append((role, text))
    return messages


def _no_message(found: Any) -> InputError:
    return InputError(
        f"model.messages holds {found!r}",
        wanted=f"role: text, with a role of {', '.join(_ROLES)}",
        mend='write messages: [{system: "..."}, {user: "{brief.prompt}"}]',
        code="bad_system",
    )


def _number(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 2:
        raise InputError(
            f"model.temperature is {value!r}",
            wanted="a number from 0 to 2, or none: it is not sent",
            code="bad_system",
        )
    return number


def _ending(call: ModelCall) -> Ending:
    """Gives how a call ended: truncation, refusal and faults are never an answer."""
    if call.is_truncated:
        detail = f"stopped at the token limit ({call.stop_reason})"
        return Ending(kind=EndingKind.TRUNCATED, fault=Fault.HARNESS, detail=detail)
    if call.is_refusal:
        return Ending(kind=EndingKind.REFUSED, fault=Fault.SYSTEM, detail=call.stop_reason or "")
    if call.fault == "spending_cap":
        return Ending(
            kind=EndingKind.HARNESS_ERROR,
            fault=Fault.OPERATOR,
            detail="the study's cap was reached",
            reason=Reason.BUDGET,
        )
    if call.fault:
        told = f"{call.fault}, status {call.status}" if call.status else call.fault
        return infrastructure(told, is_retriable=True)
    return Ending()


def _versions(reply: Reply) -> dict[str, str]:
    asked = {"answered_by": reply.call.answered_by, "request_sha256": reply.call.request_sha256}
    if reply.unsupported:
        asked["not_sent"] = ", ".join(reply.unsupported)
    return {name: value for name, value in asked.items() if value}


def _ignored(trial: str, name: str, content: bytes) -> None:
    """Takes what the reply holds already."""
    del trial, name, content
