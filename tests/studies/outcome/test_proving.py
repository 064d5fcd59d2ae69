"""Scenario packs: read or refused, and proved by really running their tests."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import equipoise
from equipoise.errors import InputError
from equipoise.records.codec import decode
from equipoise.records.proof import Proof
from equipoise.records.scenario import ProofFiles
from equipoise.studies.outcome.packs import read_pack
from equipoise.studies.outcome.proof_cases import lacking
from equipoise.studies.outcome.proof_files import proof_of
from equipoise.wiring.packs import seeds_of
from studies.loss.compared_loss_runs import called

WORKSHOP = Path(equipoise.__file__).parent / "examples" / "workshop"
FIRST = "i01-last-day-missing"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A copy of the built-in pack with one scenario."""
    copy = tmp_path / "pack"
    shutil.copytree(WORKSHOP, copy)
    for folder in copy.joinpath("fixtures/e2e").iterdir():
        if folder.name != FIRST:
            shutil.rmtree(folder)
    return copy


def edited(pack: Path, change: Callable[[dict[str, object]], object]) -> None:
    path = pack / "fixtures/e2e" / FIRST / "scenario.json"
    scenario = json.loads(path.read_text(encoding="utf-8"))
    change(scenario)
    path.write_text(json.dumps(scenario), encoding="utf-8")


def reason(pack: Path) -> str:
    read = read_pack(pack)
    with seeds_of(pack) as seed_of:
        (scenario,) = read.scenarios
        return proof_of(read, scenario, seed_of(read.seed(scenario)))[1]


@pytest.mark.requirement("OUT-29")
def test_every_built_in_scenario_is_proved_as_it_stands() -> None:
    read = read_pack(WORKSHOP)
    with seeds_of(WORKSHOP) as seed_of:
        whys = [proof_of(read, one, seed_of(read.seed(one)))[1] for one in read.scenarios]
    assert [why for why in whys if why] == []


