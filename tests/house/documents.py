"""The documents of the repository, and the shell blocks in them that a reader may copy."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"<!-- run: (?P<says>[^>]*?) -->\s*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of shell commands, what it says it prints, and how it should end.

    `not_run` is the reason why it cannot be run by a test, empty for a block that is run.
    """

    commands: str
    prints: str = ""
    exit_code: int = 0
    not_run: str = ""


def documents() -> list[Path]:
    """All Markdown files that speak to a reader, in a fixed order."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    found += sorted(ROOT.joinpath("docs").rglob("*.md"))
    return found + sorted(ROOT.joinpath("examples").rglob("*.md"))


def blocks(text: str) -> list[Block]:
    """The shell blocks of a document in order.

    A ``sh`` block holds commands; a ``text`` block right after it is what they print, ``...``
    standing for anything. A ``console`` block holds lines after ``$`` with what they print below.
    ``<!-- run: exit 1 -->`` before a block says how it ends, ``<!-- run: no, WHY -->`` why no test
    can run it.
    """
    found: list[Block] = []
    end_of_last = -1
    for fence in _FENCE.finditer(text):
        kind, body = fence["kind"], fence["body"]
        mark = _MARK.search(text, 0, fence.start())
        says = mark["says"] if mark else ""
        between = text[end_of_last : fence.start()].strip() if end_of_last >= 0 else "-"
        if kind == "sh":
            found.append(_marked(body, "", says))
        elif kind == "console":
            found += [_marked(command, prints, says) for command, prints in _session(body)]
        elif kind == "text" and not between and found and not found[-1].not_run:
            last = found[-1]
            found[-1] = Block(commands=last.commands, prints=body, exit_code=last.exit_code)
        end_of_last = fence.end() if kind == "sh" else -1
    return found


def _marked(commands: str, prints: str, says: str) -> Block:
    reason = says.removeprefix("no, ") if says.startswith("no, ") else ""
    code = int(says.removeprefix("exit ")) if says.startswith("exit ") else 0
    return Block(commands=commands, prints=prints, exit_code=code, not_run=reason)


def _session(body: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found:
            command, prints = found[-1]
            if command.endswith("\\") and not prints:
                found[-1] = (f"{command}\n{line.removeprefix('> ')}", "")
            else:
                found[-1] = (command, f"{prints}{line}\n")
    return found
