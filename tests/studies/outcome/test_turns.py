"""Further turns: a user who confirms once the agent has stopped, epics that go child by child."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.errors import InputError
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.trial import EndingKind, Trial
from equipoise.studies.outcome.conducting import conducts
from equipoise.studies.outcome.packs import read_pack
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import (
    DESIGN,
    DRAFT,
    WAITS,
    changed,
    checkpoint_pack,
    diff_of,
    write,
    write_study,
)
from studies.outcome.test_killed import folder, left

__all__ = ["folder"]
pytestmark = NEEDS_BWRAP
NAME = "f01-mean"
CHILDREN = ("parser", "store", "printer")
YES = "Yes, build the parser."
LATER = [f"The {name} is next." for name in CHILDREN[1:]]


def child(name: str, turn: int) -> dict[str, Any]:
    """What the stand-in does in the turn of a child: it notes each time that it is done."""
    do = [
        {"sleep": "0.8"},
        {"run": f"echo {name} >> children.txt && ls /state/transcript.jsonl"},
        {"maybe": {"p": "0.5", "do": [{"write": {"path": f"{name}.py", "text": "GOOD = 1\n"}}]}},
        {"print": f"Built the {name}."},
    ]
    return {"when": {"turn": str(turn)}, "do": do}


def stands(*cases: dict[str, Any]) -> dict[str, Any]:
    """An arm that first designs and waits, then does a child in each turn."""
    first = {"do": [{"write": {"path": DESIGN, "text": DRAFT}}, {"print": WAITS}]}
    agent = {
        "harness": {"scripted": {"cases": [*cases, first]}},
        "model": "stand-in-2026-01-01",
        "provider": {"scripted": "model.yaml"},
    }
    return {"name": "epic", "agent": agent}


def epic(study: Path) -> Path:
    """A study of an epic that the user takes child by child, planned and sealed."""
    pack = checkpoint_pack(study / "pack")
    state = {"present": ["children.txt"], "told": ["built"]}
    later = {"confirmation": "second_turn", "confirmation_text": YES, "turns": LATER}
    place = study / "pack/fixtures/e2e" / NAME
    changed(place, kind="stop", expected_end_state=state, checkpoint=None, **later)
    reference = {"reference.patch": diff_of({}, {"children.txt": "x\n"}), "reference.txt": "built"}
    write(place / "patches", reference)
    done = called("prove", pack)
    assert done.exit_code == 0, done.output
    cases = [child(name, turn) for turn, name in enumerate(CHILDREN, start=2)]
    write_study(study, stands(*cases), repetitions="3", budget={"concurrency": "1"})
    for verb in ("plan", "seal"):
        done = called(verb, study)
        assert done.exit_code == 0, done.output
    return study


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study, sealed once."""
    return epic(tmp_path_factory.mktemp("turns") / "study")


def kept(study: Path) -> dict[tuple[int, str], bytes]:
    """What stands in the archive of each repetition, times and ids aside."""
    (path,) = study.glob("archive/epic-*")
    assert [fault for fault in verify_archive(path) if not fault.is_note] == []
    archive = Archive.open(path)
    trials = list(archive.read(Trial))
    assert [one.ending.kind for one in trials] == [EndingKind.COMPLETED] * len(trials)
    number = {one.id: one.repetition for one in trials}
    assert len(set(number.values())) == len(trials)  # each cell once
    return {
        (number[owner], name): b"".join(archive.blobs.chunks(document.sha256))
        for document in archive.read(Document)
        if (owner := document.name.partition("/")[0]) in number
        and (name := document.name.partition("/")[2])
        and name not in {"session.json", "calls.jsonl"}
        and not name.startswith("suite-")
    }


def turns_of(study: Path) -> list[list[dict[str, Any]]]:
    """What each session says of its turns."""
    (path,) = study.glob("archive/epic-*")
    archive = Archive.open(path)
    sessions = [
        json.loads(b"".join(archive.blobs.chunks(one.sha256)))
        for one in archive.read(Document)
        if one.name.endswith("/session.json")
    ]
    assert {one["n_turns_planned"] for one in sessions} == {4}
    return [one["turns"] for one in sessions]


