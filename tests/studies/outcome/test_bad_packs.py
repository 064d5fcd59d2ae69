"""Bad packs: every rule broken in turn, and each is refused by name."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from equipoise.errors import InputError
from equipoise.studies.outcome.packs import read_pack
from equipoise.wiring.packs import seeds_of
from equipoise.wiring.probes import SeedProbes
from studies.loss.compared_loss_runs import called
from studies.outcome.made_fix_pack import NAME, WRONG, edit_json, edit_text, fix_pack
from studies.outcome.made_packs import write

SCENARIO = f"fixtures/e2e/{NAME}"
Break = Callable[[Path], object]


def changed(**change: object) -> Break:
    return lambda pack: edit_json(pack, **change)


def replaced(name: str, old: str, new: str) -> Break:
    return lambda pack: edit_text(pack / name, old, new)


def removed(name: str) -> Break:
    return lambda pack: pack.joinpath(name).unlink()


def put(name: str, text: str) -> Break:
    def write(pack: Path) -> None:
        pack.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        pack.joinpath(name).write_text(text, encoding="utf-8")

    return write


def linked(name: str, to: str) -> Break:
    return lambda pack: pack.joinpath(name).symlink_to(to)


def piped(name: str) -> Break:
    def make(pack: Path) -> None:
        pack.joinpath(name).unlink(missing_ok=True)
        os.mkfifo(pack / name)

    return make


PROOFS = {"reference": "patches/reference.patch", "near_misses": ["patches/near-miss-1.patch"]}
HIDDEN = {"explicit": ["explicit/test_explicit.py"], "implicit": ["implicit/test_implicit.py"]}

RULES: dict[str, tuple[Break, str]] = {
    "no pack": (removed("pack.yaml"), "pack.yaml; wanted: the folder of a scenario pack"),
    "no origin": (replaced("pack.yaml", "origin: built\n", ""), "the key 'origin' is missing"),
    "another origin": (replaced("pack.yaml", "built", "found"), "origin is 'found'; wanted one of"),
    "an unknown key of the pack": (
        replaced("pack.yaml", "seeds:", "seed:"),
        "pack.yaml: the key 'seed' is unknown; did you mean 'seeds'",
    ),
    "a seed that is not there": (
        replaced("pack.yaml", "[till]", "[till, tall]"),
        "pack.yaml: there is no seed 'tall'; did you mean 'till'",
    ),
    "a seed named twice": (
        replaced("pack.yaml", "[till]", "[till, till]"),
        "seed 'till' is named twice",
    ),
    "a scenario named twice": (
        put("pack.yaml", f"name: n\nversion: 1\norigin: built\nscenarios: [{NAME}, {NAME}]\n"),
        f"scenario {NAME!r} is named twice",
    ),
    "a scenario outside": (
        put("pack.yaml", "name: n\nversion: 1\norigin: built\nscenarios: [../../../till]\n"),
        "scenario '../../../till'; wanted small letters, digits",
    ),
    "a skill that is not there": (
        put("pack.yaml", "name: n\nversion: 1\norigin: built\nskills: [issue]\n"),
        "there is no skill 'issue'",
    ),
    "no scenario file": (
        removed(f"{SCENARIO}/scenario.json"),
        f"{SCENARIO}/scenario.json: No such file",
    ),
    "no JSON": (put(f"{SCENARIO}/scenario.json", "{"), f"{SCENARIO}/scenario.json: "),
    "a key that is missing": (
        put(f"{SCENARIO}/scenario.json", '{"id": "x"}'),
        "the key 'kind' is missing",
    ),
    "a value of another kind": (
        changed(time_limit_s="long"),
        "field 'time_limit_s' is text; wanted a number",
    ),
    "an unknown kind": (changed(kind="repair"), "field 'kind'"),
    "an unknown key": (
        changed(promt="x"),
        "the key 'promt' is unknown; did you mean 'prompt'",
    ),
    "an unknown key deep in it": (
        changed(proofs={**PROOFS, "near_mises": []}),
        "the key 'proofs.near_mises' is unknown; did you mean 'near_misses'",
    ),
    "a key twice": (
        replaced(f"{SCENARIO}/scenario.json", '"kind": "fix"', '"kind": "fix", "kind": "stop"'),
        "the key 'kind' stands there twice",
    ),
    "another id": (changed(id="i02"), f"its id is 'i02', its folder {NAME!r}"),
    "another answer type": (changed(answerType="routing"), "answerType is 'routing'"),
    "no prompt": (changed(prompt="  "), "there is no prompt: a task in the words of a user"),
    "no hidden tests": (changed(hidden_tests={}), "no hidden tests, and nothing else decides"),
    "no explicit tests": (
        changed(hidden_tests={"implicit": HIDDEN["implicit"]}),
        "there are no explicit hidden tests",
    ),
    "a hidden test that is not there": (
        changed(hidden_tests={**HIDDEN, "explicit": ["explicit/test_explizit.py"]}),
        "explicit/test_explizit.py (hidden test); did you mean 'hidden-tests/explicit/test_expl",
    ),
    "a hidden test in another group": (
        changed(hidden_tests={**HIDDEN, "implicit": ["explicit/test_explicit.py"]}),
        "hidden test explicit/test_explicit.py does not lie in hidden-tests/implicit/",
    ),
    "a hidden test named twice": (
        changed(hidden_tests={**HIDDEN, "explicit": HIDDEN["explicit"] * 2}),
        "hidden test explicit/test_explicit.py is named twice",
    ),
    "a hidden test in no group": (
        put(f"{SCENARIO}/hidden-tests/explicit/test_more.py", "def test_it(): pass\n"),
        "hidden test explicit/test_more.py lies in hidden-tests and is named in no group",
    ),
    "a hidden test outside": (
        changed(hidden_tests={**HIDDEN, "explicit": ["explicit/../../../../../pack.yaml"]}),
        "leads out of the scenario's folder",
    ),
    "a patch that is not there": (
        changed(proofs={**PROOFS, "reference": "patches/right.patch"}),
        "there is no file patches/right.patch (patch)",
    ),
    "a patch that is none": (
        put(f"{SCENARIO}/patches/reference.patch", "mend it\n"),
        "patch patches/reference.patch is none; wanted: what `git diff` prints",
    ),
    "a patch outside": (
        changed(proofs={**PROOFS, "reference": "../../../pack.yaml"}),
        "patch ../../../pack.yaml leads out of the scenario's folder",
    ),
    "a link": (
        linked(f"{SCENARIO}/notes.md", "/etc/hostname"),
        f"{SCENARIO}/notes.md is a symbolic link",
    ),
    "a link of a seed that leads out of it": (
        linked("seeds/till/stages/01-first/till/more.py", "../../03-old/till/old.py"),
        "seeds/till/stages/01-first/till/more.py is a symbolic link",
    ),
    "a contract that is not there": (
        changed(artifacts=[{"glob": "*.md", "contract": "contracts/fix-note.yaml"}]),
        "there is no contract contracts/fix-note.yaml",
    ),
    "a contract outside": (
        changed(artifacts=[{"glob": "*.md", "contract": "../fix-note.yaml"}]),
        "the contract ../fix-note.yaml leads out of the pack's folder",
    ),
    "no such seed": (changed(seed="tall"), "there is no seed 'tall' below seeds/; did you mean"),
    "a snapshot among built seeds": (
        put("seeds/shop/snapshot/shop.py", "X = 1\n"),
        "origin is 'built', and seed 'shop' is a snapshot: results of the two are never pooled",
    ),
    "no recipe": (
        removed("seeds/till/seed.yaml"),
        "there is no seeds/till/seed.yaml, and no folder snapshot beside it",
    ),
    "a recipe that is no YAML": (put("seeds/till/seed.yaml", "name: [\n"), "seeds/till/seed.yaml"),
    "no such bug": (
        changed(bug_id="edges"),
        "seed till has no bug 'edges'; did you mean 'edge'",
    ),
    "a bug twice": (
        replaced("seeds/till/seed.yaml", "bugs:\n", "bugs:\n- {id: edge, pattern: p}\n"),
        "seeds/till/seed.yaml: bug 'edge' stands there twice",
    ),
    "no bug of a fix": (changed(bug_id=None), "kind is fix and there is no bug_id"),
    "another pattern": (
        changed(pattern="sign"),
        "pattern is 'sign'; bug edge of seed till has 'boundary'",
    ),
    "another tier": (changed(difficulty="brutal"), "difficulty is 'brutal'; wanted one of easy"),
    "no time": (changed(time_limit_s=0), "time_limit_s is 0; wanted seconds above 0"),
    "a stop without its state": (changed(kind="stop"), "kind is stop and there is no expected_end"),
    "a decomposition without items": (
        changed(kind="decompose"),
        "kind is decompose and there are no items",
    ),
    "items that are not there": (
        changed(items="items.yaml"),
        "there is no file items.yaml (expert decomposition)",
    ),
    "a deliverable that nobody asks for": (
        changed(deliverable="docs/items.yaml", items="items.yaml"),
        "the prompt does not name the deliverable docs/items.yaml",
    ),
    "a dependency": (
        changed(dependencies=[{"name": "driver", "provided": False}]),
        "dependency 'driver' is neither provided nor exempted",
    ),
    "a scripted user without a word": (
        changed(confirmation="scripted"),
        "confirmation is scripted and there is no confirmation_text",
    ),
    "a gate without a command": (
        changed(dod_gate=[{"id": "tests", "command": []}]),
        "dod_gate 'tests' has no command",
    ),
    "two gates of one name": (
        changed(dod_gate=[{"id": "tests", "command": ["true"]}] * 2),
        "dod_gate names 'tests' twice",
    ),
    "no command of the own suite": (
        changed(regression={"command": []}),
        "regression has no command",
    ),
    "a prompt that nobody sees whole": (
        changed(prompt="Mend it.\n\tNow \x1b[2J"),
        "'prompt' has the unseen character U+001B; mend: write it without",
    ),
    "a text that ends an argument": (
        changed(dod_gate=[{"id": "tests", "command": ["true", "a\0b"]}]),
        "'dod_gate.0.command.1' has the unseen character U+0000",
    ),
    "a name that moves a terminal": (
        replaced("pack.yaml", "origin: built", 'origin: built\nabout: "a\\u202eb"'),
        "pack.yaml: 'about' has the unseen character U+202E",
    ),
    "a pipe": (
        piped(f"{SCENARIO}/hidden-tests/explicit/test_pipe.py"),
        f"{SCENARIO}/hidden-tests/explicit/test_pipe.py is no file, but a pipe, a socket or a",
    ),
    "a pipe in place of a scenario": (
        piped(f"{SCENARIO}/scenario.json"),
        f"{SCENARIO}/scenario.json is no file, but a pipe, a socket or a device; mend: remove it",
    ),
    "no regular expression": (
        changed(expected_end_state={"told": ["new ("]}),
        "expected_end_state.told: 'new (' is no regular expression",
    ),
}
"""Rule -> how it is broken, and what the refusal says."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fix_pack(tmp_path_factory.mktemp("good") / "pack")


