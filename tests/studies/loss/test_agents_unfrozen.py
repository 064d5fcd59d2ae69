"""What an agent said and cost is recorded even where what it did cannot be frozen."""

import json
import os
import shutil
from pathlib import Path

import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.trial import EndingKind, Fault, Trial
from studies.loss.made_agents import NEEDS_BWRAP, agent_arm, agent_study
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
    programs = tmp_path / "programs"
    programs.mkdir()
    programs.joinpath("git").write_text(_BROKEN_GIT.format(git=shutil.which("git")))
    programs.joinpath("git").chmod(0o755)

    code, _, err = run("run", study, PATH=f"{programs}:{os.environ['PATH']}")
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
