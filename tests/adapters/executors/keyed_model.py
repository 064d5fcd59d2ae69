"""A program: a server that speaks Chat Completions to who has the key, and is slow."""

import json
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_CANARY = re.compile(r"canary \w+")
_SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_MEND = "sed -i 's/a - b/a + b/' calc.py"


class _Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers.get("authorization") != f"Bearer {KEY}":
            self._answer(401, {"error": {"message": "no key", "code": "invalid_api_key"}})
            return
        time.sleep(0.3)
        n_answers = sum(one["role"] == "assistant" for one in asked["messages"])
        canaries = _CANARY.findall(json.dumps(asked["messages"]))
        said = f"hi {n_answers} {' '.join(canaries)}"
        message: dict[str, Any] = {"role": "assistant", "content": said}
        if asked.get("tools"):
            command = f"{_SUBMIT}; echo '{said}'" if n_answers else _MEND
            function = {"name": "bash", "arguments": json.dumps({"command": command})}
            call = {"id": f"c{n_answers}", "type": "function", "function": function}
            message["tool_calls"] = [call]
        self._answer(
            200,
            {
                "id": "x",
                "object": "chat.completion",
                "model": asked["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
            },
        )

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


if __name__ == "__main__":
    KEY = Path(sys.argv[2]).read_text("utf-8").strip()
    server = ThreadingHTTPServer((sys.argv[1], 0), _Model)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
