"""A seed is the same on any machine, whatever it is made from, and holds nothing but itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.workspaces.made_seed import COMMITS, git, seed
from equipoise.adapters.workspaces.recipe import Commit, File
from equipoise.adapters.workspaces.store import SeedStore
from equipoise.errors import InputError
from every import for_every

_PRINT = """
import pathlib, sys
from adapters.workspaces.made_seed import seed
print(seed(pathlib.Path(sys.argv[1])).sha256)
"""


def test_the_same_commits_have_the_same_names_everywhere(tmp_path: Path) -> None:
    one = seed(tmp_path / "a")
    assert one.head == "44bbb7e8b65a3217f2ae70babdd8f804d2b92eb8"
    assert one.sha256 == seed(tmp_path / "b").sha256


def test_settings_of_the_user_change_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.joinpath(".gitconfig").write_text(
        "[core]\n autocrlf = true\n hooksPath = /tmp\n[commit]\n gpgsign = true\n"
        "[user]\n name = Somebody\n email = s@b\n[init]\n defaultBranch = trunk\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            _PRINT,
            str(tmp_path / "other"),
        ],
        env=os.environ
        | {"HOME": str(home), "TZ": "Asia/Tokyo", "GIT_AUTHOR_NAME": "Somebody"}
        | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == seed(tmp_path).sha256


@pytest.mark.requirement("OUT-50")
def test_a_copy_is_a_clean_repository_with_no_way_back(tmp_path: Path) -> None:
    made = seed(tmp_path)
    work = tmp_path / "work"
    made.copy(work)
    assert git(work, "status", "--porcelain") == ""
    assert git(work, "log", "--format=%an %s").splitlines()[0] == "Ada Tidy"
    assert git(work, "rev-list", "--count", "HEAD") == str(len(COMMITS))
    assert git(work, "fsck", "--unreachable", "--no-reflogs", "--full") == ""
    assert git(work, "remote") == ""
    assert git(work, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    names = {path.relative_to(work).as_posix() for path in work.joinpath(".git").rglob("*")}
    assert not any(n.startswith((".git/logs", ".git/hooks", ".git/worktrees")) for n in names)
    assert work.joinpath("notes.txt").read_bytes() == b"one\ntwo\n"
    assert os.access(work / "run.sh", os.X_OK)
    assert str(work.joinpath("latest").readlink()) == "notes.txt"
    assert not any(str(tmp_path).encode() in p.read_bytes() for p in work.rglob("*") if p.is_file())


def test_cells_do_not_share_a_byte(tmp_path: Path) -> None:
    made = seed(tmp_path)
    made.copy(tmp_path / "one")
    made.copy(tmp_path / "two")
    for path in tmp_path.joinpath("one").rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.write_bytes(b"ruined")
    assert git(tmp_path / "two", "status", "--porcelain") == ""
    made.copy(tmp_path / "three")
    assert git(tmp_path / "three", "status", "--porcelain") == ""


def test_a_copy_is_refused_where_something_is(tmp_path: Path) -> None:
    made = seed(tmp_path)
    tmp_path.joinpath("full").mkdir()
    tmp_path.joinpath("full", "x").write_bytes(b"")
    with pytest.raises(InputError, match="not empty"):
        made.copy(tmp_path / "full")


def test_a_folder_becomes_one_commit_whatever_its_own_repository_says(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.joinpath("deep").mkdir(parents=True)
    folder.joinpath("deep", "größe.txt").write_bytes(b"x\r\n")
    folder.joinpath("run").write_bytes(b"#!/bin/sh\n")
    folder.joinpath("run").chmod(0o750)
    git(folder, "init", "-q")
    git(folder, "config", "secret.key", "value")
    made = SeedStore(tmp_path / "store").from_folder(folder)
    made.copy(tmp_path / "work")
    assert git(tmp_path / "work", "rev-list", "--count", "HEAD") == "1"
    assert tmp_path.joinpath("work", "deep", "größe.txt").read_bytes() == b"x\r\n"
    assert os.access(tmp_path / "work" / "run", os.X_OK)
    assert "secret" not in tmp_path.joinpath("work", ".git", "config").read_text(encoding="utf-8")


@pytest.mark.requirement("OUT-27")
def test_a_repository_is_taken_as_it_was_without_what_came_later(tmp_path: Path) -> None:
    source = tmp_path / "source"
    seed(tmp_path).copy(source)
    before = git(source, "rev-parse", "HEAD")
    source.joinpath("solution.py").write_bytes(b"answer = 'zebra-7731'\n")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "The fix")
    after = git(source, "rev-parse", "HEAD")
    git(source, "tag", "v2")
    git(source, "remote", "add", "origin", "https://shop.example/x.git")
    made = SeedStore(tmp_path / "store").from_repository(source, "HEAD~1")
    made.copy(tmp_path / "work")
    assert made.head == before
    assert git(tmp_path / "work", "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert git(tmp_path / "work", "fsck", "--unreachable", "--no-reflogs", "--full") == ""
    held = git(tmp_path / "work", "cat-file", "--batch-all-objects", "--batch-check")
    assert after not in held
    assert before in held


def test_what_is_no_commit_of_a_repository_is_said(tmp_path: Path) -> None:
    store = SeedStore(tmp_path / "store")
    with pytest.raises(InputError, match="no git repository"):
        store.from_repository(tmp_path)
    source = tmp_path / "source"
    seed(tmp_path).copy(source)
    with pytest.raises(InputError, match="no commit 'v9'"):
        store.from_repository(source, "v9")


def test_a_damaged_seed_is_built_anew(tmp_path: Path) -> None:
    made = seed(tmp_path)
    made.tree.joinpath("shop", "prices.py").write_bytes(b"def total(p): return 0\n")
    again = seed(tmp_path)
    assert again.sha256 == made.sha256
    assert b"sum" in again.tree.joinpath("shop", "prices.py").read_bytes()


@for_every(
    "commits",
    [
        [],
        [Commit(message="x", files={"../out": b""})],
        [Commit(message="x", files={".git/hooks/post-checkout": b""})],
        [Commit(message="x", files={"a/.GIT/config": b""})],
        [Commit(message="x", files={"a": None})],
        [Commit(message="x", files={"a": b""}, author="nobody")],
        [Commit(message="x", files={"a\0b": File(content=b"")})],
    ],
)
def test_what_git_cannot_hold_is_refused(tmp_path: Path, commits: list[Commit]) -> None:
    with pytest.raises(InputError):
        SeedStore(tmp_path / "store").from_commits(commits)
