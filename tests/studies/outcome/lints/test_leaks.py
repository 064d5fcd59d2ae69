"""The mending of a bug is found wherever a repository can hold it, and nothing else is."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from equipoise.adapters.workspaces.recipe import Commit, Tag
from equipoise.adapters.workspaces.seed import GitSeed
from equipoise.adapters.workspaces.store import SeedStore
from equipoise.errors import InputError
from equipoise.studies.outcome.lints.leaks import leaks
from equipoise.wiring.probes import SeedProbes
from studies.loss.compared_loss_runs import called
from studies.outcome.made_fix_pack import NAME, RIGHT, WRONG, edit_text, fix_pack

FILE = "till/basket.py"


def git(seed: GitSeed, *words: str, text: str = "") -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Ann", "-c", "user.email=ann@till.example", *words],
        cwd=seed.tree,
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def unreachable(seed: GitSeed) -> None:
    git(seed, "hash-object", "-w", "--stdin", text=RIGHT)


def amended(seed: GitSeed) -> None:
    """Commits the right code, and goes back: a commit that only the reflog names is left."""
    seed.tree.joinpath(FILE).write_text(RIGHT, encoding="utf-8")
    git(seed, "commit", "-qam", "mend")
    git(seed, "reset", "-q", "--hard", "HEAD~1")


def stashed(seed: GitSeed) -> None:
    seed.tree.joinpath(FILE).write_text(RIGHT, encoding="utf-8")
    git(seed, "stash")


def tagged(seed: GitSeed) -> None:
    blob = git(seed, "hash-object", "-w", "--stdin", text=RIGHT)
    git(seed, "tag", "-a", "right", "-m", "as it should be", blob)
    git(seed, "pack-refs", "--all")


def in_a_message(seed: GitSeed) -> None:
    git(seed, "commit", "-q", "--allow-empty", "-m", "Plan\n\n+    if total >= 100:\n")


def in_a_reflog(seed: GitSeed) -> None:
    log = seed.tree / ".git/logs/HEAD"
    log.parent.mkdir(exist_ok=True)
    log.write_text("0 0 Ann <a@b> 1 +0000\treset\n    if total >= 100:\n", encoding="ascii")


def in_a_note_file(seed: GitSeed) -> None:
    seed.tree.joinpath(".git/ORIG_PLAN").write_text("    if total >= 100:\n", encoding="ascii")


@pytest.fixture
def seed(tmp_path: Path) -> GitSeed:
    commits = [Commit(message="First", files={FILE: b"total = 0\n"})]
    commits.append(Commit(message="Discount", files={FILE: WRONG.encode()}))
    return SeedStore(tmp_path / "seeds").from_commits(commits)


@pytest.mark.requirement("X-O10")
@pytest.mark.parametrize(
    "hide",
    [unreachable, amended, stashed, tagged, in_a_message, in_a_reflog, in_a_note_file],
    ids=lambda hide: hide.__name__,
)
def test_the_mending_is_found_wherever_it_lies(
    seed: GitSeed, hide: Callable[[GitSeed], None]
) -> None:
    right = {FILE: RIGHT}
    assert list(leaks(seed, [right], SeedProbes())) == []
    hide(seed)
    (notice,) = leaks(seed, [right], SeedProbes())
    assert notice.code == "fix_in_git"
    assert notice.severity.value == "refused"
    assert "if total >= 100:" in notice.message


def test_code_that_has_only_moved_is_no_leak(tmp_path: Path) -> None:
    now = "def save(self):\n    pass\n\n\ndef add(self):\n    self.version += 1\n    self.save()\n"
    right = "def save(self):\n    self.version += 1\n\n\ndef add(self):\n    self.save()\n"
    commits = [
        Commit(message="First", files={"a.py": b"def save(self):\n    pass\n"}),
        Commit(message="Second", files={"a.py": now.replace("\n\n", "\n").encode()}),
        Commit(message="Third", files={"a.py": now.encode()}),
    ]
    seed = SeedStore(tmp_path / "seeds").from_commits(commits)
    assert list(leaks(seed, [{"a.py": right}], SeedProbes())) == []


@pytest.mark.requirement("X-O10")
def test_a_bug_that_was_put_on_top_of_right_code_is_refused(tmp_path: Path) -> None:
    pack = fix_pack(tmp_path / "pack")
    done = called("prove", pack, "--lint")
    assert (done.exit_code, "0 faults" in done.output) == (0, True), done.output
    later = pack / "seeds/till/stages/03-old/till/basket.py"
    later.write_text(RIGHT, encoding="utf-8")
    edit_text(
        pack / "seeds/till/seed.yaml",
        "file: till/basket.py",
        "file: till/basket.py\n    from: 03-old",
    )
    done = called("prove", pack, "--lint")
    assert done.exit_code == 1
    assert f"refused: {NAME} till/basket.py:" in done.output
    assert "weave the bug into the commit that brings the code in" in done.output


@pytest.mark.requirement("OUT-09")
@pytest.mark.requirement("X-O10")
def test_a_tag_of_a_recipe_has_one_hash_everywhere_and_may_not_give_the_mending_away(
    tmp_path: Path,
) -> None:
    plain = fix_pack(tmp_path / "pack")
    recipe, script = (plain / "seeds/till" / name for name in ("seed.yaml", "build-seed.py"))
    script.write_text(
        "from equipoise.adapters.workspaces.woven import build\nraise SystemExit(build(__file__))\n"
    )
    edit_text(recipe, "message: Stage 2", "message: Stage 2\n  tag: v1\n  tag_message: First")
    told = set()
    for name in ("one", "two"):
        built = subprocess.run(
            [sys.executable, str(script), str(tmp_path / name)],
            capture_output=True,
            text=True,
            check=True,
        )
        refs = subprocess.run(
            ["git", "for-each-ref"], cwd=tmp_path / name, capture_output=True, text=True, check=True
        )
        told.add((built.stdout.split()[0], refs.stdout))
    ((_, refs_of),) = told
    assert " tag\trefs/tags/v1" in refs_of  # an object of its own
    done = called("prove", plain, "--lint")
    assert (done.exit_code, "0 faults" in done.output) == (0, True), done.output
    edit_text(recipe, "tag_message: First", 'tag_message: "Next:\\n\\n    if total >= 100:\\n"')
    done = called("prove", plain, "--lint")
    assert done.exit_code == 1
    assert f"refused: {NAME} till/basket.py:" in done.output
    assert "tag " in done.output


def test_tags_change_the_hash_of_a_seed_and_twice_the_same_is_refused(tmp_path: Path) -> None:
    def seed_of(*tags: Tag) -> GitSeed:
        first = Commit(message="First", files={"a.py": b"1\n"}, tags=tags)
        last = Commit(message="Last", files={"a.py": b"2\n"})
        return SeedStore(tmp_path / "seeds").from_commits([first, last])

    bare, light, heavy = seed_of(), seed_of(Tag(name="v1")), seed_of(Tag(name="v1", message="One"))
    assert bare.head == light.head == heavy.head
    assert len({bare.sha256, light.sha256, heavy.sha256}) == 3
    light.copy(tmp_path / "copy")
    assert git(light, "describe", "--tags") == f"v1-1-g{light.head[:7]}"
    assert light.freeze(tmp_path / "copy").escapes == ()
    for wrong in ((Tag(name="v1"), Tag(name="v1")), (Tag(name="../x"),), (Tag(name="a.lock"),)):
        with pytest.raises(InputError, match="tag"):
            seed_of(*wrong)


def test_a_hidden_test_in_the_seed_is_refused(tmp_path: Path) -> None:
    pack = fix_pack(tmp_path / "pack")
    hidden = pack / f"fixtures/e2e/{NAME}/hidden-tests/explicit/test_explicit.py"
    notes = pack / "seeds/till/stages/02-discount/notes.txt"
    notes.write_text("Ideas:\n" + hidden.read_text(encoding="utf-8"), encoding="utf-8")
    done = called("prove", pack, "--lint")
    assert done.exit_code == 1
    assert f"refused: {NAME} hidden-tests/explicit/test_explicit.py:4: " in done.output
    assert "holds this hidden test (blob " in done.output
