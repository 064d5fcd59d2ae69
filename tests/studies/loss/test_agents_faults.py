"""Harnesses and providers that fail, met by who runs a study: what is said, and nothing is lost."""

from pathlib import Path
from typing import Any

from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.trial import EndingKind, Reason, Trial
from studies.loss.made_agents import NEEDS_BWRAP, agent_arm, agent_study, model_arm
from studies.loss.study_commands import run

HANGING = "trap '' TERM INT HUP; while :; do sleep 60; done\n"
LOUD = "while :; do printf '%01048576d' 0; done\n"
LYING = """\
say() { printf '%s\\n' "$1"; }
say '{"type": "system", "subtype": "init", "tools": ["Bash"]}'
say '{"type": "result", "subtype": "success", "is_error": false, "result": "[API Error: 500]"}'
exit 0
"""
CHANGING = """\
say() { printf '%s\\n' "$1"; }
say '{"type": "assistant", "version": "1.0", "message": {"id": "m1", "content": []}}'
say '{"type": "assistant", "version": "1.1", "message": {"id": "m2", "content": []}}'
say '{"type": "result", "subtype": "success", "result": "Done."}'
"""
PROGRAMS = {"hanging": HANGING, "loud": LOUD, "lying": LYING, "changing": CHANGING}


def _program(name: str, **options: Any) -> dict[str, Any]:
    command = {
        "argv": ["sh", f"/agents/{name}.sh"],
        "mounts": {"/agents": "agents"},
        "calls_model": "false",
    }
    arm = agent_arm({"command": command | options})
    arm["agent"]["bounds"] = {"wall_s": "3"}
    return arm


def _one(study: Path, arm: str) -> Trial:
    (path,) = study.glob(f"archive/{arm}-*")
    assert all(fault.is_note for fault in verify_archive(path))
    return list(Archive.open(path).read(Trial))[-1]


@NEEDS_BWRAP
def test_a_harness_that_misbehaves_is_no_outcome_and_the_study_goes_on(tmp_path: Path) -> None:
    stream = {"transcript": {"form": "claude-code", "path": "stdout"}}
    study = agent_study(
        tmp_path,
        files={f"agents/{name}.sh": text for name, text in PROGRAMS.items()},
        study={"budget": {"max_attempts": "1", "concurrency": "3"}},
        hanging=_program("hanging"),
        loud=_program("loud"),
        lying=_program("lying", **stream),
        changing=_program("changing", **stream),
    )
    code, out, err = run("run", study)
    assert code == 0, out + err
    found = {name: _one(study, name).ending for name in PROGRAMS}
    assert {name: (one.kind, one.reason) for name, one in found.items()} == {
        "hanging": (EndingKind.TIMED_OUT, Reason.BUDGET),
        "loud": (EndingKind.TRUNCATED, Reason.AGENT),
        "lying": (EndingKind.INFRASTRUCTURE_ERROR, Reason.INFRASTRUCTURE),
        "changing": (EndingKind.HARNESS_ERROR, Reason.ENVIRONMENT),
    }
    assert "1.0, 1.1" in found["changing"].detail
    assert not study.joinpath("work").exists()


def test_a_key_that_is_missing_stops_the_run_before_its_first_cell(tmp_path: Path) -> None:
    keyed = {"provider": "shop", "url": "http://127.0.0.1:1", "key_variable": "NO_SUCH_KEY"}
    study = agent_study(tmp_path, keyed=model_arm(provider=keyed))
    code, _, err = run("run", study)
    assert code == 3
    assert "there is no key for shop: the environment variable NO_SUCH_KEY is not set" in err
    assert "mend: " in err
    code, out, _ = run("run", study, NO_SUCH_KEY="a key with blanks")
    assert code == 3
    assert "a key with blanks" not in out


def test_a_provider_that_is_down_gives_no_outcome_and_says_so(tmp_path: Path) -> None:
    down = {"provider": "shop", "url": "http://127.0.0.1:1"}
    study = agent_study(
        tmp_path,
        study={"budget": {"max_attempts": "1", "concurrency": "3"}},
        up=model_arm(),
        down=model_arm(provider=down),
    )
    code, out, err = run("run", study)
    assert code == 3, out + err
    assert "arm 'down': canary u1 got no answer: unreachable" in err
    assert "mend: see that what answers is up" in err
    assert _one(study, "up").ending.kind is EndingKind.COMPLETED
