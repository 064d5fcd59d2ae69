"""Nobody gets in without a link of his own, and whoever gets in finds no name, key or answer."""

import asyncio
import json
import re
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from click.testing import CliRunner
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from annotate.campaigns import Made, campaign, form_of, inside, made_app, packet, served
from annotate.conftest import Visit
from equipoise.annotate.answers import answers, answers_file
from equipoise.annotate.brisk import Brisk
from equipoise.annotate.limits import Bucket
from equipoise.annotate.links import hashed, new_token, owner
from equipoise.cli import commands
from equipoise.errors import Blocked

CANARY = "canary-arm-of-gpt"
_NOWHERE = ("--host", "203.0.113.1")  # of a network for documentation: nobody can listen there
HOSTILE = (
    "<script>alert(1)</script>{{ 7*7 }}",
    "\u202eevil\u202c </div><img src=x onerror=alert(1)>",
    "water\u200b\u200bmark & 'quotes' \"too\"",
    "می\u200cخواهم \u0301\u0301\u0301\u0301\u0301\u0301\u0301",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    checks = {"p-2": {"kind": "silent", "best": 1, "worst": 3, "warning": f"{CANARY}-warning"}}
    lists = {
        "ann": [packet("1", *HOSTILE, lang='en" onload="x'), packet("2"), packet("3")],
        "bob": [packet("4"), packet("5")],
    }
    made = campaign(tmp_path_factory.mktemp("study"), lists, checks)
    plan = {"arms": [CANARY], "checks": {"n_silent": 1, "need": 1}, "kind": "rating"}
    made.study.joinpath("plan.json").write_text(json.dumps(plan))
    made.study.joinpath("campaign", "keys.jsonl").write_text(CANARY)
    return made


@pytest.fixture(scope="module")
def address(made: Made) -> Iterator[str]:
    with served(made.study) as told:
        yield told


def _paths(made: Made) -> list[tuple[str, str]]:
    """Gives every route of the app, by method and path with ``{token}``."""
    found = []
    with made_app(made.study) as app:
        for route in app.routes:
            path = getattr(route, "path", "").replace("{place:int}", "1")
            methods = sorted(getattr(route, "methods", ()))
            for name in ("app.js", "app.css", "other") if "{name}" in path else ("",):
                found += [(method, path.replace("{name}", name)) for method in methods]
    assert len(found) > 20
    return found


@pytest.mark.parametrize("kind", ["none", "wrong", "shortened", "the dashboard's", "another's"])
def test_every_route_is_shut_to_a_wrong_link(made: Made, address: str, kind: str) -> None:
    with httpx.Client(base_url=address) as http:
        for method, path in _paths(made):
            is_dashboard = path.startswith("/d/")
            right = made.tokens["" if is_dashboard else "ann"]
            token = {
                "none": "",
                "wrong": new_token(),
                "shortened": right[:-1],
                "the dashboard's": made.tokens["bob" if is_dashboard else ""],
                "another's": made.tokens["bob"],
            }[kind]
            if kind == "another's" and not is_dashboard:
                continue  # a list of his own: the next test
            seen = http.request(method, path.replace("{token}", token), data={"best": "1"})
            assert seen.status_code in {404, 429}, (method, path, seen.status_code)
            assert method == "HEAD" or "That did not work" in seen.text
    assert answers(made.study) == []


def test_nobody_acts_on_the_list_of_another(made: Made, address: str, visit: Visit) -> None:
    ann, bob = (visit(address, made.path(who)) for who in ("ann", "bob"))
    form = form_of(ann.page())
    for act in ("answer", "draft"):
        refused = bob.post(act, form, best="0", worst="1")
        assert refused.status_code == 409
        assert "alert(1)" not in refused.text
    stolen = {**form_of(bob.page()), "packet": form["packet"]}
    assert bob.post("answer", stolen, best="0", worst="1").status_code == 409
    assert ann.post("answer", {**form, "stamp": form["stamp"][:-1] + "x"}).status_code == 409
    later = {**form, "packet": "p-3"}
    assert ann.post("answer", later, best="0", worst="1").status_code == 409
    assert bob.http.get(f"{bob.here}/review/1").url.path.endswith("/set")
    assert answers(made.study) == []


@pytest.mark.parametrize(
    "headers",
    [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "http://evil"}],
)
def test_a_form_of_another_page_is_refused(
    made: Made, address: str, visit: Visit, headers: dict[str, str]
) -> None:
    ann = visit(address, made.path("ann"))
    form = {**form_of(ann.page()), "best": "0", "worst": "1"}
    refused = ann.http.post(f"{ann.here}/answer", data=form, headers=headers)
    assert refused.status_code == 403
    assert answers(made.study) == []


