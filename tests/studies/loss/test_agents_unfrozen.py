"""What an agent said and cost is recorded even where what it did cannot be frozen."""

import json
import os
import shutil
from pathlib import Path

import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.trial import EndingKind, Fault, Trial
from studies.loss.made_agents import NEEDS_BWRAP, SENIOR, agent_arm, agent_study
from studies.loss.study_commands import run

_ASKS = """\
import json, os, urllib.request
asked = urllib.request.Request(os.environ["URL"] + "/v1/chat/completions",
    data=json.dumps({"model": "stand-in-2026-01-01", "max_tokens": 9,
                     "messages": [{"role": "user", "content": "fix add"}]}).encode(),
    headers={"authorization": "Bearer " + os.environ["TOKEN"], "content-type": "application/json"})
print(json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"])
open("calc.py", "a").write("# looked at\\n")
"""
_BROKEN_GIT = """\
#!/bin/sh
case " $* " in *" diff "*) exec {git} "$@" > /dev/full;; esac
exec {git} "$@"
"""
_KILLED_ONCE = """\
#!/bin/sh
case " $* " in *" repack "*) mkdir {once} 2> /dev/null && kill -9 $$;; esac
exec {git} "$@"
"""


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-45")
def test_a_seed_whose_making_was_killed_is_made_again_for_the_same_cell(tmp_path: Path) -> None:
    study = agent_study(tmp_path / "study", only=agent_arm({"scripted": {"cases": SENIOR}}))
    killed = _KILLED_ONCE.format(git=shutil.which("git"), once=tmp_path / "once")
    code, _, err = run("run", study, PATH=_with_git(tmp_path / "programs", killed))
    assert code == 0, err
    (path,) = study.glob("archive/only-*")
    trials = list(Archive.open(path).read(Trial))
    done = [trial for trial in trials if trial.ending.kind is EndingKind.COMPLETED]
    assert sorted(trial.repetition for trial in done) == [1, 2, 3]
    (passed,) = (trial for trial in trials if trial not in done)
    assert passed.ending.detail == "workspace: git repack was killed by signal 9"
    assert passed.ending.is_retriable


def _with_git(programs: Path, script: str) -> str:
    """Puts a git of ours before that of the machine, and gives the PATH."""
    programs.mkdir()
    programs.joinpath("git").write_text(script)
    programs.joinpath("git").chmod(0o755)
    return f"{programs}:{os.environ['PATH']}"


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-45")
@pytest.mark.requirement("OUT-16")
def test_a_disk_that_fills_at_the_end_loses_no_transcript(tmp_path: Path) -> None:
    asks: dict[str, object] = {"argv": ["python3", "/asks/asks.py"], "mounts": {"/asks": "agents"}}
    asks["environment"] = {"URL": "{url}", "TOKEN": "{token}"}
    folder = tmp_path / "study"
    folder.joinpath("agents").mkdir(parents=True)
    folder.joinpath("agents", "asks.py").write_text(_ASKS)
    study = agent_study(folder, only=agent_arm({"command": asks}))
    broken = _BROKEN_GIT.format(git=shutil.which("git"))
    code, _, err = run("run", study, PATH=_with_git(tmp_path / "programs", broken))
    assert code == 0, err
    (path,) = study.glob("archive/only-*")
    archive = Archive.open(path)
    trials = list(archive.read(Trial))
    assert len(trials) == 3
    for trial in trials:
        assert (trial.ending.kind, trial.ending.fault) == (
            EndingKind.INFRASTRUCTURE_ERROR,
            Fault.INFRASTRUCTURE,
        ), trial.ending
        assert trial.ending.detail.count("git diff failed") == 2
        assert trial.usage is not None
        assert trial.usage.input_tokens == 12
    names = {document.name.partition("/")[2]: document for document in archive.read(Document)}
    assert {"stdout", "calls.jsonl", "session.json"} <= names.keys()
    assert "diff.patch" not in names
    session = b"".join(archive.blobs.chunks(names["session.json"].sha256))
    assert json.loads(session)["is_whole"] is False
