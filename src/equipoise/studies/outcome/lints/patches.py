"""Reads and writes patches as git does, as far as lints need it: hunks, and one file exchanged."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SECTION = re.compile(r"(?m)^diff --git ")
_NEW_PATH = re.compile(r"(?m)^\+\+\+ b/(?P<path>[^\t\n]+)")
_NO_END = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One run of changed lines of a file: what it takes away and adds, and what stands around."""

    file: str
    line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What a patch says of one file; `path` is the file's name afterwards ("" = deleted)."""

    path: str
    text: str


def sections(patch: str) -> tuple[Section, ...]:
    """Gives what a patch says of each file, in its order."""
    starts = [found.start() for found in _SECTION.finditer(patch)]
    ends = [*starts[1:], len(patch)][: len(starts)]
    found = []
    for start, end in zip(starts, ends, strict=True):
        text = patch[start:end]
        named = _NEW_PATH.search(text)
        found.append(Section(path=named["path"] if named else "", text=text))
    return tuple(found)


def with_file(patch: str, path: str, old: str | None, new: str) -> str:
    """Gives the patch with what it says of a file replaced: from `old` (null = none) to `new`."""
    others = [one.text for one in sections(patch) if one.path != path]
    return "".join([*others, written(path, old, new)])


def written(path: str, old: str | None, new: str) -> str:
    """Gives the section of a patch that makes `new` of `old`; nothing where they are equal."""
    if old == new:
        return ""
    head = f"diff --git a/{path} b/{path}\n"
    if old is None:
        head += "new file mode 100644\n"
    lines = difflib.unified_diff(
        _ended(old or ""),
        _ended(new),
        "/dev/null" if old is None else f"a/{path}",
        f"b/{path}",
    )
    return head + "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}" for line in lines)


def hunks(path: str, old: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    """Yields what differs between two versions of a file; `line` counts in the new one from 1."""
    matched = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, i, j, k, m in matched.get_opcodes():
        if tag != "equal":
            yield Hunk(
                file=path,
                line=k + 1,
                removed=tuple(old[i:j]),
                added=tuple(new[k:m]),
                before=tuple(new[max(0, k - 1) : k]),
                after=tuple(new[m : m + 1]),
            )


def _ended(text: str) -> list[str]:
    return text.splitlines(keepends=True)