def test_bodies_are_small_forms(made: Made, address: str, visit: Visit) -> None:
    ann = visit(address, made.path("ann"))
    kind = {"content-type": "application/x-www-form-urlencoded"}
    many = "&".join(f"a{n}=1" for n in range(100))
    for body in ("a=" + "x" * 20_000, many, "a=%ff", "\xff"):
        got = ann.http.post(f"{ann.here}/answer", content=body.encode("latin-1"), headers=kind)
        assert got.status_code == 413
    assert ann.http.post(f"{ann.here}/answer", json={"best": 0}).status_code == 413
    for value in ("-1", "4", "99999999999999999999", "1e3", "٣", "nan", "true"):
        form = {**form_of(ann.page()), "best": value, "worst": "1", "seconds": value}
        assert ann.post("answer", form).status_code == 400
    assert answers(made.study) == []


@pytest.mark.requirement("PIL-25")
def test_nothing_that_is_served_names_a_system_or_an_answer(
    made: Made, address: str, visit: Visit
) -> None:
    bob = visit(address, made.path("bob"))
    pages = [bob.page(path) for path in ("", "/set", "/app.js", "/app.css")]
    pages += [bob.answer(0, 1).text, bob.answer(1, 2).text]
    pages.append(bob.post("guess", form_of(pages[-1], "guess"), guess="both").text)
    pages += [bob.page(f"/review/{n}") for n in (1, 2)]
    board = visit(address, made.path("")).page("")
    for page in [*pages, board]:
        assert "canary" not in page
        assert made.tokens["ann"] not in page
    assert not any(word in page for page in pages for word in ("silent", "loud", "tutorial"))
    others = {*made.lists["ann"], "ann"}
    assert not any(re.search(rf"\b{name}\b", page) for page in pages for name in others)
    path = answers_file(made.study)
    for written in (path, path.with_name(f"{path.name}-wal"), made.study / "serve.log"):
        kept = written.read_bytes()
        assert not any(token.encode() in kept for token in made.tokens.values())
        assert b"canary" not in kept


def test_hostile_texts_are_words_on_a_page(made: Made, address: str, visit: Visit) -> None:
    page = visit(address, made.path("ann")).page()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7*7 }}" in page
    assert "<img" not in page
    assert "onload" not in page
    assert "\u202e" not in page
    assert '<bdi class="unseen" dir="ltr">U+202E</bdi>evil' in page
    assert 'water<bdi class="unseen" dir="ltr">U+200B×2</bdi>mark' in page
    assert "می\u200cخواهم" in page
    assert "\u0301" * 4 in page
    assert "\u0301" * 5 not in page


@pytest.mark.slow
def test_a_megabyte_is_shown_whole_and_fast(tmp_path: Path, visit: Visit) -> None:
    big = tuple(letter * 1_000_000 for letter in ("ab ", "\u200b\u200c", "<", "川"))
    made = campaign(tmp_path / "s", {"ann": [packet("1", *(text[:1_000_000] for text in big))]})
    with inside(made.study) as address:
        seen = visit(address, made.path("ann")).http.get(f"{made.path('ann')}/set")
    assert seen.elapsed.total_seconds() < 20
    assert seen.text.count("川") == 1_000_000
    assert seen.text.count("&lt;") == 1_000_000


