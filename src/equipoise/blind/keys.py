"""Keeps the keys of packets apart, and joins them with what raters said once judging has ended."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from equipoise.blind.private_files import read_private, write_private
from equipoise.errors import InputError
from equipoise.records.answer import Answer, AnswerKind, standing
from equipoise.records.codec import decode, encode
from equipoise.records.judgement import Judgement, ReadState
from equipoise.records.packet import PacketKey

Said = TypeVar("Said", Answer, Judgement)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined(Generic[Said]):
    """What raters said, each with the key of its packet.

    Attributes:
        pairs: what holds, with its key, in the order of the keys.
        missing: keys of packets that nobody has answered.
    """

    pairs: tuple[tuple[Said, PacketKey], ...]
    missing: tuple[PacketKey, ...]


def write_keys(path: Path, keys: Iterable[PacketKey]) -> None:
    """Writes the keys, one a line, with mode 0600, whole or not at all.

    Raises:
        InputError: a packet has two keys (``key_twice``).
        StorageFull: the disk took no more.
    """
    listed = tuple(keys)
    _by_packet(listed)
    write_private(path, b"".join(encode(key) + b"\n" for key in listed))


def read_keys(path: Path) -> tuple[PacketKey, ...]:
    """Gives the keys of a file that only its owner may read.

    Raises:
        InputError: there is no such file, others may read it (``not_private``), a line is no key,
            or a packet has two (``key_twice``).
    """
    lines = read_private(path).splitlines()
    keys = tuple(
        decode(line, PacketKey, where=f"{path.name}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    )
    _by_packet(keys)
    return keys


def join(
    said: Iterable[Said], keys: Iterable[PacketKey], *, is_complete: bool = True
) -> Joined[Said]:
    """Gives what was said with the key of its packet: one record for one packet, and the reverse.

    Of an annotator's answers the last to a packet holds, unless it was undone; a guess belongs to
    no packet and is left out. A judgement for which no answer came (``failed``) gives way to a
    later one of the same packet, an unreadable one to a further attempt; any other second one is
    refused.

    Args:
        said: answers, or judgements; in any order.
        keys: the keys of the packets that these raters were given.
        is_complete: refuse packets that nobody has answered; else they are in `missing`.

    Raises:
        InputError: a packet is not among the keys (``unknown_packet``), is judged twice
            (``packet_twice``), by somebody else than the one it was made for (``other_rater``), in
            another repeat or order (``other_repeat``), a place is not in it (``no_such_place``),
            best and worst are one place (``best_equals_worst``), or packets have no answer
            (``packets_missing``).
    """
    known = _by_packet(tuple(keys))
    listed = [one for one in said if not _is_guess(one)]
    for record in listed:
        if record.packet not in known:
            raise _fault(record.packet, "it has no key", "packets of this study", "unknown_packet")
        _check(record, known[record.packet])
    holds = _standing(listed)
    missing = tuple(key for key in known.values() if key.packet not in holds)
    if missing and is_complete:
        named = ", ".join(key.packet for key in missing[:5])
        raise InputError(
            f"{len(missing)} of {len(known)} packets have no answer ({named})",
            wanted="one answer for each packet",
            mend="finish rating, or join what there is and count the rest as missing",
            code="packets_missing",
        )
    pairs = tuple((holds[name], key) for name, key in known.items() if name in holds)
    return Joined(pairs=pairs, missing=missing)


def standing_answers(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """Gives the answers that hold: of each packet the last one; see `standing`."""
    return tuple(standing(answers).values())


def _standing(said: Sequence[Said]) -> dict[str, Said]:
    holds: dict[str, Said] = {}
    answers = {id(one) for one in standing_answers(s for s in said if isinstance(s, Answer))}
    for record in said:
        if isinstance(record, Answer):
            if id(record) in answers:
                holds[record.packet] = record
            continue
        before = holds.get(record.packet)
        if isinstance(before, Judgement) and not _gives_way(before, record):
            raise _fault(record.packet, "it is judged twice", "one judgement", "packet_twice")
        holds[record.packet] = record
    return holds


def _gives_way(before: Judgement, later: Judgement) -> bool:
    """Says whether the later one is a further attempt at a question without a verdict so far."""
    is_retried = before.state is ReadState.UNREADABLE and later.attempts > before.attempts
    return before.state is ReadState.FAILED or is_retried


def _is_guess(record: Answer | Judgement) -> bool:
    return isinstance(record, Answer) and record.kind is AnswerKind.GUESSED


def _check(record: Answer | Judgement, key: PacketKey) -> None:
    who = record.annotator if isinstance(record, Answer) else record.judge
    if who != key.who:
        raise _fault(key.packet, f"rated by {who!r}", f"the rater {key.who!r}", "other_rater")
    if isinstance(record, Judgement) and (record.repeat, record.order) != (key.repeat, key.order):
        raise _fault(
            key.packet,
            f"repeat {record.repeat} in order {record.order}",
            f"repeat {key.repeat} in order {key.order}",
            "other_repeat",
        )
    for place in (record.best, record.worst):
        if place is not None and not 0 <= place < len(key.arms):
            raise _fault(
                key.packet, f"place {place}", f"a place of 0..{len(key.arms) - 1}", "no_such_place"
            )
    if record.best is not None and record.best == record.worst:
        raise _fault(
            key.packet, f"place {record.best} is best and worst", "two places", "best_equals_worst"
        )


def _by_packet(keys: Sequence[PacketKey]) -> dict[str, PacketKey]:
    known: dict[str, PacketKey] = {}
    for key in keys:
        if key.packet in known:
            raise _fault(key.packet, "it has two keys", "one key for each packet", "key_twice")
        known[key.packet] = key
    return known


def _fault(packet: str, found: str, wanted: str, code: str) -> InputError:
    return InputError(found, wanted=wanted, where=f"packet {packet}", code=code)
