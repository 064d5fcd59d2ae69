"""What an agent did is read whole, and nothing that it planted is run, followed or waited for."""

import hashlib
import os
import shutil
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.workspaces.made_seed import git, seed
from equipoise.adapters.workspaces.hostile import Limits
from equipoise.adapters.workspaces.seed import GitSeed
from equipoise.adapters.workspaces.store import SeedStore
from equipoise.errors import InputError


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> GitSeed:
    return seed(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def work(shop: GitSeed, tmp_path: Path) -> Path:
    shop.copy(tmp_path / "work")
    return tmp_path / "work"


def test_an_idle_agent_changed_nothing(shop: GitSeed, work: Path) -> None:
    frozen = shop.freeze(work)
    assert (frozen.diff, frozen.tree, frozen.escapes, frozen.commits) == (b"", {}, (), ())
    assert frozen.is_whole


@pytest.mark.requirement("OUT-48")
def test_a_diff_rebuilds_what_the_agent_left(shop: GitSeed, work: Path, tmp_path: Path) -> None:
    work.joinpath("shop", "prices.py").write_bytes(b"def total(prices):\n    return sum(prices)\n")
    work.joinpath("shop", "part_0.py").unlink()
    work.joinpath("picture.bin").write_bytes(bytes(range(256)) * 3)
    work.joinpath("run.sh").chmod(0o644)
    work.joinpath("latest").unlink()
    work.joinpath("latest").write_bytes(b"no link any more")
    work.joinpath('two words and "quotes"\tä.txt').write_bytes(b"no newline")
    work.joinpath("report.log").write_bytes(b"ignored")
    work.joinpath("__pycache__").mkdir()
    work.joinpath("__pycache__", "prices.cpython-311.pyc").write_bytes(b"other code")
    frozen = shop.freeze(work, ["*.log", "missing/**"])
    assert frozen.artifacts == {"report.log": b"ignored"}
    assert frozen.tree["report.log"] == hashlib.sha256(b"ignored").hexdigest()
    assert frozen.tree["shop/part_0.py"] == ""
    assert "README.md" not in frozen.tree
    assert shop.rebuild(tmp_path / "again", frozen.diff) == ()
    again = {
        path.relative_to(tmp_path / "again"): (
            path.is_symlink(),
            path.read_bytes(),
            path.stat().st_mode,
        )
        for path in tmp_path.joinpath("again").rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    left = {
        path.relative_to(work): (path.is_symlink(), path.read_bytes(), path.stat().st_mode)
        for path in work.rglob("*")
        if path.is_file() and ".git" not in path.parts and "__pycache__" not in path.parts
    }
    left.pop(Path("report.log"))
    assert again == left


def test_odd_names_are_names_like_others(shop: GitSeed, work: Path, tmp_path: Path) -> None:
    names = ["git~1", ".git ", ".git.", ".g\u200cit", "a\\b", "-rf", "\n", "\\n", "a -> b", "~"]
    names += [":!x", ":(top)y", ":", "*"]  # patterns elsewhere
    for name in names:
        work.joinpath(name).write_bytes(b"x\n")
    work.joinpath("deep", "git~1").mkdir(parents=True)
    work.joinpath("deep", "git~1", "config").write_bytes(b"x\n")
    os.close(os.open(os.fsencode(work) + b"/\xff\xfe", os.O_CREAT | os.O_WRONLY))
    frozen = shop.freeze(work)
    assert frozen.is_whole, frozen.escapes
    assert shop.rebuild(tmp_path / "again", frozen.diff) == ()
    left = {path.name for path in work.iterdir()}
    assert {path.name for path in tmp_path.joinpath("again").iterdir()} == left
    assert len(frozen.tree) == len(names) + 2


def test_what_may_not_change_stays_the_seeds(shop: GitSeed, work: Path, tmp_path: Path) -> None:
    work.joinpath("shop", "prices.py").write_bytes(b"better\n")
    work.joinpath("README.md").write_bytes(b"# All tests pass\n")
    work.joinpath("shop", "conftest.py").write_bytes(b"import os\n")
    diff = shop.freeze(work).diff
    left_out = shop.rebuild(tmp_path / "again", diff, ["shop/**"], ["**/conftest.py"])
    assert sorted(left_out) == ["README.md", "shop/conftest.py"]
    assert tmp_path.joinpath("again", "shop", "prices.py").read_bytes() == b"better\n"
    assert tmp_path.joinpath("again", "README.md").read_bytes() == b"# A small shop\n"
    assert not tmp_path.joinpath("again", "shop", "conftest.py").exists()


def test_a_moved_file_is_two_paths(shop: GitSeed, tmp_path: Path) -> None:
    diff = (
        b"diff --git a/README.md b/shop/README.md\nsimilarity index 100%\n"
        b"rename from README.md\nrename to shop/README.md\n"
    )
    assert shop.rebuild(tmp_path / "again", diff, ["shop/**"]) == ("shop/README.md",)


def test_what_stands_in_the_place_of_what_has_to_stay_is_left_out_with_it(
    shop: GitSeed, work: Path, tmp_path: Path
) -> None:
    """A link in place of a folder of tests, or a folder in place of a file, keeps nobody off."""
    shutil.rmtree(work / "shop")
    work.joinpath("shop").symlink_to("/tmp")
    work.joinpath("README.md").unlink()
    work.joinpath("README.md").mkdir()
    work.joinpath("README.md", "more").write_text("x\n")
    work.joinpath("old.txt").write_text("x\n")
    diff = shop.freeze(work, ()).diff
    left_out = shop.rebuild(tmp_path / "again", diff, ["**"], ["shop/**", "README.md"])
    assert {"shop", "shop/prices.py", "README.md", "README.md/more"} <= set(left_out)
    assert tmp_path.joinpath("again/shop/prices.py").read_text().startswith("def total")
    assert tmp_path.joinpath("again/README.md").is_file()
    assert tmp_path.joinpath("again/old.txt").is_file()
    assert tmp_path.joinpath("again", "README.md").exists()


def test_commits_of_the_agent_are_counted(shop: GitSeed, work: Path) -> None:
    for number in range(3):
        work.joinpath("shop", "prices.py").write_text(f"# {number}\n", encoding="utf-8")
        git(work, "commit", "-qam", f"Step {number}")
    git(work, "branch", "feature/x", "HEAD~1")
    frozen = shop.freeze(work)
    made = git(work, "rev-list", f"{shop.head}..HEAD").split()
    assert frozen.commits is not None
    assert sorted(frozen.commits) == sorted(made)
    assert frozen.heads == {
        "main": git(work, "rev-parse", "HEAD"),
        "feature/x": git(work, "rev-parse", "HEAD~1"),
    }
    git(work, "gc", "-q")
    assert shop.freeze(work).commits is None
    assert shop.freeze(work).diff == frozen.diff


@pytest.mark.requirement("OUT-50")
def test_nothing_that_was_planted_in_the_repository_runs(
    shop: GitSeed, work: Path, tmp_path: Path
) -> None:
    trap = tmp_path / "trap.sh"
    sprung = tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\necho $0 $* >> {sprung}\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "core.pager",
        "core.editor",
        "core.sshCommand",
    ):
        git(work, "config", key, str(trap))
    git(work, "config", "core.hooksPath", str(tmp_path))
    git(work, "config", "core.worktree", "/")
    hooks = work / ".git" / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "pre-commit", "reference-transaction"):
        hooks.joinpath(name).write_bytes(trap.read_bytes())
        hooks.joinpath(name).chmod(0o755)
    work.joinpath(".gitattributes").write_bytes(b"* filter=evil diff=evil text eol=crlf\n")
    work.joinpath("setup.cfg").write_bytes(b"[x]\ny = 1\n")
    work.joinpath("notes.txt").write_bytes(b"one\nthree\n")
    frozen = shop.freeze(work)
    assert not sprung.exists()
    assert b"+three\n" in frozen.diff
    assert b"+y = 1\n" in frozen.diff
    assert ".git/hooks/pre-commit: a hook" in frozen.escapes
    assert ".git/config: sets fsmonitor" in frozen.escapes
    shop.rebuild(tmp_path / "again", frozen.diff)
    assert not sprung.exists()
    assert tmp_path.joinpath("again", "notes.txt").read_bytes() == b"one\nthree\n"


