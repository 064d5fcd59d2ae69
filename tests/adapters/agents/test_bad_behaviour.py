"""Programs that really misbehave: each ends as what it was, and nothing is lost or followed."""

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import anyio
import pytest

from adapters.agents.cells import MODEL, Cell, lived, made, ran, task
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.ports.agents import Bounds, Told
from equipoise.records.trial import EndingKind, Fault, Reason
from every import for_every

SHORT = Bounds(wall_s=3.0)
LONG = Bounds(wall_s=60.0, output_bytes=2**20)


def program(
    folder: Path, code: str, *, form: str = "claude-code", path: str = "stdout", **more: Any
) -> dict[str, Any]:
    """A program of these lines, its `own` the folder of its state, with a transcript of a form."""
    script = folder / "program.py"
    head = "import json, os, signal, sys, time\nown = os.environ['HOME']\n"
    script.write_text(head + textwrap.dedent(code))
    spec = {"argv": [sys.executable, str(script)], "calls_model": "false"} | more
    return spec | ({"transcript": {"form": form, "path": path}} if form else {})


def told(folder: Path, spec: dict[str, Any], **more: Any) -> Told:
    of = task(folder, **({"bounds": LONG} | more))
    return anyio.run(ran, made("command", spec, folder), of)


EVENTS = """
def event(**fields):
    print(json.dumps(fields), flush=True)
def answer(name, version="1.0"):
    event(type="assistant", version=version,
          message={"id": name, "content": [{"type": "tool_use", "name": "Bash", "input": {}}]})
event(type="system", subtype="init", tools=["Bash"])
"""


def test_one_that_hangs_and_ignores_being_asked_to_end_is_ended(tmp_path: Path) -> None:
    code = """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        open(own + "/pid", "w").write(str(os.getpid()))
        answer("m1")
        time.sleep(600)
    """
    spec = program(tmp_path, EVENTS + textwrap.dedent(code))
    found = told(tmp_path, spec, bounds=SHORT)
    assert (found.ending.kind, found.ending.reason) == (EndingKind.TIMED_OUT, Reason.BUDGET)
    assert found.counts["tool_calls"] == 1, "what it did until then is kept"
    pid = tmp_path.joinpath("cell-home", "own", "pid").read_text()
    assert not Path("/proc", pid).exists()


def test_one_that_waits_for_a_model_it_never_asked_has_no_environment(tmp_path: Path) -> None:
    spec = program(tmp_path, "time.sleep(600)", calls_model="true")
    found = told(tmp_path, spec, bounds=Bounds(wall_s=1.0))
    assert (found.ending.kind, found.ending.reason) == (
        EndingKind.HARNESS_ERROR,
        Reason.ENVIRONMENT,
    )


def test_one_that_prints_a_gigabyte_is_cut_off(tmp_path: Path) -> None:
    code = "for _ in range(1024):\n    sys.stdout.buffer.write(b'x' * 2**20)\n"
    found = told(tmp_path, program(tmp_path, code), bounds=Bounds(wall_s=30, output_bytes=2**20))
    assert (found.ending.kind, found.ending.reason) == (EndingKind.TRUNCATED, Reason.AGENT)
    assert len(found.documents["stdout"]) < 2 * 2**20


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        (
            'event(type="result", subtype="success", is_error=False, result="[API Error: 500]")',
            *(EndingKind.INFRASTRUCTURE_ERROR, Reason.INFRASTRUCTURE),
        ),
        (
            'event(type="result", subtype="success", permission_denials=[{"tool_name": "Edit"}])',
            *(EndingKind.HARNESS_ERROR, Reason.ENVIRONMENT),
        ),
        ("answer('m1')", EndingKind.HARNESS_ERROR, Reason.INFRASTRUCTURE),
        (
            'event(type="result", subtype="error_max_turns", is_error=True)',
            *(EndingKind.BUDGET, Reason.BUDGET),
        ),
    ],
)
def test_one_that_ends_with_0_after_it_failed_is_not_believed(
    tmp_path: Path, code: str, kind: EndingKind, reason: Reason
) -> None:
    found = told(tmp_path, program(tmp_path, EVENTS + code))
    assert (found.ending.kind, found.ending.reason) == (kind, reason)


def test_one_that_ends_with_1_after_it_was_done_is_believed(tmp_path: Path) -> None:
    code = 'answer("m1")\nevent(type="result", subtype="success", result="Done.")\nsys.exit(1)'
    found = told(tmp_path, program(tmp_path, EVENTS + code))
    assert found.ending.kind is EndingKind.COMPLETED
    assert found.output == b"Done."


