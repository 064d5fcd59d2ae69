"""Commands as systems: what goes in, what comes out, how they end, and that nothing is left."""

import json
from pathlib import Path

import anyio
import pytest

from adapters.systems.asked import PYTHON, ask, gone, request, setting, variables
from equipoise.adapters.systems.command import CommandSystem
from equipoise.errors import InputError
from equipoise.ports import Answer
from equipoise.records.trial import Ending, EndingKind, Fault
from every import for_every

LEAVES_A_CHILD = """
import subprocess, sys, time
how = {"group": {}, "own group": {"process_group": 0}}[sys.argv[1]]
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], **how)
print(child.pid, flush=True)
if sys.argv[2] == "waits":
    time.sleep(60)
"""


def program(folder: Path, text: str, name: str = "agent.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def told(folder: Path, code: str, *arguments: str, **options: object) -> Answer:
    argv = [PYTHON, "-c", code, *arguments]
    timeout_s = options.pop("timeout_s", 20.0)
    assert isinstance(timeout_s, float)
    system = CommandSystem({"argv": argv, **options}, setting(folder))
    (answer,) = ask(system, request(folder, timeout_s=timeout_s, text="hällo", cents=700))
    return answer


def test_arguments_are_filled_and_stdout_is_the_answer(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv[1:])"
    answer = told(
        tmp_path,
        code,
        "{unit}/{repetition}",
        "{brief.text}: {brief.cents}",
        "{{unit}} {{ }} ${x:-}",
    )
    assert answer.output == "['u1/2', 'hällo: 700', '{unit} {{ }} ${x:-}']\n".encode()
    assert answer.ending == Ending()
    assert answer.exit_code == 0
    assert answer.duration_ms is not None
    assert answer.duration_ms > 0


def test_the_request_comes_as_json_on_standard_input(tmp_path: Path) -> None:
    answer = told(tmp_path, "import sys; sys.stdout.write(sys.stdin.read())")
    given = json.loads(answer.output or b"")
    assert given["brief"]["content"] == {"text": "hällo", "cents": 700}
    assert (given["trial"], given["seed"], given["arm"]) == ("0123456789abcdef", 17, "new")


def test_standard_input_can_be_a_template(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write(sys.stdin.read())"
    assert told(tmp_path, code, stdin="{brief.text}!").output == "hällo!".encode()
    assert told(tmp_path, code, stdin={"n": "{brief.cents}"}).output == b'{"n":700}'


def test_the_answer_can_be_a_file_of_the_trials_own_folder(tmp_path: Path) -> None:
    code = "import sys; open(sys.argv[1], 'w').write('in a file'); print('on stdout')"
    answer = told(tmp_path, code, "{workspace}/out.txt", output="{workspace}/out.txt")
    assert answer.output == b"in a file"


@pytest.mark.requirement("E2E-21")
def test_only_listed_variables_reach_the_program(tmp_path: Path) -> None:
    with variables(PROD_KEY="a canary of production"):
        answer = told(tmp_path, "import os; print(sorted(os.environ))")
    assert b"PROD_KEY" not in (answer.output or b"")
    names = set(eval((answer.output or b"").decode()))  # a list that our own program printed
    assert names - {"LC_CTYPE"} == {"PATH"}


def test_a_failing_program_is_an_outcome_and_its_stderr_is_kept(tmp_path: Path) -> None:
    answer = told(tmp_path, "import sys; print('half'); sys.exit('gave up')")
    assert answer.ending.kind is EndingKind.COMPLETED
    assert answer.ending.fault is Fault.SYSTEM
    assert (answer.exit_code, answer.output) == (1, b"half\n")
    assert answer.documents["stderr"] == b"gave up\n"


def test_a_crash_is_an_outcome(tmp_path: Path) -> None:
    answer = told(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (answer.exit_code, answer.ending.kind) == (-11, EndingKind.COMPLETED)


def test_one_that_is_killed_from_outside_says_nothing_about_the_system(tmp_path: Path) -> None:
    answer = told(
        tmp_path, "import os; print('half', flush=True); os.system(f'kill -9 {os.getpid()}')"
    )
    assert (answer.exit_code, answer.output) == (-9, b"half\n")
    assert (answer.ending.kind, answer.ending.fault) == (EndingKind.HARNESS_ERROR, Fault.UNKNOWN)
    assert answer.ending.is_retriable


@pytest.mark.parametrize("argv", [["no-such-program"], ["./missing"], ["./plain"], ["./garbage"]])
def test_what_cannot_be_started_is_no_outcome(tmp_path: Path, argv: list[str]) -> None:
    tmp_path.joinpath("plain").write_text("x", encoding="utf-8")
    tmp_path.joinpath("garbage").write_text("#!/no/such/interpreter\n", encoding="ascii")
    tmp_path.joinpath("garbage").chmod(0o755)
    (answer,) = ask(CommandSystem(argv, setting(tmp_path)), request(tmp_path))
    assert answer.ending.kind is EndingKind.INFRASTRUCTURE_ERROR
    assert answer.ending.fault is Fault.INFRASTRUCTURE
    assert not answer.ending.is_retriable
    assert argv[0].removeprefix("./") in answer.ending.detail
    assert answer.output is None


def test_a_hanging_program_is_ended_and_says_nothing_about_the_system(tmp_path: Path) -> None:
    code = "import time; print('begun', flush=True); time.sleep(60)"
    answer = told(tmp_path, code, timeout_s=0.5)
    assert answer.ending.kind is EndingKind.TIMED_OUT
    assert answer.ending.fault is Fault.UNKNOWN
    assert answer.output == b"begun\n"
    assert answer.exit_code == -9


def test_a_declared_budget_that_is_used_up_is_an_outcome(tmp_path: Path) -> None:
    answer = told(tmp_path, "import time; time.sleep(60)", budget_s="0.5")
    assert (answer.ending.kind, answer.ending.fault) == (EndingKind.BUDGET, Fault.SYSTEM)
    answer = told(tmp_path, "import sys; sys.exit(42)", budget_exit=["42"])
    assert (answer.ending.kind, answer.exit_code) == (EndingKind.BUDGET, 42)


@pytest.mark.parametrize("how", ["group", "own group"])
@pytest.mark.parametrize("then", ["waits", "ends"])
def test_children_end_with_their_program(tmp_path: Path, how: str, then: str) -> None:
    answer = told(tmp_path, LEAVES_A_CHILD, how, then, timeout_s=1.0 if then == "waits" else 20.0)
    assert gone(int(answer.output or b"0"))
    wanted = EndingKind.TIMED_OUT if then == "waits" else EndingKind.COMPLETED
    assert answer.ending.kind is wanted


def test_a_cancelled_attempt_leaves_nothing_running(tmp_path: Path) -> None:
    code = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    system = CommandSystem([PYTHON, "-c", code], setting(tmp_path))

    async def cancelled() -> None:
        with anyio.move_on_after(1.0):
            await system.execute(request(tmp_path))

    anyio.run(cancelled)
    assert gone(int(tmp_path.joinpath("pid").read_text(encoding="ascii")))


def test_an_endless_answer_is_cut_and_the_program_ended(tmp_path: Path) -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 9999)"
    answer = told(tmp_path, code, max_output_bytes="100000")
    assert answer.ending.kind is EndingKind.TRUNCATED
    assert answer.output == b"x" * 100_000


def test_much_stderr_neither_blocks_nor_ends_the_program(tmp_path: Path) -> None:
    answer = told(tmp_path, "import sys; sys.stderr.write('e' * 3_000_000); print('done')")
    assert answer.output == b"done\n"
    assert len(answer.documents["stderr"]) == 1 << 20


def test_a_large_request_arrives_whole(tmp_path: Path) -> None:
    system = CommandSystem(
        {
            "argv": [PYTHON, "-c", "import sys; print(len(sys.stdin.read()))"],
            "stdin": "{brief.text}",
        },
        setting(tmp_path),
    )
    (answer,) = ask(system, request(tmp_path, text="y" * 5_000_000))
    assert answer.output == b"5000000\n"


def test_facts_are_read_from_a_json_answer(tmp_path: Path) -> None:
    said = {"usage": {"in": 11, "out": 5, "usd": 0.25}, "model": "m-1", "why": "max_tokens"}
    facts = {
        "cost_usd": "usage.usd",
        "input_tokens": "usage.in",
        "output_tokens": "usage.out",
        "model": "model",
        "stop": "why",
    }
    answer = told(tmp_path, f"print({json.dumps(json.dumps(said))})", facts=facts)
    assert (answer.cost_usd, answer.model_answered) == (0.25, "m-1")
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.cache_read_tokens) == (11, None)
    assert answer.ending.kind is EndingKind.TRUNCATED


@for_every(
    "spec, wanted",
    [
        ("echo", "command is 'echo'"),
        ([], "command.argv is []"),
        ({"argv": ["a"], "stdn": ""}, "did you mean 'stdin'"),
        (["a", "{breif.text}"], "did you mean 'brief'"),
        (["a", "{unit.x}"], "placeholder {unit.x}"),
        (["a", "{env.SECRET}"], "sandbox.environment"),
        ({"argv": ["a"], "budget_s": "-1"}, "a number above 0"),
        ({"argv": ["a"], "facts": {"costs": "x"}}, "did you mean 'cost_usd'"),
    ],
)
def test_a_wrong_specification_is_named(tmp_path: Path, spec: object, wanted: str) -> None:
    with pytest.raises(InputError) as caught:
        CommandSystem(spec, setting(tmp_path))
    assert wanted in str(caught.value)


def test_a_brief_without_the_field_is_named(tmp_path: Path) -> None:
    system = CommandSystem([PYTHON, "{brief.customer.name}"], setting(tmp_path))
    with pytest.raises(InputError, match="'u1' has nothing at"):
        ask(system, request(tmp_path, text="x"))
