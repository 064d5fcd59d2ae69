"""Verifies the keys of a campaign: each packet's id is an HMAC over what it shows and hides."""

from pathlib import Path

from equipoise.blind.keys import read_keys
from equipoise.blind.packets import packet_id
from equipoise.blind.private_files import study_secret
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.records.codec import decode
from equipoise.records.packet import Packet
from equipoise.studies.rating.reading import CAMPAIGN

_FILES = ("packets.jsonl", "keys.jsonl", "secret")


def check_keys(study: Path) -> Check | None:
    """Holds packets and keys of people against their ids; None where there is no such campaign.

    Whoever exchanges arms in a key cannot give the packet the id that would go with it, unless the
    secret is known as well.
    """
    packets, keys, secret = (study / CAMPAIGN / name for name in _FILES)
    if not all(path.is_file() for path in (packets, keys, secret)):
        return None
    name = f"{CAMPAIGN}/keys.jsonl"
    try:
        hidden = study_secret(secret)
        known = {key.packet: (line, key) for line, key in enumerate(read_keys(keys), 1)}
        shown = [
            (line, decode(content, Packet, where=f"{packets.name}:{line}"))
            for line, content in enumerate(packets.read_bytes().splitlines(), 1)
        ]
    except (EquipoiseError, OSError) as error:
        fault = Fault(file=name, what="cannot be read", found=str(error))
        return Check(thing=name, says="not verified", faults=(fault,))
    faults = []
    for at, packet in shown:
        line, key = known.get(packet.id, (0, None))
        if key is None:
            what = "the packet has no key"
            faults.append(Fault(file=f"{CAMPAIGN}/packets.jsonl", line=at, what=what))
        elif packet_id(packet, key, hidden) != packet.id:
            what = f"the packet's id does not follow from line {at} of packets.jsonl and this key"
            faults.append(Fault(file=name, line=line, what=what))
    says = f"{len(shown)} packets bear the ids that go with what they show and hide"
    return Check(
        thing=name,
        says=says if not faults else f"{len(faults)} of {len(shown)} packets do not fit their keys",
        faults=tuple(faults),
    )
