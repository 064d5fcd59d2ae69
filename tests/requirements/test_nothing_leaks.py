"""Words planted in everything a study knows reach no packet, no page, no question to a judge."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from annotate.campaigns import Person, served
from studies.rating.rating_commands import fine, outputs, run, write_study

ARMS = ("canaryarm-1", "canary_arm_two", "CanaryThree")
PLANTED = {
    "arm": ARMS,
    "model": ("zz-canarymodel-7b", "CanaryMaker", "canarymodel"),
    "skill": ("mcp-canary-skill",),
    "price": ("0.07654321",),
    "tokens": ("765432",),
    "time": ("2026-02-03T04:05:06", "987654"),
    "order": ("canaryrun-003", "run 3 of 12"),
    "unit": ("canaryunit",),
    "cluster": ("canarycluster",),
    "file": ("canaryfile",),
    "note": ("canarynote",),
}
_FAMILIES = """version: "1"
extends: shipped
families:
  - {id: canaryfam, makers: [CanaryMaker], models: ["zz-canarymodel*"]}
  - {id: strangers, models: ["stranger-*"]}
"""
_SAYS = (
    "I am arm canaryarm-1.", "Made with CANARY-ARM TWO, canary\u200b_arm\u200b_two.",
    "By zz-canarymodel-7b of CanaryMaker, variant CanaryThree.",
    "skill: canary-skill; /mcp-canary-skill.", "total_tokens: 765432, cost_usd=0.07654321.",
    '{"started_at": "2026-02-03T04:05:06", "latency_ms": 987654}', "run 3 of 12.",
)  # fmt: skip


def _lines() -> list[dict[str, Any]]:
    lines = outputs(7, ARMS)
    for number, line in enumerate(lines):
        line["unit"] = f"canaryunit-{line['unit']}"
        line["cluster"] = f"canarycluster-{number % 3}"
        line["trial"] = f"canaryrun-003-0.07654321-765432-{number}"
        line["models"] = ["hosted/zz-canarymodel-7b"]
        line["prompt"] = "Write as CanaryThree, zz-canarymodel-7b, would. The prompt is shown."
        line["docs"].append({"name": "canarynote", "text": "canarynote: 765432 tokens"})
        line["docs"][0]["text"] += " (canaryarm-1)"
        line["text"] += f" {_SAYS[number // len(ARMS)]} See {line['trial']}.txt"
    return lines


class _Judge(BaseHTTPRequestHandler):
    asked: list[bytes]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append(f"{self.path} {self.headers}".encode() + body)
        said = json.dumps({"reason": "", "best": "A", "worst": "B"})
        content = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": json.loads(body)["model"],
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": said},
                        "finish_reason": "stop",
                    }
                ],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def _judge() -> Iterator[tuple[str, list[bytes]]]:
    """A judge on this machine that keeps every byte it is asked."""
    asked: list[bytes] = []
    handler = type("_Kept", (_Judge,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def _study(folder: Path, url: str) -> Path:
    more = (
        "set_size: 3\nhidden: [mcp-canary-skill]\nraters_per_set: 1\nretest: 0.3\n"
        "annotators: [{name: ann}, {name: bob}]\nchecks: {silent: 1, need: 1, loud: 1, equal: 1}\n"
        "axes:\n  - {name: style, ask: Which reads best?, shows: [source], shows_prompt: true}\n"
        "judges:\n  policy: panel\n  repeats: 12\n  judges:\n    - name: stranger\n"
        "      model: {model: stranger-1, provider: {provider: strangers, "
        f'url: "{url}", key_variable: STRANGER_KEY}}, max_tokens: 99}}\n'
    )
    study = write_study(folder / "canaryfile-canaryarm-1", _lines(), arms=ARMS, more=more)
    study.joinpath("families.yaml").write_text(_FAMILIES)
    study.joinpath("outputs.jsonl").rename(study / "canaryfile-zz-canarymodel-7b.jsonl")
    draft = study.joinpath("study.yaml")
    text = draft.read_text().replace("outputs.jsonl", "canaryfile-zz-canarymodel-7b.jsonl")
    draft.write_text(text.replace("title: A study", "title: Is canaryarm-1 best?"))
    return study


def _found(shown: str) -> list[str]:
    """The planted words that stand in a text, however they are written."""
    plain = re.sub(r"[\W_]+", "", shown.casefold())
    words = [word for words in PLANTED.values() for word in words]
    return [word for word in words if re.sub(r"[\W_]+", "", word.casefold()) in plain]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str], list[bytes]]:
    """The study with its campaign, the links, and what its judge was asked."""
    with _judge() as (url, asked):
        study = _study(tmp_path_factory.mktemp("leaks"), url)
        fine("plan", study)
        fine("seal", study)
        links = dict(re.findall(r"(\w+).*?(/[ad]/\S+)", fine("annotate", "make", study)))
        code, _, err = run("grade", study, STRANGER_KEY="k")
        assert code == 0, err
    return study, links, asked


@pytest.mark.requirement("ABX-38")
def test_nothing_planted_is_in_what_the_campaign_shows(
    told: tuple[Path, dict[str, str], list[bytes]],
) -> None:
    study = told[0]
    for name in ("packets.jsonl", "assignments.jsonl"):
        shown = study.joinpath("campaign", name).read_text(encoding="utf-8")
        assert _found(shown) == []
    hidden = study.joinpath("campaign", "keys.jsonl").read_text(encoding="utf-8")
    assert _found(hidden), "the key is where it all stands"
    assert "[masked]" in study.joinpath("campaign", "packets.jsonl").read_text(encoding="utf-8")


@pytest.mark.requirement("ABX-37")
@pytest.mark.requirement("ABX-38")
def test_nothing_planted_reaches_a_judge(
    told: tuple[Path, dict[str, str], list[bytes]],
) -> None:
    asked = told[2]
    assert len(asked) == 7 * 12
    for request in asked:
        text = request.decode()
        assert "original" in text
        assert "The prompt is shown." in text
        assert _found(text.replace("\\n", " ")) == []


@pytest.mark.requirement("PIL-25")
@pytest.mark.requirement("PIL-63")
def test_nothing_planted_is_served(told: tuple[Path, dict[str, str], list[bytes]]) -> None:
    study, links, _ = told
    lists: dict[str, list[str]] = {}
    for one in sorted(_read(study, "assignments.jsonl"), key=lambda task: task["n"]):
        lists.setdefault(one["annotator"], []).append(one["packet"])
    checks = json.loads(study.joinpath("campaign", "checks.json").read_bytes())
    pages: list[str] = []
    with served(study) as address:
        for who in ("ann", "bob"):
            person = Person(address, links[who])
            pages.append(person.page(""))
            for packet in lists[who]:
                right = checks.get(packet, {})
                worst = right["worst"] if right.get("worst") is not None else 1
                pages += [person.page(), person.answer((worst + 1) % 3, worst).text]
            pages += [person.page("/done"), person.page("/review/1"), person.page("/app.js")]
            person.close()
        dashboard = Person(address, links["dashboard"])
        pages.append(dashboard.page(""))
        dashboard.close()
    assert sum("original" in page for page in pages) > 2 * 7
    assert [(word, page) for page in pages for word in _found(page)] == []


def _read(study: Path, name: str) -> list[dict[str, Any]]:
    lines = study.joinpath("campaign", name).read_bytes().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.requirement("ABX-38")
@pytest.mark.requirement("PIL-63")
def test_nothing_planted_is_exported_or_told_in_the_terminal(
    told: tuple[Path, dict[str, str], list[bytes]], tmp_path: Path
) -> None:
    study = tmp_path / "fresh"
    shutil.copytree(told[0], study, ignore=shutil.ignore_patterns("answers.sqlite*"))
    said = fine("annotate", "rate", study, "--annotator", "ann", given="1 2\n2 3\nu\n?\nq\n")
    said += fine("annotate", "status", study)
    to = tmp_path / "exported"
    for form in ("csv", "jsonl", "potato", "label-studio"):
        fine("annotate", "export", study, "--format", form, "-o", to / form)
    for form in ("csv", "jsonl"):
        out = to / f"answers.{form}"
        fine("annotate", "export", study, "--what", "answers", "--format", form, "-o", out)
    files = [path for path in to.rglob("*") if path.is_file()]
    shown = [path.read_text(encoding="utf-8") for path in files]
    assert sum("original" in text for text in shown) >= 4
    assert [path.name for path in files if _found(path.name)] == []
    assert [(path.name, _found(text)) for path, text in zip(files, shown, strict=True)] == [
        (path.name, []) for path in files
    ]
    assert "original" in said
    assert _found(said) == []
