"""A packet: all that a judge or an annotator ever sees of one task, without any name of an arm."""

import msgspec


class Doc(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A text that a packet shows beside its options: a source, an anchor, a fixture.

    `lang` is a BCP 47 tag ("" = unknown), `name` what the reader sees above it.
    """

    name: str
    text: str
    lang: str = ""


class Option(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One output as a packet shows it; its place in the packet is its only name (``A``, ``B``)."""

    text: str
    lang: str = ""


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One criterion that is put to a judge, in neutral words."""

    id: str
    text: str


class Packet(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="packet"
):
    """One task as it is seen: what is asked, about what, and the outputs in their places.

    `id` is random and says nothing (``p-8f214c06b1d2``). `axis` is what is rated (``style``). With
    one option it is to be scored under `criteria`, with two compared, with three or more the best
    and the worst are chosen. One option of another `form`: ``cover`` asks which of its numbered
    items do what each criterion says, ``decide`` whether each is true, yes or no. Nothing else may
    ever be added: what is not here cannot leak.
    """

    id: str
    axis: str
    ask: str
    options: tuple[Option, ...]
    prompt: str = ""
    docs: tuple[Doc, ...] = ()
    criteria: tuple[Asked, ...] = ()
    form: str = ""


class PacketKey(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="key"
):
    """What a packet hides: the set it shows, and which arm's which trial stands at each place.

    Kept apart from packets (0600) and joined only after judging. `repeat` counts from 1; `order`
    numbers the permutation that the places follow (0 and 1 for a pair).
    """

    packet: str
    set: str
    arms: tuple[str, ...]
    trials: tuple[str, ...] = ()
    who: str = ""
    repeat: int = 1
    order: int = 0
