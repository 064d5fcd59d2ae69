"""Runs the loop of mini-swe-agent inside a cell, with a small model of its own instead of litellm.

usage: mini_swe.py SETTINGS.json < PROMPT
"""

import http.client
import json
import os
import socket
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
os.environ.setdefault("MSWEA_CONFIGURED", "true")

import minisweagent
import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.exceptions import InterruptAgentFlow
from minisweagent.models.utils.actions_toolcall import (
    BASH_TOOL,
    format_toolcall_observation_messages,
    parse_toolcall_actions,
)

RETRIED = (408, 409, 429, 500, 502, 503, 504, 529)


Message = dict[str, Any]


class UnixConnection(http.client.HTTPConnection):
    """A connection to a unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        """Keeps the path of the socket."""
        super().__init__("model", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        """Connects to it."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Model:
    """Any server that speaks Chat Completions, behind a socket or an URL."""

    def __init__(self, settings: dict[str, Any], templates: dict[str, str]) -> None:
        """Keeps how the model is reached, and the harness's own templates."""
        self.settings, self.templates = settings, templates
        self.config = settings
        self.name = settings["model"]

    def query(self, messages: list[Message], **_: object) -> Message:
        """Asks the model; what it answered is kept also where it called no tool."""
        said = [{k: v for k, v in one.items() if k != "extra"} for one in messages]
        said = [one for one in said if one.get("role") != "exit"]
        body = {"model": self.name, "tools": [BASH_TOOL], "messages": said}
        if self.settings.get("temperature") is not None:
            body["temperature"] = self.settings["temperature"]
        answer = self.asked(json.dumps(body).encode())
        choice = answer["choices"][0]
        message = choice["message"]
        calls = [
            SimpleNamespace(id=call["id"], function=SimpleNamespace(**call["function"]))
            for call in message.get("tool_calls") or []
        ]
        extra = {"cost": 0.0, "usage": answer.get("usage"), "timestamp": time.time()}
        extra |= {"finish_reason": choice.get("finish_reason")}
        try:
            extra["actions"] = parse_toolcall_actions(
                calls,
                format_error_template=self.templates["format_error_template"],
                template_kwargs={"finish_reason": choice.get("finish_reason")},
            )
        except InterruptAgentFlow as error:
            extra["refused_calls"] = message.get("tool_calls") or []
            kept = {"role": "assistant", "content": message.get("content"), "extra": extra}
            error.messages = (kept, *error.messages)
            raise
        return {**message, "extra": extra}

    def asked(self, body: bytes) -> Any:
        """Sends a request, again where that may help; ends the session where it does not."""
        status, content = 0, b""
        for attempt in range(self.settings["retries"] + 1):
            try:
                status, content = self.sent(body)
            except OSError as error:
                status, content = 0, str(error).encode()
            if status == 200:
                return json.loads(content)
            if status and status not in RETRIED:
                break
            time.sleep(min(0.2 * 2**attempt, 5))
        told = content.decode("utf-8", "replace")[:500]
        raise InterruptAgentFlow(
            {
                "role": "exit",
                "content": f"no answer of the model: {status} {told}",
                "extra": {"exit_status": "ModelFailed", "submission": "", "status": status or None},
            }
        )

    def sent(self, body: bytes) -> tuple[int, bytes]:
        """Sends a request once."""
        base = urlsplit(self.settings["url"])
        timeout = self.settings["timeout_s"]
        connection: http.client.HTTPConnection
        if self.settings["socket"]:
            connection = UnixConnection(self.settings["socket"], timeout)
        else:
            connection = http.client.HTTPConnection(base.hostname or "", base.port, timeout=timeout)
        headers = {
            "content-type": "application/json",
            "authorization": "Bearer " + os.environ["EQUIPOISE_ROUTE_TOKEN"],
        }
        try:
            connection.request("POST", base.path + "/v1/chat/completions", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def format_message(self, **message: Any) -> Message:
        """Gives a message as it is."""
        return message

    def format_observation_messages(
        self,
        message: Message,
        outputs: list[dict[str, Any]],
        template_vars: dict[str, Any] | None = None,
    ) -> list[Message]:
        """Gives what the commands printed, in the harness's own form."""
        messages: list[Message] = format_toolcall_observation_messages(
            actions=message["extra"]["actions"],
            outputs=outputs,
            observation_template=self.templates["observation_template"],
            template_vars=template_vars,
            multimodal_regex="",
        )
        return messages

    def get_template_vars(self, **_: object) -> dict[str, Any]:
        """Gives what templates may name."""
        return {"model_name": self.name}

    def serialize(self) -> dict[str, Any]:
        """Gives what the trajectory says of the model."""
        return {"info": {"config": {"model": {"model_name": self.name}}}}


def main(path: str) -> int:
    """Runs one session."""
    settings = json.loads(Path(path).read_text())
    own = Path(minisweagent.__file__).parent / "config" / "mini.yaml"
    found = yaml.safe_load(own.read_text())
    templates = {k: found["agent"][k] for k in ("system_template", "instance_template")}
    if settings["system_prompt"]:
        templates["system_template"] += "\n{% raw %}" + settings["system_prompt"] + "{% endraw %}\n"
    agent = DefaultAgent(
        Model(settings, found["model"]),
        LocalEnvironment(
            cwd=settings["folder"],
            env=found["environment"]["env"],
            timeout=settings["step_timeout_s"],
        ),
        step_limit=settings["max_turns"],
        cost_limit=0,
        wall_time_limit_seconds=0,
        output_path=Path(settings["output"]),
        **templates,
    )
    ended = agent.run(sys.stdin.read())
    sys.stdout.write(json.dumps({"exit_status": ended.get("exit_status")}) + "\n")
    return 0 if ended.get("exit_status") == "Submitted" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
