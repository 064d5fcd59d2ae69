"""Finds oracles and data packs that live beside the repository and skips where they are absent."""

import os
from pathlib import Path

import pytest

_MARK = ("shared", "spec")


def shared(*parts: str) -> Path:
    """The path of a shared file or folder; skips the calling test (or module) when it is missing.

    Args:
        parts: names below the shared folder, e.g. ``"oracles", "stats_public.jsonl"``.
    """
    root = shared_root()
    if root is None:
        pytest.skip(
            "no shared folder beside the repository (set EQUIPOISE_SHARED)", allow_module_level=True
        )
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the shared folder has no {'/'.join(parts)}", allow_module_level=True)
    return path


def shared_root() -> Path | None:
    """The shared folder, from EQUIPOISE_SHARED or a parent folder; None where there is none."""
    named = os.environ.get("EQUIPOISE_SHARED")
    if named:
        return Path(named)
    for parent in Path(__file__).resolve().parents:
        if parent.joinpath(*_MARK).is_dir():
            return parent / _MARK[0]
    return None