def test_headers_keep_pages_and_links_to_themselves(made: Made, address: str, visit: Visit) -> None:
    for who, path in (("ann", "/set"), ("ann", "/app.js"), ("", ""), ("ann", "/nothing")):
        person = visit(address, made.path(who))
        headers = person.http.get(person.here + path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == (
            "private, max-age=86400" if path == "/app.js" else "no-store"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
    page = visit(address, made.path("bob")).page("/review/1")
    assert not re.search(r"<script>|<style|style=|\son\w+=|javascript:", page)
    links = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert links
    assert all(urlsplit(link).netloc == "" for link in links)


def test_what_is_kept_cannot_be_altered_and_is_the_owners_alone(made: Made, address: str) -> None:
    assert address
    path = answers_file(made.study)
    assert path.stat().st_mode & 0o077 == 0
    with sqlite3.connect(path) as database:
        n = database.execute("SELECT count(*) FROM answers").fetchone()[0]
        row = database.execute("SELECT * FROM answers").fetchone()
        for statement in (
            "UPDATE answers SET body = '{}'",
            "DELETE FROM answers",
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)",
            "UPDATE audit SET what = ''",
            "DELETE FROM audit",
            "DELETE FROM settings",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="only appended"):
                database.execute(statement, row if "?" in statement else ())
        assert database.execute("SELECT count(*) FROM answers").fetchone()[0] == n > 0
        said = [what for (what,) in database.execute("SELECT what FROM audit")]
    database.close()
    assert "refused: a form of another page" in said
    assert "refused: a link that is nobody's" in said


def test_a_bucket_refills_with_time_and_each_key_has_its_own() -> None:
    now = [0.0]
    bucket = Bucket(2, 0.5, lambda: now[0])
    assert [bucket.takes("ann") for _ in range(3)] == [True, True, False]
    assert bucket.takes("bob")
    now[0] = 2.0
    assert [bucket.takes("ann") for _ in range(2)] == [True, False]


@pytest.mark.slow
def test_the_rate_of_one_link_is_held(tmp_path: Path, visit: Visit) -> None:
    made = campaign(tmp_path / "s", {"ann": [packet("1")], "bob": [packet("2")]})
    with served(made.study) as address:
        ann, bob = (visit(address, made.path(who)) for who in ("ann", "bob"))
        statuses = {ann.http.get(f"{ann.here}/app.css").status_code for _ in range(400)}
        assert statuses == {200, 429}
        assert bob.http.get(f"{bob.here}/set").status_code == 200
        with httpx.Client(base_url=address) as http:
            tried = [http.get(f"/a/{new_token()}").status_code for _ in range(80)]
        assert {404, 429} == set(tried)
        assert bob.http.get(f"{bob.here}/set").status_code == 200


def test_a_link_that_was_renewed_ends_while_the_server_runs(tmp_path: Path, visit: Visit) -> None:
    made = campaign(tmp_path / "s", {"ann": [packet("1")]})
    path = made.study / "campaign" / "tokens.json"
    hashes, token = json.loads(path.read_text()), new_token()
    with inside(made.study) as address:
        ann = visit(address, made.path("ann"))
        assert "Set 1 of 1" in ann.page()
        path.write_text(json.dumps(hashes)[:-5])
        assert ann.http.get(f"{ann.here}/set").status_code == 200
        path.write_text(json.dumps({**hashes, "ann": hashed(token)}))
        assert ann.http.get(f"{ann.here}/set").status_code == 404
        assert ann.http.get(f"/a/{token}/set").status_code == 200


def test_a_campaign_that_others_can_read_is_not_served(tmp_path: Path) -> None:
    made = campaign(tmp_path / "s", {"ann": [packet("1")]})
    made.study.joinpath("campaign", "tokens.json").chmod(0o644)
    done = CliRunner().invoke(commands, ["annotate", "serve", str(made.study)])
    assert done.exit_code == 3
    assert "chmod 600" in done.output
    done = CliRunner().invoke(commands, ["annotate", "serve", str(tmp_path / "none")])
    assert done.exit_code == 3
    assert "annotate make" in done.output


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, visit: Visit) -> None:
    made = campaign(tmp_path / "s", {"ann": [packet(str(n)) for n in range(99)]})
    with served(made.study, limit_bytes=160 * 1024) as address:
        ann = visit(address, made.path("ann"))
        told = [ann.answer(0, 1) for _ in range(25)]
    n_kept = sum(one.status_code == 200 for one in told)
    refused = next(one for one in told if one.status_code != 200)
    assert 0 < n_kept < 25
    assert refused.status_code == 500
    assert "is saved" in refused.text
    assert "frame-ancestors 'none'" in refused.headers["content-security-policy"]
    log = made.study.joinpath("serve.log").read_text()
    assert "a request failed: OperationalError: " in log
    assert made.tokens["ann"] not in log
    with inside(made.study) as address:
        assert f"Set {n_kept + 1} of 99" in visit(address, made.path("ann")).page()
    assert len(made.kept()) == n_kept


