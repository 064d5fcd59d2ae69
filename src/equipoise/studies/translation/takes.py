"""Takes and judgements of a file: which attempt counts, what it repeats, what judges say of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from equipoise.errors import InputError, nearest
from equipoise.records.codec import decode, digest, encode
from equipoise.records.term_files import Fidelity, JudgementLine, TakeLine
from equipoise.studies.translation.reading import Given, lines_of
from equipoise.terms.modes import Mode, mode_of

FAULTS = ("mistranslation", "omission", "addition", "wrong_names")
_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(?P<inside>.*?)\n\s*```\s*$", re.DOTALL)

Place = tuple[str, Mode]
"""A chunk and a mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What judges say of one take.

    Attributes:
        read: judge -> what could be read of its answer.
        unreadable: judges none of whose attempts could be read.
        other_output: judges that judged another output than the one that counts.
    """

    read: Mapping[str, Fidelity]
    unreadable: tuple[str, ...] = ()
    other_output: tuple[str, ...] = ()

    @property
    def fidelity(self) -> float | None:
        """The mean over judges, from 0 to 100; None without any."""
        if not self.read:
            return None
        return sum(one.fidelity for one in self.read.values()) / len(self.read)

    @property
    def why(self) -> str:
        """Why there is no fidelity."""
        if self.read:
            return ""
        if self.unreadable:
            return f"nobody can read what {', '.join(self.unreadable)} answered"
        if self.other_output:
            return f"{', '.join(self.other_output)} judged another output"
        return "not judged"

    @property
    def faults(self) -> dict[str, int]:
        """Kind of fault -> how many were found, by all judges together."""
        return {kind: sum(len(getattr(one, kind)) for one in self.read.values()) for kind in FAULTS}


def read_takes(given: Given, chunks: Iterable[str]) -> dict[Place, tuple[TakeLine, ...]]:
    """The attempts at each chunk in each mode, in order.

    Raises:
        InputError: a line is no take, or names an unknown mode or chunk; an attempt stands twice or
            is missing before another.
    """
    known = list(chunks)
    found: dict[Place, dict[int, TakeLine]] = {}
    for where, line in lines_of(given, TakeLine):
        place = _place(line.chunk, line.mode, known, where)
        attempts = found.setdefault(place, {})
        if line.attempt in attempts:
            raise InputError(
                f"attempt {line.attempt} at chunk {line.chunk!r} in {line.mode} stands twice",
                wanted="one take for each attempt",
                where=where,
            )
        attempts[line.attempt] = line
    for (chunk, mode), attempts in found.items():
        if sorted(attempts) != list(range(1, len(attempts) + 1)):
            raise InputError(
                f"chunk {chunk!r} in {mode} has the attempts {sorted(attempts)}",
                wanted="all of them from 1 on",
                where=given.where,
            )
    return {place: tuple(found[place][n] for n in sorted(found[place])) for place in found}


def read_judgements(
    given: Given | None, chunks: Iterable[str]
) -> dict[Place, tuple[JudgementLine, ...]]:
    """All judgements of each take, in the order of the file.

    Raises:
        InputError: a line is no judgement, or names an unknown mode or chunk.
    """
    known = list(chunks)
    found: dict[Place, list[JudgementLine]] = {}
    for where, line in lines_of(given, JudgementLine) if given else ():
        found.setdefault(_place(line.chunk, line.mode, known, where), []).append(line)
    return {place: tuple(lines) for place, lines in found.items()}


def judged(lines: Sequence[JudgementLine], output: str) -> Judged:
    """What judges say of an output: of each judge the first attempt that can be read.

    A judgement that names the hash of another output does not count.
    """
    sha256 = digest(output.encode())
    fitting = [one for one in lines if one.output_sha256 in ("", sha256)]
    read: dict[str, Fidelity] = {}
    for one in sorted(fitting, key=lambda line: line.attempt):
        if one.judge not in read and (answer := fidelity_in(one.answer)) is not None:
            read[one.judge] = answer
    names = dict.fromkeys(one.judge for one in fitting)
    others = dict.fromkeys(one.judge for one in lines if one.judge not in names)
    return Judged(
        read=read,
        unreadable=tuple(name for name in names if name not in read),
        other_output=tuple(others),
    )


def fidelity_in(answer: str | Mapping[str, object]) -> Fidelity | None:
    """What a judge answered, held against its schema; None where it does not fit."""
    if isinstance(answer, str):
        fenced = _FENCE.match(answer)
        data = (fenced["inside"] if fenced else answer).encode(errors="replace")
    else:
        data = encode(dict(answer))
    try:
        return decode(data, Fidelity)
    except InputError:
        return None


def _place(chunk: str, mode: str, known: list[str], where: str) -> Place:
    if chunk not in known:
        raise InputError(
            f"there is no chunk {chunk!r}",
            wanted="the id of a chunk",
            mend=nearest(chunk, known),
            where=where,
        )
    return chunk, mode_of(mode, where=where)