@pytest.mark.requirement("OUT-02")
def test_a_good_pack_is_read(good: Path) -> None:
    read = read_pack(good)
    assert [one.id for one in read.scenarios] == [NAME]
    assert read.seed(read.scenarios[0]) == {"recipe": "seeds/till", "bug": "edge"}


@pytest.mark.requirement("OUT-02")
@pytest.mark.requirement("OUT-47")
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_that_is_broken_is_refused_by_name(rule: str, tmp_path: Path) -> None:
    breaks, says = RULES[rule]
    pack = fix_pack(tmp_path / "pack")
    breaks(pack)
    with pytest.raises(InputError) as refused:
        read_pack(pack)
    assert says in str(refused.value)


def test_a_seed_may_hold_links_among_its_own_files(tmp_path: Path) -> None:
    pack = fix_pack(tmp_path / "pack")
    linked("seeds/till/stages/01-first/till/more.py", "basket.py")(pack)
    assert [one.id for one in read_pack(pack).scenarios] == [NAME]


@pytest.mark.requirement("OUT-07")
def test_several_faults_are_told_at_once_with_their_files(tmp_path: Path) -> None:
    pack = fix_pack(tmp_path / "pack")
    edit_json(pack, prompt="", pattern="sign", difficulty="brutal")
    done = called("prove", pack)
    assert done.exit_code == 2
    assert "3 faults in the pack:" in done.output
    assert done.output.count(f"{SCENARIO}/scenario.json: ") == 3