def test_a_port_that_is_taken_and_a_host_that_others_reach_are_told(
    made: Made, address: str
) -> None:
    port = address.rpartition(":")[2]
    done = CliRunner().invoke(commands, ["annotate", "serve", str(made.study), "--port", port])
    assert done.exit_code == 3
    assert "--port 0" in done.output
    log = made.study / "wide.log"
    with served(made.study, "--host", "0.0.0.0", log=log):
        pass
    assert "links are secrets" in log.read_text()


def test_answers_of_another_campaign_are_not_mixed(tmp_path: Path, visit: Visit) -> None:
    one = campaign(tmp_path / "one", {"ann": [packet("1")]})
    with inside(one.study) as address:
        visit(address, one.path("ann")).answer(0, 1)
    two = campaign(tmp_path / "two", {"ann": [packet("2")]})
    answers_file(one.study).rename(answers_file(two.study))
    done = CliRunner().invoke(commands, ["annotate", "serve", str(two.study), *_NOWHERE])
    assert done.exit_code == 3
    assert "a database of its own" in done.output


@pytest.mark.slow
def test_a_slow_sender_is_let_go(made: Made, address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(
            f"POST {made.path('ann')}/answer HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n"
            "content-type: application/x-www-form-urlencoded\r\n\r\na=1".encode()
        )
        line.settimeout(30)
        assert b" 413 " in line.recv(100)


def test_owner_knows_names_and_nothing_else() -> None:
    assert owner({}, "x" * 43) is None
    assert owner({"ann": "0" * 64}, "") is None
    with pytest.raises(Blocked):
        answers(Path("/nonexistent"))
    assert len({new_token() for _ in range(100)}) == 100


class _Hasty(Brisk):
    request_s = 0.6


async def _says_hello(scope: Scope, receive: Receive, send: Send) -> None:
    del scope, receive
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"hi"})


@pytest.mark.parametrize(
    "drip", [b"", b"x", b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\na"]
)
def test_who_sends_a_byte_now_and_then_is_cut_off_and_others_are_not(drip: bytes) -> None:
    asyncio.run(_dripped(drip))


async def _dripped(drip: bytes) -> None:
    config = uvicorn.Config(_says_hello, http=_Hasty, ws="none", lifespan="off", log_config=None)
    state, loop = ServerState(), asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: _Hasty(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )
    host, port = server.sockets[0].getsockname()
    read, write = await asyncio.open_connection(host, port)
    kept_read, kept_write = await asyncio.open_connection(host, port)
    ended = asyncio.create_task(read.read())
    for n in range(20):
        if n < len(drip) or drip:
            with suppress(OSError):
                write.write(drip if n == 0 else b"a")
        if n in {0, 8, 16}:  # a browser that asks at its ease on one connection
            kept_write.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            await kept_read.readuntil(b"\r\n\r\nhi")
        if ended.done():
            break
        await asyncio.sleep(0.1)
    assert ended.done(), "cut off, although something came all the time"
    with suppress(ConnectionError):
        ended.result()
    kept_write.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    assert await kept_read.readuntil(b"\r\n\r\nhi")
    assert not state.tasks
    server.close()
    for line in (write, kept_write):
        line.close()
