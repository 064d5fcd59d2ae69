"""A small repository of eight commits, and what agents do to it."""

import os
import subprocess
from pathlib import Path

from equipoise.adapters.workspaces.recipe import Commit, File
from equipoise.adapters.workspaces.seed import GitSeed
from equipoise.adapters.workspaces.store import SeedStore

COMMITS = (
    Commit(
        message="Begin",
        files={
            ".gitignore": b"build/\n*.log\n",
            ".gitattributes": b"*.txt text eol=crlf\n*.cfg filter=evil diff=evil\n",
            "README.md": b"# A small shop\n",
            "shop/__init__.py": b"",
            "shop/prices.py": b"def total(prices):\n    return sum(prices[1:])\n",
            "notes.txt": b"one\ntwo\n",
            "setup.cfg": b"[x]\n",
            "run.sh": File(content=b"#!/bin/sh\necho hi\n", is_executable=True),
            "latest": File(content=b"notes.txt", is_link=True),
            "old.py": b"x = 1\n",
        },
    ),
    *(
        Commit(message=f"Part {i}", files={f"shop/part_{i}.py": f"part = {i}\n".encode()})
        for i in range(6)
    ),
    Commit(message="Tidy", files={"old.py": None}, author="Ada <ada@shop.example>"),
)


def seed(folder: Path) -> GitSeed:
    """The repository as a seed in a store of its own."""
    return SeedStore(folder / "store").from_commits(COMMITS)


def git(folder: Path, *words: str) -> str:
    """Runs git in a workspace as an agent would, and gives what it prints."""
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()
