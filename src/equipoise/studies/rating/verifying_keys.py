"""Verifies the keys of a rating study: each packet's id is an HMAC over what it shows and hides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from equipoise.archive.manifest import MANIFEST
from equipoise.blind.keys import read_keys
from equipoise.blind.packets import packet_id
from equipoise.blind.private_files import kept_secret
from equipoise.errors import EquipoiseError, Tampered
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import SEAL
from equipoise.records.codec import decode
from equipoise.records.packet import Packet, PacketKey
from equipoise.records.ranking import RANKING
from equipoise.studies.rating.judging import JUDGE_KEYS, packets_of
from equipoise.studies.rating.making import KEYS, PACKETS, SECRET
from equipoise.studies.rating.reading import ARCHIVES, CAMPAIGN
from equipoise.studies.rating.versions import as_made_by, other_planner

_PEOPLE, _JUDGES = f"{CAMPAIGN}/{KEYS}", f"{CAMPAIGN}/{JUDGE_KEYS}"


@dataclass(kw_only=True)
class _Misfits:
    """Keys that do not fit; one fault tells of all, for they are mostly swapped together."""

    n: int
    lines: list[int] = field(default_factory=list)

    def faults(self, file: str, what: str) -> Iterator[Fault]:
        if self.lines:
            told = f"{len(self.lines)} of {self.n} keys, the first in line {self.lines[0]}"
            yield Fault(file=file, line=self.lines[0], what=what, found=told)


def check_keys(study: Path) -> Iterator[Check]:
    """Yields what is seen of the keys of people and of judges against the ids of their packets.

    Whoever exchanges arms in a key cannot give the packet the id that would go with it, unless the
    secret is known as well. Of a study that is given away blind, without keys or secret and not
    compared yet, they are left out; under a ranking that was made from them they have to be there.
    """
    for file, is_used, check in (
        (_PEOPLE, _is_used(study, "answers.jsonl"), _people),
        (_JUDGES, _is_used(study, "judgements.jsonl"), _judges),
    ):
        lacking = [name for name in (file, f"{CAMPAIGN}/{SECRET}") if not (study / name).is_file()]
        if not is_used and not (study / file).is_file():
            continue
        if not lacking:
            yield check(study)
        elif study.joinpath(SEAL).is_file():
            yield _lacking(study, file, lacking)


def refuse_other_keys(study: Path) -> None:
    """Refuses keys that do not go with their packets, as far as the secret is there to tell.

    Raises:
        Tampered: arms were exchanged in a key, or keys are missing.
    """
    for check in check_keys(study):
        for fault in check.faults:
            if fault.what in (_MISFIT, _NO_KEY):
                raise Tampered(
                    f"{fault.text}; mend: put {fault.file} back as it was, see: equipoise verify"
                )


_MISFIT = "the id of the packet does not follow from this key"
_NO_KEY = "packets have no key"


def _is_used(study: Path, chain: str) -> bool:
    """Says whether an archive of the study has lines of the kind that such keys are for."""
    paths = (one / chain for one in study.joinpath(ARCHIVES).glob("*") if (one / MANIFEST).exists())
    return any(path.is_file() and path.stat().st_size > 0 for path in paths)


def _lacking(study: Path, file: str, lacking: Sequence[str]) -> Check:
    what = "is missing"
    if not any(study.glob(f"comparisons/*/{RANKING}")):
        says = f"not looked at: without {' and '.join(lacking)} nobody can"
        return Check(thing=file, says=says, is_left_out=True)
    faults = [Fault(file=one, what=f"{what}, and a ranking rests on it") for one in lacking]
    return Check(thing=file, says="not verified", faults=tuple(faults))


def _people(study: Path) -> Check:
    packets, keys, secret = (study / CAMPAIGN / name for name in (PACKETS, KEYS, SECRET))
    try:
        hidden = kept_secret(secret)
        known = {key.packet: (line, key) for line, key in enumerate(read_keys(keys), 1)}
        shown = [
            decode(content, Packet, where=f"{packets.name}:{line}")
            for line, content in enumerate(packets.read_bytes().splitlines(), 1)
        ]
    except (EquipoiseError, OSError) as error:
        return _unreadable(_PEOPLE, error)
    misfits = _Misfits(n=len(known))
    lost = [line for line, one in enumerate(shown, 1) if one.id not in known]
    for packet in shown:
        line, key = known.get(packet.id, (0, None))
        if key is not None and packet_id(packet, key, hidden) != packet.id:
            misfits.lines.append(line)
    misfits.lines.sort()
    return _held(_PEOPLE, f"{CAMPAIGN}/{PACKETS}", len(shown), misfits, lost)


def _judges(study: Path) -> Check:
    try:
        keys = read_keys(study / CAMPAIGN / JUDGE_KEYS)
        wanted: dict[str, PacketKey] = {name: key for name, (_, key) in packets_of(study).items()}
    except (EquipoiseError, OSError, ValueError) as error:
        return as_made_by(_unreadable(_JUDGES, error), other_planner(study))
    held = {key.packet for key in keys}
    lost = [line for line, name in enumerate(sorted(wanted), 1) if name not in held]
    lines = [n for n, key in enumerate(keys, 1) if wanted.get(key.packet) != key]
    check = _held(_JUDGES, _JUDGES, len(wanted), _Misfits(n=len(keys), lines=lines), lost)
    return as_made_by(check, other_planner(study))


def _held(file: str, shown_in: str, n: int, misfits: _Misfits, lost: Sequence[int]) -> Check:
    faults = [*misfits.faults(file, _MISFIT)]
    if lost:
        told = f"{len(lost)} of {n}, the first in line {lost[0]}"
        faults.append(Fault(file=shown_in, line=lost[0], what=_NO_KEY, found=told))
    says = f"{n} packets bear the ids that go with what they show and hide"
    if faults:
        says = f"{len(misfits.lines) + len(lost)} of {n} packets do not fit their keys"
    return Check(thing=file, says=says, faults=tuple(faults))


def _unreadable(name: str, error: Exception) -> Check:
    fault = Fault(file=name, what="cannot be held against packets", found=str(error))
    return Check(thing=name, says="not verified", faults=(fault,))
