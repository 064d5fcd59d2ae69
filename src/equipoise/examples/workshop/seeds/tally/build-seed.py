"""Writes the repository of this seed: python build-seed.py TO [--bug ID] [--bare]."""

from equipoise.adapters.workspaces.woven import build

raise SystemExit(build(__file__))
