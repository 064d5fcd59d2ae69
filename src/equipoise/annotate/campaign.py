"""A campaign as the app reads it: packets, who gets which, checks, hashes of tokens."""

import re
import stat
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from equipoise.annotate.links import DASHBOARD, Tokens
from equipoise.errors import Blocked, InputError, as_word
from equipoise.records.answer import Answer, AnswerKind
from equipoise.records.codec import decode
from equipoise.records.packet import Packet
from equipoise.records.rating_plan import ChecksPlan

T = TypeVar("T")

PACKETS, ASSIGNMENTS, CHECKS, TOKENS = (
    "packets.jsonl",
    "assignments.jsonl",
    "checks.json",
    "tokens.json",
)
MOST_OPTIONS = 9
"""The most options that a packet may have: each has a digit on the keyboard."""

_HASH = re.compile(r"[0-9a-f]{64}")


class Check(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is right in a packet that is a check; null = any choice is. It never leaves the server.

    `warning` is what the annotator is told after a wrong answer (tutorial and loud checks).
    """

    kind: Literal["tutorial", "loud", "silent"]
    best: int | None = None
    worst: int | None = None
    warning: str = ""

    @property
    def is_open(self) -> bool:
        """Whether any choice is right."""
        return self.best is None and self.worst is None

    @property
    def has_answer(self) -> bool:
        """Something is right here, and something wrong."""
        return self.best is not None or self.worst is not None

    def is_right(self, answer: Answer) -> bool:
        """Says whether an answer is what a careful reader chooses."""
        return (
            answer.kind is AnswerKind.GIVEN
            and self.best in {None, answer.best}
            and self.worst in {None, answer.worst}
        )


class _Assigned(msgspec.Struct, frozen=True, kw_only=True):
    annotator: str
    n: int
    packet: str


class _Planned(msgspec.Struct, frozen=True, kw_only=True):
    """What the app reads of a plan: when checks are passed. Arms are not read."""

    checks: ChecksPlan = ChecksPlan()
    is_simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """All that is served.

    Attributes:
        packets: by id.
        lists: annotator -> ids of packets, in order.
        checks: packet -> what is right in it.
        tokens: knows whose a token is; the dashboard's under the empty name.
        rule: how many silent checks have to be right.
        is_simulated: the texts stand in for real outputs.
    """

    packets: dict[str, Packet]
    lists: dict[str, tuple[str, ...]]
    checks: dict[str, Check]
    tokens: Tokens
    rule: ChecksPlan
    is_simulated: bool = False


def read_campaign(study: Path) -> Campaign:
    """Reads the campaign of a study's folder, and the rule for checks from its plan if it has one.

    Raises:
        Blocked: there is no campaign yet, or others can read a file that only its owner may.
        InputError: a file is not what it has to be; names file and line.
    """
    folder = study / "campaign"
    if not (folder / PACKETS).is_file():
        raise Blocked(
            f"{study} has no campaign/{PACKETS}; mend: "
            f"equipoise annotate make {as_word(study)} writes it"
        )
    packets = {packet.id: packet for packet in _lines(folder / PACKETS, Packet)}
    for packet in packets.values():
        if not 2 <= len(packet.options) <= MOST_OPTIONS:
            raise InputError(
                f"packet {packet.id!r} has {len(packet.options)} options",
                wanted=f"between 2 and {MOST_OPTIONS}: people choose the best and the worst",
                where=str(folder / PACKETS),
                code="set_size",
            )
    lists = _lists(folder / ASSIGNMENTS, packets)
    tokens = Tokens(folder / TOKENS, partial(_read_tokens, names=frozenset({*lists, DASHBOARD})))
    checks = _secret(folder / CHECKS, dict[str, Check]) if (folder / CHECKS).exists() else {}
    plan = study / "plan.json"
    planned = decode(plan.read_bytes(), _Planned, where=str(plan)) if plan.is_file() else _Planned()
    return Campaign(
        packets=packets,
        lists=lists,
        checks={packet: check for packet, check in checks.items() if packet in packets},
        tokens=tokens,
        rule=planned.checks,
        is_simulated=planned.is_simulated,
    )


def _lines(path: Path, kind: type[T]) -> list[T]:
    with path.open("rb") as lines:
        return [
            decode(line, kind, where=f"{path}:{number}")
            for number, line in enumerate(lines, 1)
            if line.strip()
        ]


def _lists(path: Path, packets: dict[str, Packet]) -> dict[str, tuple[str, ...]]:
    assigned = sorted(_lines(path, _Assigned), key=lambda one: (one.annotator, one.n))
    lists: dict[str, list[str]] = {}
    seen: dict[str, str] = {}
    for one in assigned:
        if one.packet not in packets:
            raise InputError(
                f"{one.annotator!r} is to get packet {one.packet!r}, which is not there",
                wanted=f"a packet of {PACKETS}",
                where=str(path),
                code="unknown_packet",
            )
        if one.packet in seen:
            raise InputError(
                f"packet {one.packet!r} is for {seen[one.packet]!r} and for {one.annotator!r}",
                wanted="packets of their own for every annotator, each once",
                where=str(path),
                code="shared_packet",
            )
        seen[one.packet] = one.annotator
        lists.setdefault(one.annotator, []).append(one.packet)
    return {name: tuple(ids) for name, ids in lists.items()}


def _secret(path: Path, kind: type[T]) -> T:
    """Reads a file that only its owner may read."""
    if not path.is_file():
        raise Blocked(f"there is no {path}; mend: equipoise annotate make writes it")
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise Blocked(f"others can read {path}; mend: chmod 600 {path}")
    return decode(path.read_bytes(), kind, where=str(path))


def _read_tokens(path: Path, names: frozenset[str]) -> dict[str, str]:
    """Reads the hashes of the tokens; every name has one."""
    tokens = _secret(path, dict[str, str])
    without = [name or "(the dashboard)" for name in sorted(names - tokens.keys())]
    if without:
        raise InputError(
            f"no token for {', '.join(without)}",
            wanted="one for every annotator, and the dashboard's under the empty name",
            where=str(path),
            code="no_token",
        )
    bad = [name for name, known in tokens.items() if not _HASH.fullmatch(known)]
    if bad or len(set(tokens.values())) < len(tokens):
        raise InputError(
            f"the tokens of {bad or 'two names'} are no distinct hashes",
            wanted="the sha256 of each token, in hexadecimal",
            where=str(path),
            code="bad_token",
        )
    return tokens