def test_one_that_changes_its_version_in_the_middle_is_another_harness(tmp_path: Path) -> None:
    code = 'answer("m1", "1.0")\nanswer("m2", "1.1")\nevent(type="result", subtype="success")'
    found = told(tmp_path, program(tmp_path, EVENTS + code))
    assert found.ending.reason is Reason.ENVIRONMENT
    assert "1.0, 1.1" in found.ending.detail


def test_one_of_another_version_than_was_probed_is_another_harness(tmp_path: Path) -> None:
    code = 'answer("m1", "1.0")\nevent(type="result", subtype="success")'
    asked = [sys.executable, "-c", "print('tool 2.0')"]
    harness = made("command", program(tmp_path, EVENTS + code, version=asked), tmp_path)
    assert anyio.run(harness.probe).version == "2.0"
    found = anyio.run(ran, harness, task(tmp_path, bounds=LONG))
    assert "1.0, 2.0" in found.ending.detail
    assert found.ending.reason is Reason.ENVIRONMENT


@for_every(
    "code, reason",
    [
        ("", Reason.ENVIRONMENT),
        ("open(own + '/t.jsonl', 'wb').write(b'\\x00\\xff{' * 999)", Reason.ENVIRONMENT),
        ("os.mkdir(own + '/t.jsonl')", Reason.TAMPERED),
        ("os.mkfifo(own + '/t.jsonl')", Reason.TAMPERED),
        ("os.symlink('/etc/passwd', own + '/t.jsonl')", Reason.TAMPERED),
        ("os.link(own + '/../../secret', own + '/t.jsonl')", Reason.TAMPERED),
    ],
)
def test_a_transcript_that_is_none_is_never_read_and_never_followed(
    tmp_path: Path, code: str, reason: Reason
) -> None:
    tmp_path.joinpath("secret").write_text('{"type": "SECRET"}\n')
    found = told(tmp_path, program(tmp_path, code, path="t.jsonl"))
    assert (found.ending.kind, found.ending.reason) == (EndingKind.HARNESS_ERROR, reason)
    seen = b"".join(found.documents.values())
    assert b"SECRET" not in seen
    assert b"root:" not in seen


def test_a_torn_transcript_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    code = """
        good = json.dumps({"type": "assistant", "message": {"id": "m", "content": [
            {"type": "tool_use", "name": "Task", "input": {}}]}})
        open(own + "/t.jsonl", "w").write(good + "\\n{torn\\n" + good[:-9])
    """
    found = told(tmp_path, program(tmp_path, code, path="t.jsonl"))
    assert found.ending.kind is EndingKind.COMPLETED
    assert (found.counts["tool_calls"], found.counts["handoffs"]) == (1, 1)
    assert found.counts["bad_lines"] == 2


def test_a_result_that_leads_out_of_the_workspace_is_not_taken(tmp_path: Path) -> None:
    spec = program(tmp_path, "os.symlink('/etc/passwd', 'answer.txt')", form="")
    found = told(tmp_path, spec | {"result": "answer.txt"})
    assert found.ending.reason is Reason.TAMPERED
    assert found.output is None


def test_without_a_transcript_the_exit_code_is_the_programs_own_doing(tmp_path: Path) -> None:
    code = "open('answer.txt', 'w').write('42')\nsys.exit(7)"
    found = told(tmp_path, program(tmp_path, code, form="") | {"result": "answer.txt"})
    assert (found.ending.kind, found.ending.fault) == (EndingKind.COMPLETED, Fault.SYSTEM)
    assert found.ending.reason is Reason.AGENT
    assert "7" in found.ending.detail
    assert found.output == b"42"


def test_a_program_that_is_not_there_cannot_be_started(tmp_path: Path) -> None:
    found = told(tmp_path, {"argv": ["/nowhere/program"], "calls_model": "false"})
    assert (found.ending.kind, found.ending.reason) == (
        EndingKind.HARNESS_ERROR,
        Reason.ENVIRONMENT,
    )


ASKING = """
import urllib.request
body = {"model": sys.argv[1], "messages": [{"role": "user", "content": sys.stdin.read()}],
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": {}}}]}
asked = urllib.request.Request(os.environ["URL"] + "/v1/chat/completions",
                               json.dumps(body).encode(), {"content-type": "application/json",
                               "authorization": "Bearer " + os.environ["KEY"]})
try:
    print(urllib.request.urlopen(asked, timeout=90).read().decode())
except OSError as error:
    print(error)
"""