@pytest.mark.requirement("OUT-50")
def test_links_pipes_and_giants_are_named_and_not_read(
    shop: GitSeed, work: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"the key of the host")
    work.joinpath("link").symlink_to(secret)
    work.joinpath("up").symlink_to("../..")
    work.joinpath("inside").symlink_to("shop/prices.py")
    work.joinpath("hard").hardlink_to(secret)
    work.joinpath("pair").write_bytes(b"twice")
    work.joinpath("other").hardlink_to(work / "pair")
    os.mkfifo(work / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(work / "s"))
    with work.joinpath("giant").open("wb") as file:
        file.truncate(1 << 41)
    work.joinpath("sub", ".git").mkdir(parents=True)
    work.joinpath("sub", ".git", "config").write_bytes(b"[core]\n fsmonitor = touch /tmp/x\n")
    frozen = shop.freeze(work, ["**"])
    assert b"the key" not in frozen.diff
    assert not any(b"the key" in content for content in frozen.artifacts.values())
    assert frozen.artifacts["pair"] == frozen.artifacts["other"] == b"twice"
    named = {line.partition(":")[0] for line in frozen.escapes}
    assert named == {"link", "up", "hard", "pipe", "s", "giant", "sub/.git"}
    assert not frozen.is_whole
    assert frozen.is_listed
    assert frozen.tree["pipe"] == "unread"


