"""`doctor` says what a machine lacks and what that costs, and blocks only what a study needs."""

import json
from pathlib import Path
from typing import Any

import pytest

from machine.postgres import Cluster
from typed import typed


def _findings(*args: object, **environment: str) -> dict[str, Any]:
    done = typed("doctor", "--json", *args, **environment)
    assert done.code in {0, 3}, done.err
    return {finding["name"]: finding for finding in json.loads(done.out)}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    done = typed("init", "loss", tmp_path / "study")
    assert done.code == 0, done.err
    return tmp_path / "study"


def _with(study: Path, old: str, new: str) -> Path:
    path = study / "study.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return study


_STATE = "state: {directory: state, scope: run}"
_PROBE = '{name: desk, files: {glob: "logs/*.jsonl", trace: trace}}'


_AGENT = """\
sandbox: {environment: [PATH]}
state: {directory: state}
arms:
  - name: release-1
    system:
      agent:
        harness: {command: {argv: [no-such-agent]}}
        model: some-model-2026-01-01
        provider: {provider: my-server, url: "http://127.0.0.1:9", key_variable: NO_SUCH_KEY}
"""


def test_an_agent_s_key_and_program_are_looked_for_and_nobody_is_asked(study: Path) -> None:
    path = study / "study.yaml"
    text = path.read_text()
    path.write_text(text[: text.index("arms:")] + _AGENT)
    done = typed("doctor", study)
    assert done.code == 3, done.out
    assert "NEEDED  models of arm release-1: there is no key for my-server" in done.out
    assert "NO_SUCH_KEY" in done.out
    there = typed("doctor", study, NO_SUCH_KEY="canary-of-a-key")
    assert "ok      models of arm release-1: its provider can be asked" in there.out
    assert "canary-of-a-key" not in there.out + there.err
    server = '{provider: my-server, url: "http://127.0.0.1:9", key_variable: NO_SUCH_KEY}'
    judge = f"{{name: reader, model: {{model: gpt-5-mini-2025-08-07, provider: {server}}}}}"
    path.write_text(f"{text}\njudges: {{policy: double, judges: [{judge}]}}\n")
    lacks = typed("doctor", study)
    assert "NEEDED  judge reader: there is no key for my-server" in lacks.out
    can = typed("doctor", study, NO_SUCH_KEY="canary-of-a-key")
    assert "ok      judge reader: its provider can be asked" in can.out


@pytest.mark.requirement("E2E-52")
def test_a_bare_machine_is_told_what_each_thing_costs_and_how_to_get_it(tmp_path: Path) -> None:
    done = typed("doctor", PATH=str(tmp_path))
    assert done.code == 0
    for name in ("git", "ssh-keygen", "openssl", "setpriv", "psql", "Chromium"):
        assert f"missing {name}: not installed\n        costs: " in done.out
    assert "mend:  apt-get install chromium" in done.out
    assert "missing sandbox bubblewrap: bubblewrap is not here" in done.out
    assert "missing harness claude-code: " in done.out
    assert "missing seeds of agents (git): " in done.out
    assert "ok      python: CPython 3." in done.out
    assert done.out.splitlines()[-1].startswith("ready; not there: git, ssh-keygen")


def test_the_same_is_told_to_programs() -> None:
    found = _findings()
    assert found["python"]["state"] == "found"
    assert found["disk"]["is_needed"] is True
    assert set(found) > {"locale", "git", "psycopg", "playwright", "PostgreSQL server"}
    assert found["hidden tests (pytest)"]["state"] == "found"
    for finding in found.values():
        assert finding["costs"]
        assert finding["mend"]


def test_a_study_that_has_all_it_needs_is_fine(study: Path) -> None:
    before = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}
    done = typed("doctor", study)
    assert done.code == 0, done.out
    assert "ok      state: directory state, sha256 " in done.out
    assert "ok      probe desk: can collect" in done.out
    assert {path: path.read_bytes() for path in study.rglob("*") if path.is_file()} == before


@pytest.mark.requirement("E2E-52")
def test_a_page_to_be_seen_needs_a_browser(study: Path, tmp_path: Path) -> None:
    page = '{name: page, browser: {url: "http://127.0.0.1/{trial}"}}'
    _with(study, _PROBE, page)
    tmp_path.joinpath("bin").mkdir()
    done = typed("doctor", study, PATH=str(tmp_path / "bin"))
    assert done.code == 3
    assert "NEEDED  Chromium: not installed" in done.out
    assert "missing git: not installed" in done.out
    assert f"{study} needs what is missing here: Chromium" in done.out.splitlines()[-1]
    named = page.replace("url:", "executable: /nowhere/chromium, url:")
    found = _findings(_with(study, page, named))
    assert found["probe page"]["state"] == "needed"
    assert "there is no /nowhere/chromium" in found["probe page"]["found"]


@pytest.mark.requirement("E2E-52")
def test_a_database_is_reached_for_real(study: Path, cluster: Cluster, tmp_path: Path) -> None:
    address = cluster.address(cluster.database("CREATE TABLE x (y int)"))
    probe = f'{{name: rows, sql: {{postgres: "{address}", query: "SELECT 1 AS one"}}}}'
    _with(study, _PROBE, probe)
    _with(study, _STATE, f'state: {{postgres: "{address}"}}')
    found = _findings(study)
    assert found["probe rows"]["found"] == "reached"
    assert found["state"]["state"] == "found"
    _with(study, str(cluster.folder), str(tmp_path))
    lost = _findings(study)
    assert lost["probe rows"]["state"] == lost["state"]["state"] == "needed"
    assert "PostgreSQL: connection" in lost["state"]["found"]
    assert typed("doctor", study).code == 3


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (_STATE, "state: {directory: .}", "that is the folder of the study"),
        (_STATE, 'state: {postgres: "postgresql://u:hunter2@h/x"}', "a password in the address"),
        ("logs/*.jsonl", "/var/log/*", "a pattern below the folder"),
        (
            'argv: ["{python}", desk.py',
            "argv: [/nowhere/desk, desk.py",
            "no program '/nowhere/desk'",
        ),
    ],
)
def test_what_could_not_be_put_back_or_collected_is_said(
    study: Path, old: str, new: str, said: str
) -> None:
    done = typed("doctor", _with(study, old, new))
    assert done.code == 3
    assert said in done.out
    assert "hunter2" not in done.out


def test_a_study_that_cannot_be_read_lists_its_faults(study: Path, tmp_path: Path) -> None:
    done = typed("doctor", _with(study, "mde: 0.25", "mde: soon"))
    assert done.code == 2
    assert "mde" in done.err
    assert typed("doctor", tmp_path / "nothing").code in {2, 3}
