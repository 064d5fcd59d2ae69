"""A service with its state in PostgreSQL: each request becomes a row, which a page shows."""

import http.server
import json
import sys

import psycopg


class Desk(http.server.ThreadingHTTPServer):
    """Writes to the database at `database`; connects again when it was disconnected."""

    daemon_threads = True
    database = ""

    def do(self, statement: bytes, *values: object) -> list[tuple[object, ...]]:
        """Does a statement and gives its rows."""
        with psycopg.connect(self.database, autocommit=True) as connection:
            found = connection.execute(statement, values)
            return found.fetchall() if found.description else []


class _Answers(http.server.BaseHTTPRequestHandler):
    server: Desk

    def do_GET(self) -> None:
        self._say({})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.do(b"INSERT INTO action (trace) VALUES (%s)", asked["trial"])
        self._say({"reply": f"refunded: {asked['text']}"})

    def _say(self, answer: dict[str, object]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
        """Says nothing."""


if __name__ == "__main__":
    with Desk(("127.0.0.1", int(sys.argv[1])), _Answers) as desk:
        desk.database = sys.argv[2]
        desk.serve_forever()