def test_a_link_in_place_of_a_folder_is_a_link(shop: GitSeed, work: Path, tmp_path: Path) -> None:
    host = tmp_path / "host"
    host.mkdir()
    host.joinpath("prices.py").write_bytes(b"from the host\n")
    for path in work.joinpath("shop").iterdir():
        path.unlink()
    work.joinpath("shop").rmdir()
    work.joinpath("shop").symlink_to(host)
    frozen = shop.freeze(work)
    assert b"from the host" not in frozen.diff
    assert frozen.tree["shop/prices.py"] == ""
    shop.rebuild(tmp_path / "again", frozen.diff)
    assert tmp_path.joinpath("again", "shop").is_symlink()
    assert host.joinpath("prices.py").read_bytes() == b"from the host\n"


@pytest.mark.parametrize("ruin", ["gone", "file", "link", "garbage", "loop"])
def test_a_ruined_repository_costs_the_history_only(
    shop: GitSeed, work: Path, tmp_path: Path, ruin: str
) -> None:
    work.joinpath("README.md").write_bytes(b"# New\n")
    away = tmp_path / "away"
    if ruin in {"gone", "file", "link"}:
        work.joinpath(".git").rename(away)
    if ruin == "file":
        work.joinpath(".git").write_text(f"gitdir: {away}\n", encoding="utf-8")
    if ruin == "link":
        work.joinpath(".git").symlink_to(away)
    if ruin == "garbage":
        for path in work.joinpath(".git").rglob("*"):
            if path.is_file():
                path.write_bytes(b"\xff\0garbage")
    if ruin == "loop":
        work.joinpath(".git", "refs", "heads", "main").unlink()
        work.joinpath(".git", "refs", "heads", "main").symlink_to("main")
        os.mkfifo(work / ".git" / "refs" / "heads" / "wait")
    frozen = shop.freeze(work)
    assert b"+# New\n" in frozen.diff
    assert set(frozen.tree) == {"README.md"}


