"""Asks a model directly: judges and translations, recorded like every other call."""

from collections import Counter

import msgspec

from equipoise.adapters.models.forms import FORMS
from equipoise.gateway.exchange import pack
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api, mapping
from equipoise.ports.models import Prompt, Reply


class DirectModel:
    """Asks through a gateway in one wire format; whose model answers is the gateway's upstream."""

    def __init__(self, gateway: RecordingGateway, api: Api) -> None:
        """Takes the gateway, which must be entered, and the format."""
        self._gateway = gateway
        self._api = api
        self._asked: Counter[str] = Counter()

    async def complete(self, prompt: Prompt) -> Reply:
        """Asks once.

        Raises:
            InputError: the prompt names no exact model.
        """
        form = FORMS[self._api]
        body, unsupported = form.request(prompt, vendor=self._gateway.vendor(self._api))
        self._asked[prompt.trial] += 1
        exchange = await self._gateway.ask(
            prompt.trial,
            prompt.model,
            self._api,
            form.path(prompt.model),
            msgspec.json.encode(body),
            seq=self._asked[prompt.trial],
        )
        call = exchange.call
        is_whole = not (call.fault or call.is_truncated or call.is_refusal)
        text = form.text(mapping(msgspec.json.decode(exchange.answer))) if is_whole else None
        return Reply(text=text, call=call, unsupported=unsupported, document=pack(exchange))