def test_who_names_the_study_is_told_where_its_pack_is(tmp_path: Path) -> None:
    pack = fix_pack(tmp_path / "pack")
    with pytest.raises(InputError, match=f"mend: name {re.escape(str(pack))}"):
        read_pack(tmp_path)


def test_a_bug_whose_text_stands_nowhere_is_told_before_anything_is_run(tmp_path: Path) -> None:
    pack = fix_pack(tmp_path / "pack")
    edit_text(pack / "seeds/till/seed.yaml", "total >= 100", "sum >= 100")
    done = called("prove", pack)
    assert done.exit_code == 2
    assert f"{NAME}: " in done.output
    assert "bug 'edge' changes nothing" in done.output
    scenario = json.loads(pack.joinpath(SCENARIO, "scenario.json").read_bytes())
    assert scenario["bug_id"] == "edge"


@pytest.mark.parametrize("path", ["till/other.py", "../basket.py"])
def test_a_patch_that_does_not_fit_is_told_by_its_name(tmp_path: Path, path: str) -> None:
    pack = fix_pack(tmp_path / "pack")
    edit_text(pack / SCENARIO / "patches/reference.patch", "till/basket.py", path)
    done = called("prove", pack, "--lint")
    assert done.exit_code == 2
    assert f"{SCENARIO}/patches/reference.patch: it does not fit the seed: error: " in done.output
    assert "mend: make it again, with `git diff`" in done.output


@pytest.mark.requirement("OUT-11")
def test_a_snapshot_is_a_seed_with_its_past_or_without(tmp_path: Path) -> None:
    pack = fix_pack(tmp_path / "pack")
    edit_text(pack / "pack.yaml", "origin: built\nseeds: [till]", "origin: snapshot\nseeds: [shop]")
    place = pack / "seeds/shop/snapshot"
    write(place, {"till/basket.py": WRONG})
    edit_json(pack, seed="shop", bug_id=None, kind="feature")
    read = read_pack(pack)
    assert read.seed(read.scenarios[0]) == {"folder": "seeds/shop/snapshot"}
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        git = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@shop.example", *words]
        subprocess.run(git, cwd=place, check=True)
    read = read_pack(pack)
    assert read.seed(read.scenarios[0]) == {"repository": "seeds/shop/snapshot"}
    with seeds_of(pack) as seed_of:
        (commit,) = SeedProbes().commits(seed_of(read.seed(read.scenarios[0])))
    assert (commit.author, commit.subject) == ("Ann <ann@shop.example>", "First")