@pytest.mark.requirement("OUT-54")
def test_the_user_says_more_once_the_agent_has_stopped(sealed: Path, folder: Path) -> None:
    study = shutil.copytree(sealed, folder / "study")
    (unit,) = study.joinpath("outcome-units.jsonl").read_text(encoding="utf-8").splitlines()
    brief = json.loads(unit)["brief"]
    assert brief["turns"] == [YES, *LATER]
    assert YES not in brief["prompt"]
    done = called("run", study)
    assert done.exit_code == 0, done.output
    found = kept(study)
    assert b"children.txt" not in found[1, "turns/1/diff.patch"]
    assert b"status: draft" in found[1, "turns/1/diff.patch"]
    assert found[1, "turns/1/output"] == WAITS.encode()
    assert b"+parser\n+store\n" in found[1, "turns/3/diff.patch"]
    assert b"+parser\n+store\n+printer\n" in found[1, "diff.patch"]
    assert found[1, "output"] == b"Built the printer."
    for turns in turns_of(study):
        told = [(one["number"], one["how"]) for one in turns]
        assert told == [(number, "exited") for number in (1, 2, 3, 4)]
        assert not any(one.get("is_restored") for one in turns)
    (path,) = study.glob("archive/epic-*")
    for conduct in conducts(Archive.open(path)):
        assert (conduct.findings, conduct.unseen) == ((), ())  # its transcript has all turns
    assert not study.joinpath("work").exists()


def test_what_cannot_be_said_is_refused(tmp_path: Path) -> None:
    pack = checkpoint_pack(tmp_path / "pack")
    place = tmp_path / "pack/fixtures/e2e" / NAME
    for fields, wrong in (
        ({"confirmation": "second_turn", "checkpoint": None}, "there is no confirmation_text"),
        ({"turns": ["Go on."]}, "wanted second_turn"),
        ({"confirmation": "none", "checkpoint": None, "turns": [" "]}, "the user says nothing"),
    ):
        before = place.joinpath("scenario.json").read_bytes()
        changed(place, **fields)
        with pytest.raises(InputError, match=wrong):
            read_pack(pack)
        place.joinpath("scenario.json").write_bytes(before)


def test_an_arm_that_cannot_go_on_is_refused_before_anything_is_run(
    sealed: Path, tmp_path: Path
) -> None:
    study = shutil.copytree(sealed, tmp_path / "study")
    draft = study / "study.yaml"
    text = yaml.safe_load(draft.read_text(encoding="utf-8"))
    text["arms"][0]["agent"]["harness"] = {"command": {"argv": ["sh"], "calls_model": "false"}}
    study.joinpath("plan.json").unlink()
    study.joinpath("seal.json").unlink(missing_ok=True)
    draft.write_text(yaml.safe_dump(text), encoding="utf-8")
    done = called("plan", study)
    assert done.exit_code == 2, done.output
    assert "command cannot go on with a session after it has ended" in done.output


@pytest.mark.slow
@pytest.mark.requirement("OUT-56")
def test_kills_between_children_go_on_with_the_next_child(sealed: Path, folder: Path) -> None:
    whole, killed = (shutil.copytree(sealed, folder / name) for name in ("whole", "killed"))
    assert called("run", whole).exit_code == 0
    own = folder / "t"
    own.mkdir()
    argv = [sys.executable, "-m", "equipoise", "run", str(killed)]
    environment = os.environ | {"TMPDIR": str(own)}
    boundaries, cells = [], list[str]()
    for cell in (0, 1):
        for n_done, name in enumerate(("design", *CHILDREN[:-1]), start=1):
            with subprocess.Popen(
                argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ) as program:
                while program.poll() is None:
                    found = stood(killed)
                    cells += [key for key in found if key not in cells]
                    if len(cells) > cell and found.get(cells[cell], 0) >= n_done:
                        break
                    time.sleep(0.01)
                program.kill()
            assert program.returncode == -signal.SIGKILL
            boundaries.append((name, stood(killed)[cells[cell]]))
    assert boundaries == [("design", 1), ("parser", 2), ("store", 3)] * 2
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert kept(killed) == kept(whole)  # each child once, whichever run did it
    restored = [sum(one.get("is_restored", False) for one in turns) for turns in turns_of(killed)]
    assert sorted(restored) == [0, 3, 3]  # no child that was finished is done again
    until = time.monotonic() + 20
    while (rest := left(folder, own)) and time.monotonic() < until:
        time.sleep(0.2)
    assert rest == []


def stood(study: Path) -> dict[str, int]:
    """How many turns each cell has done that is set down now, by the name of its place."""
    found: dict[str, int] = {}
    for path in study.glob("work/*/turns/*/[0-9]*/state.json"):
        try:
            n = len(json.loads(path.read_bytes())["done"])
        except (OSError, ValueError):
            continue
        found[path.parent.parent.name] = max(n, found.get(path.parent.parent.name, 0))
    return found
