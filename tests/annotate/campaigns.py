"""Small campaigns for the tests of the app, their links, and the app served as a user serves it."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette

from equipoise.annotate.answers import answers, open_store
from equipoise.annotate.app import make_app
from equipoise.annotate.campaign import read_campaign
from equipoise.annotate.dashboard import overview
from equipoise.annotate.links import hashed, path_of
from equipoise.annotate.serving import address_of, bound
from equipoise.cli.clock import exact_now
from equipoise.records.answer import Answer
from equipoise.records.codec import encode
from equipoise.records.packet import Doc, Option, Packet
from equipoise.wiring.annotating import answers_database

WORDS = {
    "en": ("The river kept its name.", "A name was kept by the river.", "River name kept.", "The"),
    "ru": ("Река хранила имя.", "Имя хранилось рекой.", "Река имя.", "Река"),
    "zh": ("河流保留了它的名字。", "名字被河流保留。", "河名留。", "河"),
    "ja": ("川はその名を守った。", "名は川に守られた。", "川の名。", "川"),
    "ar": ("احتفظ النهر باسمه.", "الاسم محفوظ لدى النهر.", "نهر اسم.", "نهر"),
}


@dataclass(kw_only=True)
class Made:
    """A study's folder with a campaign, and the links to it."""

    study: Path
    tokens: dict[str, str]
    lists: dict[str, list[str]]
    packets: dict[str, Packet] = field(default_factory=dict)
    database: str = ""
    """Where answers are, if not in the campaign's own file."""

    @property
    def options(self) -> tuple[str, ...]:
        return ("--database", self.database) if self.database else ()

    def kept(self) -> list[Answer]:
        """Gives the answers as `annotate collect` reads them."""
        return answers(self.study, answers_database(self.database))

    def path(self, who: str) -> str:
        return path_of(who, self.tokens[who])


def packet(name: str, *texts: str, lang: str = "en", **more: Any) -> Packet:
    options = tuple(Option(text=text, lang=lang) for text in texts or WORDS[lang])
    asked = {"axis": "style", "ask": "Which reads best?", **more}
    return Packet(id=f"p-{name}", options=options, **asked)


def campaign(
    study: Path,
    lists: Mapping[str, Sequence[Packet]],
    checks: Mapping[str, Mapping[str, Any]] | None = None,
    rule: Mapping[str, int] | None = None,
) -> Made:
    """Writes a campaign as `annotate make` does."""
    folder = study / "campaign"
    folder.mkdir(parents=True)
    packets = {one.id: one for mine in lists.values() for one in mine}
    folder.joinpath("packets.jsonl").write_bytes(
        b"".join(encode(one) + b"\n" for one in packets.values())
    )
    folder.joinpath("assignments.jsonl").write_text(
        "".join(
            json.dumps({"annotator": who, "n": n, "packet": one.id}) + "\n"
            for who, mine in lists.items()
            for n, one in enumerate(mine, 1)
        )
    )
    tokens = {who: f"{who or 'dash'}-".ljust(43, "x") for who in [*lists, ""]}
    secret = {"checks.json": checks or {}, "tokens.json": {w: hashed(t) for w, t in tokens.items()}}
    for name, content in secret.items():
        folder.joinpath(name).write_text(json.dumps(content))
        folder.joinpath(name).chmod(0o600)
    if rule:
        study.joinpath("plan.json").write_text(json.dumps({"checks": rule}))
    return Made(
        study=study,
        tokens=tokens,
        lists={who: [one.id for one in mine] for who, mine in lists.items()},
        packets=packets,
    )


def started(
    study: Path, *options: str, log: Path | None = None, limit_bytes: int = 0
) -> tuple["subprocess.Popen[str]", str]:
    """Starts `equipoise annotate serve` and gives the process and the address it tells."""
    log = log or study / "serve.log"
    with log.open("a") as errors:
        server = subprocess.Popen(
            [sys.executable, "-m", "equipoise", "annotate", "serve", str(study), *options],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    if limit_bytes:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
    assert server.stdout
    told = server.stdout.readline()
    found = re.search(r"http://\S+", told)
    assert found, told + log.read_text()
    return server, found.group()


@contextmanager
def made_app(study: Path) -> Iterator[Starlette]:
    store = open_store(study)
    yield make_app(read_campaign(study), store, exact_now, overview)
    store.close()


@contextmanager
def inside(study: Path) -> Iterator[str]:
    """Serves a study in a thread of this process, and gives the address."""
    with made_app(study) as app, bound("127.0.0.1", 0) as at:
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, ws="none"))
        thread = Thread(target=server.run, kwargs={"sockets": [at]})
        at.listen()
        thread.start()
        try:
            yield address_of(at)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def served(
    study: Path, *options: str, log: Path | None = None, limit_bytes: int = 0
) -> Iterator[str]:
    """Serves a study, and gives the address; files may be limited, as on a disk that is full."""
    server, address = started(study, "--port", "0", *options, log=log, limit_bytes=limit_bytes)
    try:
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)
    assert server.returncode == 0


_FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


def form_of(page: str, kind: str = "set") -> dict[str, str]:
    """Gives the hidden fields of a form on a page."""
    found = re.search(rf'<form id="{kind}".*?</form>', page, re.DOTALL)
    assert found, page
    return dict(_FIELD.findall(found.group()))


class Person:
    """An annotator with a browser that has no script."""

    def __init__(self, address: str, path: str) -> None:
        self.http = httpx.Client(base_url=address, timeout=30, follow_redirects=True)
        self.here = path

    def page(self, name: str = "/set") -> str:
        return self.http.get(self.here + name).raise_for_status().text

    def post(self, where: str, form: Mapping[str, str], **more: str) -> httpx.Response:
        return self.http.post(f"{self.here}/{where}", data={**form, **more})

    def answer(self, best: int, worst: int, **more: str) -> httpx.Response:
        """Answers the set that is shown."""
        form = form_of(self.page())
        return self.post("answer", form, best=str(best), worst=str(worst), **more)

    def undo(self) -> httpx.Response:
        return self.post("undo", form_of(self.page(), "undo"))

    def close(self) -> None:
        self.http.close()


DOC = Doc(name="Source", text="川は名を守った。", lang="ja")
