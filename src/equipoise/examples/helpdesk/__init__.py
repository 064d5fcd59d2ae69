"""A small help desk: a real service in two releases, and a driver that asks it for help.

``service`` is the thing under test: an HTTP process with five hops and an SQLite store.
``drive`` starts it, plays invented customers, looks at what happened and writes ``runs.jsonl``.
Standard library only; nothing here imports another part of equipoise.
"""

from pathlib import Path

MAPPING = Path(__file__).with_name("mapping.yaml")
"""The mapping that tells ``equipoise import table`` what the columns of ``runs.jsonl`` mean."""
