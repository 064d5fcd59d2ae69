"""Makes packets: what raters see of a set, and the key that says what they saw."""

import hmac
from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import chain

from msgspec.structs import replace

from equipoise.errors import InputError
from equipoise.records.codec import encode
from equipoise.records.packet import Doc, Option, Packet, PacketKey
from equipoise.records.rating_plan import AxisPlan, Output, RatingSet

_SHORTEST_SECRET = 16


def make_packet(
    rating_set: RatingSet,
    outputs: Mapping[str, Output],
    axis: AxisPlan,
    places: tuple[int, ...],
    *,
    who: str,
    repeat: int = 1,
    order: int = 0,
    secret: bytes,
) -> tuple[Packet, PacketKey]:
    """Gives one rater's packet of a set, and its key.

    Args:
        rating_set: the set; of arms whose texts are the same only the first is shown.
        outputs: arm -> its output for the unit of the set; a text planted in the set goes first.
        axis: what is asked, and which documents stand beside the outputs.
        places: for each place of the packet the number, from 0, of the arm in `shown_arms`.
        who: the annotator or the judge; each gets packets of his own.
        repeat: which repeat of a judge it is, from 1.
        order: which permutation `places` is.
        secret: the secret of the study (see `study_secret`); it makes the packet's id, which
            changes with anything that is shown or asked, and tells nothing of it.

    Raises:
        InputError: the places are no permutation (``places``), an arm has no output
            (``no_output``), the outputs are of another unit (``other_unit``) or were made from
            different prompts or documents (``prompt_differs``, ``docs_differ``), or the secret is
            too short to be one (``secret``).
    """
    shown = shown_arms(rating_set)
    if sorted(places) != list(range(len(shown))):
        raise _fault(
            rating_set,
            f"the places are {list(places)}",
            f"an order of 0..{len(shown) - 1}",
            "places",
        )
    arms = tuple(shown[place] for place in places)
    near = _outputs_of(rating_set, outputs, shown)
    packet = Packet(
        id="",
        axis=axis.name,
        ask=axis.ask,
        options=tuple(_option(rating_set, outputs, arm, near) for arm in arms),
        prompt=_prompt(rating_set, near) if axis.shows_prompt else "",
        docs=_docs(rating_set, near, axis.shows),
        criteria=axis.criteria,
        form=axis.form,
    )
    trials = tuple(outputs[arm].trial if _is_own(rating_set, outputs, arm) else "" for arm in arms)
    key = PacketKey(
        packet="",
        set=rating_set.id,
        arms=arms,
        trials=trials if any(trials) else (),
        who=who,
        repeat=repeat,
        order=order,
    )
    name = packet_id(packet, key, secret)
    return replace(packet, id=name), replace(key, packet=name)


def shown_arms(rating_set: RatingSet) -> tuple[str, ...]:
    """Gives the arms that a packet of the set shows, in the places of the design."""
    hidden = set(chain.from_iterable(group[1:] for group in rating_set.same))
    return tuple(arm for arm in rating_set.arms if arm not in hidden)


def packet_id(packet: Packet, key: PacketKey, secret: bytes) -> str:
    """Gives the id that belongs to a packet and its key: an HMAC of all they say.

    Whoever has the secret can tell by it that neither was altered.

    Raises:
        InputError: the secret is too short to be one.
    """
    if len(secret) < _SHORTEST_SECRET:
        raise InputError(
            f"a secret of {len(secret)} bytes",
            wanted=f"at least {_SHORTEST_SECRET}",
            code="secret",
        )
    body = encode([replace(packet, id=""), replace(key, packet="")])
    return "p-" + hmac.new(secret, body, sha256).hexdigest()[:16]


def mixed(packets: Iterable[str], secret: bytes, *, who: str = "") -> tuple[str, ...]:
    """Gives ids of packets in an order that has nothing to do with runs, sets or places.

    The same secret and rater give the same order; each rater has another one.
    """
    return tuple(
        sorted(packets, key=lambda name: hmac.new(secret, encode([who, name]), sha256).digest())
    )


def _is_own(rating_set: RatingSet, outputs: Mapping[str, Output], arm: str) -> bool:
    return arm in outputs and arm not in rating_set.planted


def _outputs_of(
    rating_set: RatingSet, outputs: Mapping[str, Output], shown: tuple[str, ...]
) -> list[Output]:
    """The outputs whose prompt and documents the packet shows."""
    near = [outputs[arm] for arm in shown if arm in outputs] or list(outputs.values())
    for output in near:
        if output.unit != rating_set.unit:
            raise _fault(
                rating_set,
                f"the output of arm {output.arm!r} is of unit {output.unit!r}",
                f"outputs of unit {rating_set.unit!r}",
                "other_unit",
            )
    return near


def _option(
    rating_set: RatingSet, outputs: Mapping[str, Output], arm: str, near: list[Output]
) -> Option:
    if arm in rating_set.planted:
        lang = outputs[arm].lang if arm in outputs else next((o.lang for o in near), "")
        return Option(text=rating_set.planted[arm], lang=lang)
    if arm not in outputs:
        raise _fault(rating_set, f"arm {arm!r} has no output", "an output of each arm", "no_output")
    return Option(text=outputs[arm].text, lang=outputs[arm].lang)


def _prompt(rating_set: RatingSet, near: list[Output]) -> str:
    prompts = {output.prompt for output in near if output.prompt}
    if len(prompts) > 1:
        raise _fault(
            rating_set, "the arms had different prompts", "one prompt for a unit", "prompt_differs"
        )
    return prompts.pop() if prompts else ""


def _docs(rating_set: RatingSet, near: list[Output], shows: tuple[str, ...]) -> tuple[Doc, ...]:
    found: tuple[Doc, ...] = ()
    for output in near:
        docs = tuple(doc for name in shows for doc in output.docs if doc.name == name)
        if docs and found and docs != found:
            raise _fault(
                rating_set,
                f"the documents of arm {output.arm!r} differ from another arm's",
                "the same documents for all outputs of a unit",
                "docs_differ",
            )
        found = found or docs
    return found


def _fault(rating_set: RatingSet, found: str, wanted: str, code: str) -> InputError:
    return InputError(found, wanted=wanted, where=f"set {rating_set.id}", code=code)