def test_bounds_hold_and_say_so(shop: GitSeed, work: Path) -> None:
    for number in range(50):
        work.joinpath(f"f{number}").write_bytes(b"x" * 100)
    few = GitSeed(
        sha256=shop.sha256,
        head=shop.head,
        tree=shop.tree,
        files=shop.files,
        commits=shop.commits,
        config=shop.config,
        limits=Limits(kept_bytes=1000, n_entries=60),
    )
    frozen = few.freeze(work)
    assert not frozen.is_whole
    assert not frozen.is_listed
    assert any("more than 60 entries" in line for line in frozen.escapes)
    assert "" not in frozen.tree.values()  # what was not reached is not called deleted
    deep = work
    for _ in range(120):
        deep /= "d"
    deep.mkdir(parents=True)
    assert any("deeper than" in line for line in shop.freeze(work).escapes)


def test_the_workspace_itself_may_be_gone(shop: GitSeed, tmp_path: Path) -> None:
    frozen = shop.freeze(tmp_path / "nothing")
    assert not frozen.is_whole
    assert frozen.diff == b""


_NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=12
).filter(
    lambda name: name not in {".", ".."} and name.lower() != ".git" and len(os.fsencode(name)) < 200
)


@settings(max_examples=8, deadline=None)
@given(files=st.dictionaries(_NAMES, st.binary(max_size=300), max_size=4))
def test_any_files_survive_the_way_through_a_diff(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    made = SeedStore(tmp_path_factory.getbasetemp() / "any-store").from_folder(_plain(folder))
    made.copy(folder / "work")
    for name, content in files.items():
        folder.joinpath("work", name).write_bytes(content)
    frozen = made.freeze(folder / "work")
    made.rebuild(folder / "again", frozen.diff)
    found = {
        path.name: path.read_bytes()
        for path in folder.joinpath("again").iterdir()
        if path.is_file() and path.name != "plain"
    }
    kept = {name for name in files if not name.endswith(".pyc") and name != "plain"}
    assert found == {name: files[name] for name in kept}


def _plain(folder: Path) -> Path:
    folder.joinpath("plain").mkdir()
    folder.joinpath("plain", "plain").write_bytes(b"plain\n")
    return folder / "plain"


def _new_file(path: str, text: str, mode: str = "100644") -> bytes:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n"
        f"@@ -0,0 +1 @@\n+{text}\n"
    ).encode()


@pytest.mark.requirement("OUT-50")
@pytest.mark.parametrize(
    "diff",
    [
        _new_file("../out", "x"),
        _new_file("shop/../../out", "x"),
        _new_file(".git/hooks/post-checkout", "touch ../out"),
        _new_file("sub/.GIT/config", "x"),
        _new_file("link", "../..", "120000") + _new_file("link/out", "x"),
        _new_file("latest", "../..", "120000"),
        _new_file("README.md", "x").replace(b"@@ -0,0 +1 @@", b"@@ -1 +1 @@\n-no such line"),
        b"diff --git nonsense\n",
        b"\0\xff" * 100,
    ],
)
def test_a_diff_that_leads_elsewhere_is_refused(shop: GitSeed, tmp_path: Path, diff: bytes) -> None:
    with pytest.raises(InputError):
        shop.rebuild(tmp_path / "deep" / "again", diff)
    assert not any(path.name == "out" for path in tmp_path.rglob("*"))
    assert not tmp_path.joinpath("deep", "again", ".git", "hooks").exists()


def test_a_path_too_long_to_be_made_again_is_told_and_keeps_no_diff_from_fitting(
    shop: GitSeed, work: Path, tmp_path: Path
) -> None:
    handle = os.open(work, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("m" * 200, dir_fd=handle)
        inner = os.open("m" * 200, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open("end", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=handle))
    os.close(handle)
    work.joinpath("old.txt").write_text("x\n")
    frozen = shop.freeze(work, ())
    assert len(frozen.escapes) == 1
    assert frozen.escapes[0].endswith("a path of 5028 bytes: too long to be kept")
    assert shop.rebuild(tmp_path / "again", frozen.diff) == ()
    assert tmp_path.joinpath("again/old.txt").is_file()
