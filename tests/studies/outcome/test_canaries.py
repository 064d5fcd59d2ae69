"""While agents work, no word of what is hidden is anywhere in their world, before or after grading.

The words are planted where the built-in pack and the operator keep what no agent may see: names,
texts and paths of hidden tests, patches, proofs, other scenarios, the study, the host's home.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.codec import decode, pretty
from equipoise.records.proof import Proof
from equipoise.studies.outcome.packs import PROOFS, read_pack
from equipoise.studies.outcome.proof_files import rests_on
from equipoise.wiring.packs import seeds_of
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.outcome_studies import FEATURE, FIX, made, scripted
from studies.outcome.spying import SPY

STEM = "zq7canary"
SEEN = f"{STEM}-seen"
"""A word that every spy has to find, for its agent leaves it in a commit that it takes back."""

_MENDED = {
    "path": "tally/dates.py",
    "old": "self.first <= day < self.last",
    "new": "self.first <= day <= self.last",
}
_COMMIT = "git -c user.name=a -c user.email=a@b.c commit -qm"
SPYING = [
    {"run": f"echo {SEEN} > x && git add x && {_COMMIT} x && git reset -q --hard HEAD~1"},
    {"write": {"path": "spy.py", "text": SPY}},
    {"run": "python3 -I spy.py"},
    {"edit": _MENDED},
    {"run": f"git add -A && {_COMMIT} mended && python3 -I spy.py && rm spy.py"},
    {"print": "Mended."},
]


def planted(pack: Path) -> list[str]:
    """Plants the words in a pack, and gives those that nobody may find."""
    words = []
    for folder in pack.joinpath("fixtures/e2e").iterdir():
        if folder.name not in {FIX, FEATURE}:
            shutil.rmtree(folder)

    def word(name: str) -> str:
        words.append(f"{STEM}-{name}")
        return words[-1]

    place = pack / "fixtures/e2e" / FIX
    body = place.joinpath("hidden-tests/explicit/test_i01_explicit.py")
    text = body.read_text(encoding="utf-8")
    body.write_text(f"{text}\n\n# {word('text')}\n", encoding="utf-8")
    inner = place / "hidden-tests/implicit" / word("folder")
    inner.mkdir()
    name = f"test_{word('name').replace('-', '_')}.py"
    inner.joinpath(name).write_text(
        f"def test_{word('function').replace('-', '_')}():\n    assert '{word('value')}'\n",
        encoding="utf-8",
    )
    for number, solution in enumerate(sorted(place.joinpath("patches").iterdir())):
        told = f"Of {word('patch' + 'abcdefgh'[number])}.\n"
        solution.write_text(told + solution.read_text(encoding="utf-8"), encoding="utf-8")
    hidden = {
        "explicit": ["explicit/test_i01_explicit.py"],
        "implicit": ["implicit/test_i01_implicit.py", f"implicit/{inner.name}/{name}"],
    }
    for unit, fields in {
        FIX: {"about": word("about"), "hidden_tests": hidden},
        FEATURE: {"prompt": f"Another wish: {word('prompt')}", "about": word("other")},
    }.items():
        path = pack / "fixtures/e2e" / unit / "scenario.json"
        path.write_text(json.dumps(json.loads(path.read_bytes()) | fields), encoding="utf-8")
    for path in (pack / "agents").iterdir():
        path.write_text(f"# {word('agents')}\n{path.read_text(encoding='utf-8')}")
    _stamped(pack, word("proof"))
    return words


def _stamped(pack: Path, word: str) -> None:
    """Has every proof name what it rests on now; whether it proves that is no question here."""
    read = read_pack(pack)
    with seeds_of(pack) as seed_of:
        for one in read.scenarios:
            path = pack / PROOFS / f"{one.id}.json"
            now = rests_on(read, one, seed_of(read.seed(one)))
            proof = decode(path.read_bytes(), Proof)
            told = (*proof.remarks, word)
            path.write_bytes(pretty(msgspec.structs.replace(proof, rests_on=now, remarks=told)))


@contextmanager
def operating(home: Path, *words: str) -> Iterator[None]:
    """Is an operator meanwhile, whose home and environment hold words."""
    for name, text in zip((".netrc", ".claude/CLAUDE.md", "notes"), words, strict=False):
        home.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        home.joinpath(name).write_text(text, encoding="utf-8")
    before = dict(os.environ)
    os.environ.update({"HOME": str(home), "OPERATORS_TOKEN": words[-1]})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def spied(study: Path) -> list[dict[str, Any]]:
    """What the spies of all trials said, in their order."""
    found = []
    for path in sorted(study.glob("archive/*")):
        archive = Archive.open(path)
        for document in archive.read(Document):
            if document.name.endswith("/transcript.jsonl"):
                lines = b"".join(archive.blobs.chunks(document.sha256)).splitlines()
                results = [str(json.loads(line).get("result", "")) for line in lines]
                found += [
                    json.loads(line.removeprefix("SPIED "))
                    for result in results
                    for line in result.splitlines()
                    if line.startswith("SPIED ")
                ]
    return found


def kept_by_runs(study: Path) -> bytes:
    """Every document that the runs left, those of hidden tests apart, in one."""
    return b"\n".join(
        b"".join(Archive.open(path).blobs.chunks(document.sha256)) + document.name.encode()
        for path in sorted(study.glob("archive/*"))
        for document in Archive.open(path).read(Document)
        if "/" in document.name and "/suite-" not in document.name
    )


def _is_in(word: str, content: bytes) -> bool:
    return word.encode() in content or word.replace("-", "_").encode() in content


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-27")
@pytest.mark.requirement("OUT-50")
@pytest.mark.parametrize(
    ("verbs", "n_told"),
    [
        ((("run", "--max-cells", "1"),), 2),
        pytest.param(
            (("run", "--max-cells", "2"), ("grade",), ("run",), ("grade",)),
            6,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_nothing_hidden_is_found_before_or_after_hidden_tests_were_run(
    verbs: tuple[tuple[str, ...], ...], n_told: int, tmp_path: Path
) -> None:
    spy = scripted("spy", {"cases": [{"do": SPYING}]})
    study = made(tmp_path / "study", [spy], title=f"Of {STEM}-title", scenarios=[FIX])
    words = [*planted(study / "pack"), f"{STEM}-title"]
    own = [f"{STEM}-home", f"{STEM}-claude", f"{STEM}-notes", f"{STEM}-token"]
    tmp_path.joinpath(f"{STEM}-beside").write_text(f"{STEM}-beside", encoding="utf-8")
    with operating(tmp_path / "home", *own):
        for verb, *options in (("plan",), ("seal",), *verbs):
            done = called(verb, study, *options)
            assert done.exit_code == 0, done.output
    told = spied(study)
    assert len(told) == n_told  # before and after each cell's work
    for one in told:
        assert set(one["found"]) == {SEEN}, one["found"]
        kinds = {place.partition(":")[0] for place in one["found"][SEEN]}
        assert {"git", "object"} <= kinds  # and would have found more, had it been there
        assert min(one["looked"].values()) > 0
        assert {"git", "object", "proc", "socket", "environment", "home"} <= set(one["looked"])
    left = kept_by_runs(study)
    assert [word for word in {*words, *own} if _is_in(word, left)] == []
    assert len({*words}) > 10
