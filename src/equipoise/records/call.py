"""One call of a model as the gateway saw it: asked, answered, offered, spent."""

import msgspec

from equipoise.records.trial import Usage


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """What a call cost, and by which price table: its name, version and the day it was taken."""

    usd: float
    source: str


class ModelCall(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="call"
):
    """One request of a trial to a model, and what came of it.

    `trial` is the trial it belongs to ("" = none, a preflight); `seq` counts its calls from 1.
    `api` is ``anthropic-messages``, ``openai-responses``, ``openai-chat`` or ``google``.
    `request_sha256` is over the request's body as the harness sent it, `prompt_sha256` over what of
    it a model gets to see, so that equal prompts have equal hashes. `settings` is what it sets of
    how to answer, by the vendor's own names (``temperature``, ``seed``, ``max_tokens``). `status`
    is the HTTP status that the harness got (null = nothing came through), `n_retries` how often the
    gateway asked again before that. `stop_reason` is the provider's own word; `is_truncated` says
    that the answer met the token limit. `cost` is null where it is not known. `fault` says why a
    call gave no answer: a word of the provider (``overloaded_error``) or of the gateway
    (``spending_cap``, ``unreachable``, ``cut_stream``). `answered_by` names who answered: a
    provider, ``replay``, ``scripted`` or ``local``.
    """

    trial: str
    seq: int
    api: str
    model_asked: str
    request_sha256: str
    at: str
    latency_ms: float
    status: int | None = None
    model_answered: str | None = None
    tools_offered: tuple[str, ...] = ()
    n_messages: int = 0
    usage: Usage | None = None
    stop_reason: str | None = None
    is_truncated: bool = False
    is_refusal: bool = False
    is_streamed: bool = False
    n_retries: int = 0
    cost: Price | None = None
    fault: str = ""
    is_simulated: bool = False
    answered_by: str = ""
    settings: dict[str, float | str] = {}
    prompt_sha256: str = ""
