"""What many annotators at once cost, and whether a killed server loses what it acknowledged.

Run it by hand: ``python -m benchmarks.bench_annotate [--annotators 50] [--seconds 600] [--kills 20]
[--database postgresql:///NAME]``. It serves a made-up campaign on loopback, lets annotators look,
think, answer, and sometimes take back, kills the server with SIGKILL as often as asked and starts
it anew; then it holds what is kept against what was acknowledged, act by act. Wanted: nothing lost,
nothing doubled, and 95 % of the answers acknowledged within 250 ms where the server was not down.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
import numpy as np

from equipoise.annotate.answers import answers
from equipoise.annotate.links import hashed, new_token
from equipoise.records.answer import Answer
from equipoise.records.codec import encode
from equipoise.records.packet import Option, Packet
from equipoise.wiring.annotating import answers_database

_SETS = 600
_THINK_S = 2.0
_UNDO = 0.03
_FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_SCRIPT = {"accept": "application/json"}

Act = tuple[str, str, int | None, int | None]


@dataclass(kw_only=True)
class Seen:
    """What annotators were told, and how long it took in seconds."""

    acts: dict[str, list[Act]] = field(default_factory=lambda: defaultdict(list))
    answers: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    disturbed: list[float] = field(default_factory=list)
    n_twice: int = 0


def make(study: Path, n: int) -> dict[str, str]:
    """Writes a campaign for `n` annotators; gives their paths."""
    folder = study / "campaign"
    folder.mkdir(parents=True)
    tokens = {f"a{at:03}": new_token() for at in range(n)} | {"": new_token()}
    with (
        folder.joinpath("packets.jsonl").open("wb") as packets,
        folder.joinpath("assignments.jsonl").open("w") as assignments,
    ):
        for at, who in enumerate(name for name in tokens if name):
            for place in range(1, _SETS + 1):
                texts = [f"{place} {letter} " * 60 for letter in "ABCD"]
                packet = Packet(
                    id=f"p-{at:03}-{place:04}",
                    axis="style",
                    ask="Which reads best?",
                    options=tuple(Option(text=text, lang="en") for text in texts),
                )
                packets.write(encode(packet) + b"\n")
                line = {"annotator": who, "n": place, "packet": packet.id}
                assignments.write(json.dumps(line) + "\n")
    for name, content in (
        ("checks.json", {}),
        ("tokens.json", {who: hashed(token) for who, token in tokens.items()}),
    ):
        folder.joinpath(name).write_text(json.dumps(content))
        folder.joinpath(name).chmod(0o600)
    return {who: f"/a/{token}" for who, token in tokens.items() if who}


class Server:
    """The app as a user starts it, killed and started anew."""

    def __init__(self, study: Path, database: str) -> None:
        options = ["--database", database] if database else []
        program = [sys.executable, "-m", "equipoise", "annotate", "serve", str(study)]
        self._command = [*program, *options, "--port"]
        self.port = "0"
        self.start()

    def start(self) -> None:
        """Starts it, at the port it had before."""
        self._process = subprocess.Popen(
            [*self._command, self.port],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout
        told = self._process.stdout.readline()
        self.port = told.strip().rpartition(":")[2]
        assert self.port.isdigit(), told

    def end(self, how: signal.Signals) -> float:
        """Ends the server; gives the seconds of processor time it took."""
        self._process.send_signal(how)
        assert self._process.stdout
        self._process.stdout.close()
        _, _, used = os.wait4(self._process.pid, 0)
        self._process.returncode = 0
        return used.ru_utime + used.ru_stime


async def annotate(
    session: aiohttp.ClientSession, who: str, path: str, seen: Seen, until: float, seed: int
) -> None:
    """One annotator: looks, thinks, answers until it is acknowledged."""
    rng = np.random.default_rng(seed)
    await asyncio.sleep(rng.uniform(0, _THINK_S))
    while time.monotonic() < until:
        began = time.monotonic()
        page, tries = await _told(session, "GET", f"{path}/set", {})
        if tries == 1:
            seen.pages.append(time.monotonic() - began)
        forms = {
            kind: dict(_FIELD.findall(found))
            for kind, found in re.findall(r'<form id="(\w+)"(.*?)</form>', page, re.DOTALL)
        }
        if "set" not in forms:
            return
        await asyncio.sleep(rng.exponential(_THINK_S))
        if "undo" in forms and rng.random() < _UNDO:
            act: Act = ("undone", forms["undo"]["packet"], None, None)
            await _told(session, "POST", f"{path}/undo", forms["undo"])
        else:
            best, worst = (int(place) for place in rng.permutation(4)[:2])
            act = ("given", forms["set"]["packet"], best, worst)
            form = {**forms["set"], "best": str(best), "worst": str(worst), "seconds": "1.5"}
            began = time.monotonic()
            _, tries = await _told(session, "POST", f"{path}/answer", form)
            (seen.answers if tries == 1 else seen.disturbed).append(time.monotonic() - began)
            seen.n_twice += tries > 1
        seen.acts[who].append(act)


async def _told(
    session: aiohttp.ClientSession, method: str, path: str, form: dict[str, str]
) -> tuple[str, int]:
    """Asks until there is an acknowledgement, as the page's script does; gives it and the tries."""
    tries = 0
    while True:
        tries += 1
        try:
            headers = _SCRIPT if method == "POST" else {}
            async with session.request(method, path, data=form or None, headers=headers) as answer:
                text = await answer.text()
                if answer.status == 200:
                    return text, tries
                if answer.status < 500 and answer.status != 429:
                    raise SystemExit(f"{method} {path.rpartition('/')[2]}: {answer.status} {text}")
        except (aiohttp.ClientError, ConnectionError, TimeoutError):
            pass
        await asyncio.sleep(0.2)


