"""A small pack is proved for real: seeds looked at, tests run, references spoilt, all kept."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from equipoise.records.codec import decode
from equipoise.records.lint import PackLint
from equipoise.records.proof import Proof
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_fix_pack import IMPLICIT, NAME, edit_text, fix_pack

pytestmark = NEEDS_BWRAP
TESTS = f"fixtures/e2e/{NAME}/hidden-tests"


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The pack, proved once, and what was printed."""
    pack = fix_pack(tmp_path_factory.mktemp("proved") / "pack")
    done = called("prove", pack, "--mutants", "6")
    assert done.exit_code == 0, done.output
    return pack, done.output


def proof_in(pack: Path) -> Proof:
    return decode(pack.joinpath("proofs", f"{NAME}.json").read_bytes(), Proof)


@pytest.mark.requirement("OUT-04")
@pytest.mark.requirement("OUT-05")
@pytest.mark.requirement("OUT-06")
def test_the_seed_is_measured_and_what_is_unreal_about_it_is_told(
    proved: tuple[Path, str],
) -> None:
    pack, output = proved
    lint = decode(pack.joinpath("proofs/pack.json").read_bytes(), PackLint)
    facts = lint.seeds["till"].facts
    assert (facts.n_commits, facts.n_authors) == (4, 2)
    assert (facts.first_at, facts.last_at) == ("2024-01-01", "2024-03-02")
    assert facts.n_lines == 16
    assert facts.is_onboarded
    assert facts.n_tests == 2
    assert facts.suite_s is not None
    assert 0 < facts.suite_s < 60
    assert facts.markers == ("till/basket.py:2",)
    assert facts.deprecated == ("till/old.py",)
    assert facts.drift == ("names of functions: camelCase in 1, snake_case in 1",)
    assert facts.foreign == ()
    coverage = {name: one.coverage for name, one in facts.modules.items()}
    assert coverage["till/basket.py"] == 1.0
    assert coverage["till/old.py"] == 0.0
    assert {one.code for one in lint.told} == {"seed_size"}
    assert "seed till: 35 lines, 16 of them code, 4 commits by 2 authors from 2024-01-01" in output
    assert "warning: seed till: 35 lines of Python; a small project has 500 to 2,000" in output


@pytest.mark.requirement("OUT-07")
@pytest.mark.requirement("OUT-10")
def test_the_proof_has_the_clean_seed_the_corner_and_every_spoilt_reference(
    proved: tuple[Path, str],
) -> None:
    pack, output = proved
    proof = proof_in(pack)
    assert proof.is_proved
    clean = [run for run in proof.runs if run.what == "clean"]
    assert {run.group for run in clean} == {"explicit", "implicit"}
    assert all(run.status == "scored" and not run.faults for run in clean)
    assert proof.corner is not None
    (line,) = proof.corner.lines
    assert (line.file, line.line, line.text) == ("till/basket.py", 7, "if total > 100:")
    assert line.tests is not None
    assert [name.rpartition("::")[2] for name in line.tests] == ["test_small", "test_large"][::-1]
    assert "run by 2 of 2" in output
    assert proof.mutation is not None
    survivors = proof.mutation.survivors
    assert proof.mutation.n_caught + len(survivors) == proof.mutation.n_run == 6
    assert proof.mutation.n_made > 6
    assert {one.where for one in survivors} <= {"till/basket.py:7", "till/basket.py:8"}
    assert f"warning: {NAME}: no hidden test notices till/basket.py:7: < became <=" in output
    assert "    -    if total < 0:\n    +    if total <= 0:\n" in output


@pytest.mark.requirement("OUT-29")
def test_repeats_are_run_in_another_order_and_time_zone(proved: tuple[Path, str]) -> None:
    runs = [run for run in proof_in(proved[0]).runs if run.what == "reference"]
    assert {(run.repeat, run.under) for run in runs if run.group == "explicit"} == {
        (1, ""),
        (2, "other way round, TZ=Pacific/Kiritimati"),
    }


@pytest.mark.requirement("OUT-29")
def test_only_what_is_stale_is_proved_again(proved: tuple[Path, str], tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(proved[0], pack)
    before = {path.name: path.read_bytes() for path in pack.joinpath("proofs").iterdir()}
    done = called("prove", pack, "--json")
    told = json.loads(done.output)
    assert (done.exit_code, told["made_now"], told["is_proved"]) == (0, [], True)
    assert before == {path.name: path.read_bytes() for path in pack.joinpath("proofs").iterdir()}
    assert ", as before" in called("prove", pack).output
    tests = pack / TESTS / "implicit/test_implicit.py"
    tests.write_text(tests.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert "stale: hidden-tests changed" in called("prove", pack, "--lint").output


@pytest.fixture(scope="module")
def flawed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The pack with a label that nobody can know, and a test that depends on another."""
    pack = fix_pack(tmp_path_factory.mktemp("flawed") / "pack")
    edit_text(
        pack / f"fixtures/e2e/{NAME}/scenario.json",
        '"reference": "patches/reference.patch"',
        '"reference": "patches/reference.patch", "senior": "patches/reference.patch"',
    )
    path = pack / TESTS / "implicit/test_implicit.py"
    label = "\n\ndef test_label():\n    assert price([]) == 'nothing'\n"
    order = (
        "\n\nSEEN = []\n\n\ndef test_one():\n    SEEN.append(1)\n    assert price([100]) == 90\n"
    )
    second = "\n\ndef test_two():\n    assert SEEN\n    assert price([100]) == 90\n"
    zone = (
        "\n\ndef test_zone():\n    import time\n\n    assert price([100]) == 90 + time.timezone\n"
    )
    path.write_text(IMPLICIT + label + order + second + zone, encoding="utf-8")
    done = called("prove", pack, "--mutants", "0")
    assert done.exit_code == 1, done.output
    return pack, done.output


@pytest.mark.requirement("OUT-35")
@pytest.mark.requirement("OUT-36")
def test_what_no_senior_passes_keeps_a_scenario_from_being_run(flawed: tuple[Path, str]) -> None:
    output = flawed[1]
    assert "senior, implicit: 1 of 5 tests do not pass: test_implicit.py::test_label; " in output
    assert "what a senior engineer's solution cannot pass goes into the prompt" in output
    assert f"warning: {NAME} implicit/test_implicit.py:" in output
    assert "compares with 'nothing'" in output
    assert "0 of 1 scenario proved; 1 of the proofs made now" in output


def test_a_test_that_depends_on_the_order_of_tests_or_the_time_zone_is_flaky(
    flawed: tuple[Path, str],
) -> None:
    _, _, found = flawed[1].partition("reference, implicit: not the same in every repeat: ")
    assert found.startswith("test_implicit.py::test_two, test_implicit.py::test_zone\n")


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_proved(tmp_path: Path) -> None:
    pack = fix_pack(tmp_path / "pack")
    other = pack / "fixtures/e2e/i02-again"
    shutil.copytree(pack / "fixtures/e2e" / NAME, other)
    edit_text(other / "scenario.json", f'"id": "{NAME}"', '"id": "i02-again"')
    command = [sys.executable, "-m", "equipoise", "prove", str(pack), "--mutants", "6"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stderr is not None
        first = running.stderr.readline().decode().partition(":")[0]
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 130
    kept = pack.joinpath("proofs", f"{first}.json").read_bytes()
    told = json.loads(called("prove", pack, "--mutants", "6", "--json").stdout)
    assert told["is_proved"]
    assert first not in told["made_now"]
    assert pack.joinpath("proofs", f"{first}.json").read_bytes() == kept