@pytest.mark.requirement("OUT-29")
def test_what_a_proof_rests_on_makes_it_stale(pack: Path) -> None:
    assert reason(pack) == ""
    tests = next(pack.rglob("hidden-tests/explicit/test_*.py"))
    tests.write_text(tests.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert "stale: hidden-tests changed" in reason(pack)
    for path in pack.joinpath("proofs").iterdir():
        path.write_text("{}", encoding="ascii")
    assert f"proofs/{FIRST}.json cannot be read: the key 'scenario' is missing" in reason(pack)
    for path in pack.joinpath("proofs").iterdir():
        path.unlink()
    assert "was never proved; mend: equipoise prove" in reason(pack)


@pytest.mark.requirement("OUT-07")
@pytest.mark.requirement("OUT-10")
@pytest.mark.requirement("OUT-13")
def test_a_scenario_is_proved_by_running_it_and_faults_are_named(pack: Path) -> None:
    tests = next(pack.rglob("hidden-tests/explicit/test_*.py"))
    free = "\n\ndef test_free():\n    assert True\n"
    tests.write_text(tests.read_text(encoding="utf-8") + free, encoding="utf-8")
    own = pack / "seeds/tally/stages/08-import/tests/test_bank_csv.py"
    finds = (
        "\n\nclass Finds(unittest.TestCase):\n    def test_it(self):\n"
        "        from tally.dates import Period\n\n"
        "        self.assertIn(D(2024, 3, 31), Period.month(2024, 3))\n"
    )
    own.write_text(own.read_text(encoding="utf-8") + finds, encoding="utf-8")
    done = called("prove", pack, "--repeats", "1", "--mutants", "0", "--json")
    assert done.exit_code == 1, done.output
    proof = decode(pack.joinpath("proofs", f"{FIRST}.json").read_bytes(), Proof)
    assert not proof.is_proved
    told = "\n".join(proof.faults)
    assert "red, explicit: green before anything was done: " in told
    assert "test_free" in told
    assert "own suite, regression: 1 of 27 tests do not pass" in told
    assert {run.what for run in proof.runs if not run.faults} >= {"reference", "near-miss 1"}


@pytest.mark.requirement("OUT-02")
@pytest.mark.requirement("OUT-38")
@pytest.mark.requirement("OUT-47")
def test_a_pack_that_lacks_something_is_refused_by_name(pack: Path) -> None:
    assert [one.id for one in read_pack(pack).scenarios] == [FIRST]
    edited(pack, lambda s: s.update(prompt=" "))
    with pytest.raises(InputError, match="there is no prompt"):
        read_pack(pack)
    edited(pack, lambda s: s.update(prompt="mend it", hidden_tests={}))
    with pytest.raises(InputError, match="no hidden tests, and nothing else decides"):
        read_pack(pack)
    edited(pack, lambda s: s.update(dependencies=[{"name": "driver", "provided": False}]))
    with pytest.raises(InputError, match="'driver' is neither provided nor exempted"):
        read_pack(pack)
    edited(pack, lambda s: s.update(hidden_tests={"explicit": ["explicit/../../../../x.py"]}))
    with pytest.raises(InputError, match="leads out of the scenario's folder"):
        read_pack(pack)
    edited(pack, lambda s: s.update(seed="nothing", hidden_tests={"explicit": []}, kind="stop"))
    with pytest.raises(InputError, match="no expected_end_state"):
        read_pack(pack)


@pytest.mark.requirement("X-O6")
@pytest.mark.requirement("OUT-33")
@pytest.mark.requirement("OUT-34")
def test_a_need_is_proved_by_who_reads_it_alone_and_by_who_knows_what_goes_without_saying() -> None:
    read = read_pack(WORKSHOP)
    features = [
        one for one in read.scenarios if one.kind == "feature" and one.hidden_tests.implicit
    ]
    assert len(features) >= 5
    for scenario in features:
        path = WORKSHOP / "proofs" / f"{scenario.id}.json"
        runs = decode(path.read_bytes(), Proof).runs
        ends = {
            (run.what, run.group): {found == "passed" for found in run.tests.values()}
            for run in runs
        }
        assert ends["third_party", "explicit"] == {True}, scenario.id
        assert ends["literal", "explicit"] == {True}, scenario.id
        assert False in ends["literal", "implicit"], scenario.id
        assert ends["senior", "implicit"] == {True}, scenario.id
        bare = msgspec.structs.replace(scenario, proofs=ProofFiles(reference="patches/a.patch"))
        assert [one.partition(" (")[0] for one in lacking(bare)] == [
            "the proof by somebody who read the need text alone",
            "the proof of a senior engineer",
            "the literal-minded proof",
            "a near miss that has to fail",
        ]


@pytest.mark.requirement("OUT-09")
def test_a_seed_has_the_same_hashes_every_time_and_no_commit_holds_the_right_code(
    tmp_path: Path,
) -> None:
    script = WORKSHOP / "seeds/tally/build-seed.py"
    heads = []
    tmp_path.joinpath(".gitconfig").write_text("[core]\nautocrlf = true\n", encoding="ascii")
    elsewhere = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "HOME": str(tmp_path), "GIT_AUTHOR_NAME": "X"}
    for number, more in enumerate(({}, elsewhere), start=1):
        to = tmp_path / str(number)
        command = [sys.executable, str(script), str(to), "--bug", "period-last-day"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env={**os.environ, **more}
        )
        heads.append(done.stdout.split()[0])
    assert heads[0] == heads[1]
    assert len(heads[0]) == 40
    log = ["git", "-C", str(tmp_path / "1"), "log", "-p", "--all", "--format=%h %an"]
    past = subprocess.run(log, capture_output=True, text=True, check=True).stdout
    assert "self.first <= day < self.last" in past
    assert "self.first <= day <= self.last" not in past
    assert past.count("Marta Lind") >= 3
