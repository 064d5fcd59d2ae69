"""How a prompt is written and an answer read in each of the four wire formats."""

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

import msgspec

from equipoise.gateway.wire.facts import Api, items, mapping, text
from equipoise.ports.models import Prompt

Written = tuple[dict[str, Any], tuple[str, ...]]
"""A request's body, and what of the prompt it cannot say."""

_NAME = "answer"


class Form(Protocol):
    """One wire format."""

    def path(self, model: str) -> str:
        """Gives the path of a request."""
        ...

    def request(self, prompt: Prompt, *, vendor: str) -> Written:
        """Writes a request."""
        ...

    def text(self, answer: Mapping[str, Any]) -> str:
        """Reads the text of a whole answer."""
        ...


class MessagesForm:
    """Anthropic's Messages; a schema is a tool that must be used, which every model knows."""

    def path(self, model: str) -> str:
        """Gives the path of a request."""
        del model
        return "/v1/messages"

    def request(self, prompt: Prompt, *, vendor: str) -> Written:
        """Writes a request."""
        del vendor
        said = [m for m in prompt.messages if m.role != "system"]
        body: dict[str, Any] = {
            "model": prompt.model,
            "max_tokens": prompt.max_tokens,
            "messages": [{"role": m.role, "content": m.text} for m in said],
        }
        if system := _system(prompt):
            body["system"] = system
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.json_schema is not None:
            tool = {
                "name": _NAME,
                "description": "Give the answer.",
                "input_schema": _schema(prompt),
            }
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": _NAME}}
        return body, () if prompt.seed is None else ("seed",)

    def text(self, answer: Mapping[str, Any]) -> str:
        """Reads the text, or what was given to the tool."""
        blocks = [mapping(b) for b in items(answer.get("content"))]
        for block in blocks:
            if block.get("type") == "tool_use" and block.get("name") == _NAME:
                return msgspec.json.encode(block.get("input")).decode()
        return "".join(text(b.get("text")) for b in blocks)


class ChatForm:
    """OpenAI's Chat Completions, and whoever speaks them."""

    def path(self, model: str) -> str:
        """Gives the path of a request."""
        del model
        return "/v1/chat/completions"

    def request(self, prompt: Prompt, *, vendor: str) -> Written:
        """Writes a request; OpenAI alone has a newer name for the token limit."""
        limit = "max_completion_tokens" if vendor == "openai" else "max_tokens"
        body: dict[str, Any] = {
            "model": prompt.model,
            limit: prompt.max_tokens,
            "messages": [{"role": m.role, "content": m.text} for m in prompt.messages],
        }
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.seed is not None:
            body["seed"] = prompt.seed
        if prompt.json_schema is not None:
            form = {"name": _NAME, "schema": _schema(prompt), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return body, ()

    def text(self, answer: Mapping[str, Any]) -> str:
        """Reads the text of the first choice."""
        choices = [mapping(c) for c in items(answer.get("choices"))]
        return text(mapping(choices[0].get("message")).get("content")) if choices else ""


class ResponsesForm:
    """OpenAI's Responses; nothing is left with the provider."""

    def path(self, model: str) -> str:
        """Gives the path of a request."""
        del model
        return "/v1/responses"

    def request(self, prompt: Prompt, *, vendor: str) -> Written:
        """Writes a request."""
        del vendor
        body: dict[str, Any] = {
            "model": prompt.model,
            "max_output_tokens": prompt.max_tokens,
            "input": [{"role": m.role, "content": m.text} for m in prompt.messages],
            "store": False,
        }
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.json_schema is not None:
            form = {"type": "json_schema", "name": _NAME, "schema": _schema(prompt), "strict": True}
            body["text"] = {"format": form}
        return body, () if prompt.seed is None else ("seed",)

    def text(self, answer: Mapping[str, Any]) -> str:
        """Reads the text of all messages."""
        parts = [
            mapping(part)
            for item in map(mapping, items(answer.get("output")))
            for part in items(item.get("content"))
        ]
        return "".join(text(p.get("text")) for p in parts if p.get("type") == "output_text")


class GoogleForm:
    """Google's generateContent."""

    def path(self, model: str) -> str:
        """Gives the path of a request, which names the model."""
        return f"/v1beta/models/{quote(model, safe='')}:generateContent"

    def request(self, prompt: Prompt, *, vendor: str) -> Written:
        """Writes a request."""
        del vendor
        settings: dict[str, Any] = {"maxOutputTokens": prompt.max_tokens}
        if prompt.temperature is not None:
            settings["temperature"] = prompt.temperature
        if prompt.seed is not None:
            settings["seed"] = prompt.seed
        if prompt.json_schema is not None:
            settings["responseMimeType"] = "application/json"
            settings["responseJsonSchema"] = _schema(prompt)
        roles = {"assistant": "model", "user": "user"}
        body: dict[str, Any] = {
            "contents": [
                {"role": roles[m.role], "parts": [{"text": m.text}]}
                for m in prompt.messages
                if m.role in roles
            ],
            "generationConfig": settings,
        }
        if system := _system(prompt):
            body["systemInstruction"] = {"parts": [{"text": system}]}
        return body, ()

    def text(self, answer: Mapping[str, Any]) -> str:
        """Reads the text of the first candidate, without its thoughts."""
        candidates = [mapping(c) for c in items(answer.get("candidates"))]
        content = mapping(candidates[0].get("content")) if candidates else {}
        parts = [mapping(p) for p in items(content.get("parts"))]
        return "".join(text(p.get("text")) for p in parts if not p.get("thought"))


FORMS: dict[Api, Form] = {
    Api.MESSAGES: MessagesForm(),
    Api.RESPONSES: ResponsesForm(),
    Api.CHAT: ChatForm(),
    Api.GOOGLE: GoogleForm(),
}
"""How each format is written."""


def _system(prompt: Prompt) -> str:
    return "\n\n".join(m.text for m in prompt.messages if m.role == "system")


def _schema(prompt: Prompt) -> dict[str, Any]:
    return dict(prompt.json_schema or {})