def asking(
    folder: Path, turns: list[dict[str, Any]], model: str = "{model}", bounds: Bounds = LONG
) -> Cell:
    spec = program(folder, ASKING, form="", calls_model="true")
    spec["argv"].append(model)
    spec["environment"] = {"URL": "{url}", "KEY": "{token}"}
    harness = made("command", spec, folder)
    return anyio.run(lambda: lived(harness, PlainProcess(), turns, folder, bounds=bounds))


@for_every(
    "turn, kind, reason",
    [
        ({"say": "Yes."}, EndingKind.COMPLETED, Reason.NONE),
        ({"say": "I will", "stop": "length"}, EndingKind.TRUNCATED, Reason.TRUNCATED),
        ({"say": "No.", "stop": "refusal"}, EndingKind.REFUSED, Reason.REFUSED),
        (
            {"fault": {"status": 401}},
            *(EndingKind.INFRASTRUCTURE_ERROR, Reason.INFRASTRUCTURE),
        ),
        (
            {"fault": {"cut_after": 0}},
            *(EndingKind.INFRASTRUCTURE_ERROR, Reason.INFRASTRUCTURE),
        ),
    ],
)
def test_the_gateway_knows_what_no_program_says(
    tmp_path: Path, turn: dict[str, Any], kind: EndingKind, reason: Reason
) -> None:
    done = asking(tmp_path, [turn])
    assert done.ended.exit_code == 0
    assert (done.told.ending.kind, done.told.ending.reason) == (kind, reason), done.told.ending
    assert done.told.counts["model_calls"] == 1
    if kind is EndingKind.COMPLETED:
        assert done.told.offered["tools"] == ("bash",)
        assert done.told.model_answered == MODEL


def test_one_that_waits_for_its_model_is_ended_at_its_bound(tmp_path: Path) -> None:
    slow = asking(tmp_path, [{"say": "Later.", "delay_s": 60.0}], bounds=Bounds(wall_s=4.0))
    assert slow.told.ending.kind is EndingKind.TIMED_OUT, slow.told.ending
    assert slow.told.ending.fault is Fault.UNKNOWN
    assert slow.ended.duration_ms < 30_000


@pytest.mark.requirement("ABX-46")
def test_another_model_than_that_of_the_trial_is_an_environments_fault(tmp_path: Path) -> None:
    told_of = asking(tmp_path, [{"say": "Yes."}], model="another-model-2").told
    assert told_of.ending.kind is not EndingKind.COMPLETED
    assert told_of.ending.reason is Reason.ENVIRONMENT
    assert "another-model-2" in told_of.ending.detail


def test_events_that_were_lost_on_the_way_are_counted(tmp_path: Path) -> None:
    """As Codex was seen to do: its file has a command that was never printed."""
    script = tmp_path / "codex"
    call = {"type": "response_item", "payload": {"type": "function_call", "name": "exec_command"}}
    end = {"type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": "Ok."}}
    rollout = "".join(json.dumps(one) + "\n" for one in (call, call, call, end))
    item = {"type": "item.completed", "item": {"type": "command_execution", "status": "completed"}}
    printed: list[dict[str, Any]] = [
        {"type": "thread.started", "thread_id": "t1"},
        {"type": "turn.started"},
    ]
    printed += [item, item, {"type": "turn.completed"}]
    shown = "".join(json.dumps(one) + "\n" for one in printed)
    script.write_text(
        f"#!{sys.executable}\nimport os, pathlib\n"
        "folder = pathlib.Path(os.environ['CODEX_HOME'], 'sessions')\nfolder.mkdir(parents=True)\n"
        f"folder.joinpath('rollout-t1.jsonl').write_text({rollout!r})\n"
        f"folder.joinpath('rollout-t0.jsonl').write_text('{{}}')\n"
        f"print({shown!r}, end='')\n"
    )
    script.chmod(0o755)
    harness = made("codex", {"program": "codex"}, tmp_path)
    found = anyio.run(ran, harness, task(tmp_path, bounds=LONG))
    assert found.counts["tool_calls"] == 3
    assert found.counts["lost_events"] == 1
    assert found.output == b"Ok."
    assert found.ending.kind is EndingKind.COMPLETED