async def run(server: Server, paths: dict[str, str], seconds: float, n_kills: int) -> Seen:
    """Lets all annotators work while the server is killed at even gaps."""
    seen = Seen()
    base = f"http://127.0.0.1:{server.port}"
    until = time.monotonic() + seconds
    limits = aiohttp.ClientTimeout(total=30)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(base, timeout=limits, connector=connector) as session:
        work = [
            asyncio.create_task(annotate(session, who, path, seen, until, seed))
            for seed, (who, path) in enumerate(paths.items())
        ]
        for _ in range(n_kills):
            await asyncio.sleep(seconds / (n_kills + 1))
            server.end(signal.SIGKILL)
            await asyncio.to_thread(server.start)
        await asyncio.gather(*work)
    return seen


def held_against(seen: Seen, kept: list[Answer]) -> list[str]:
    """Says what was lost, doubled or out of order."""
    faults = []
    if [one.seq for one in kept] != list(range(1, len(kept) + 1)):
        faults.append("the numbers of the answers have gaps")
    by_name: dict[str, list[Act]] = defaultdict(list)
    for one in kept:
        by_name[one.annotator].append((one.kind.value, one.packet, one.best, one.worst))
    return faults + [
        f"{who}: {len(seen.acts[who])} acknowledged, {len(by_name[who])} kept"
        for who in sorted({*seen.acts, *by_name})
        if seen.acts[who] != by_name[who]
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--database", default="")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        study = Path(folder)
        paths = make(study, asked.annotators)
        server = Server(study, asked.database)
        try:
            seen = asyncio.run(run(server, paths, asked.seconds, asked.kills))
        finally:
            busy = server.end(signal.SIGTERM)
        kept = answers(study, answers_database(asked.database))
    faults = held_against(seen, kept)
    at = {
        f"{name}_p{share}_ms": round(1000 * float(np.percentile(times, share)), 1)
        for name, times in (("answer", seen.answers), ("page", seen.pages))
        for share in (50, 95, 99)
    }
    told = {
        "database": "postgresql" if asked.database else "sqlite",
        "annotators": asked.annotators,
        "seconds": asked.seconds,
        "kills": asked.kills,
        "n_kept": len(kept),
        "n_sent_more_than_once": seen.n_twice,
        "longest_wait_s": round(max([*seen.disturbed, *seen.answers]), 1),
        "server_cpu_s_since_last_kill": round(busy, 1),
        **at,
        "faults": faults,
    }
    print(json.dumps(told, indent=1))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
