"""What fidelity is held against where few people read the source: a gloss, a reference, or it."""

import re
from collections.abc import Iterator, Sequence

from equipoise.records.counted import counted
from equipoise.records.rating_plan import AnnotatorPlan, AxisPlan, Output, RatingPlan, SetKind

ANCHOR = "anchor"
"""Name of the document with an English gloss of the source."""
REFERENCE = "reference"
"""Name of the document with a translation that is taken for right."""
SOURCE = "source"

_RARELY_READ = ("ja", "zh")
_FIDELITY = re.compile(r"fidel|faith|complete|omission|omit|adequa|accura", re.IGNORECASE)
_SAID = {
    ANCHOR: "an English gloss (anchor)",
    REFERENCE: "a reference",
    SOURCE: "the source itself",
}


def grounds(plan: RatingPlan, axis: AxisPlan, outputs: Sequence[Output]) -> Iterator[str]:
    """Yields, for an axis of fidelity, what zh and ja units are held against, one line for each.

    An axis is one of fidelity where its name or question says so in English; a unit is of zh or ja
    where its document `source` is.
    """
    units = _units(plan, axis, outputs)
    held: dict[tuple[str, ...], list[Output]] = {}
    for one in units:
        held.setdefault(_shown(one, axis), []).append(one)
    for shown, some in sorted(held.items()):
        told = " and ".join(_SAID[name] for name in shown) or "nothing that says what they mean"
        of = counted(len(some), "unit")
        yield f"{of} from {_languages(some)}: texts are held against {told}"


def groundless(plan: RatingPlan, axis: AxisPlan, outputs: Sequence[Output]) -> Iterator[str]:
    """Yields why nobody could tell whether a text is faithful to a source in zh or ja.

    Nothing where each unit shows a gloss or a reference, and nothing where it shows the source and
    all who rate the axis say that they read it; model judges read it.
    """
    people = [one for one in plan.annotators if not one.axes or axis.name in one.axes]
    bare = [
        one
        for one in _units(plan, axis, outputs)
        if not {ANCHOR, REFERENCE} & set(_shown(one, axis)) and not _is_read(one, axis, people)
    ]
    if bare:
        yield (
            f"{axis.name}: {counted(len(bare), 'unit')} from {_languages(bare)} shown with neither "
            f"{ANCHOR} nor {REFERENCE}: who does not read the source cannot tell what the text "
            f"should say; mend: add an English gloss by a professional to each as a document named "
            f"{ANCHOR}, and write shows: [{ANCHOR}]"
        )


def _units(plan: RatingPlan, axis: AxisPlan, outputs: Sequence[Output]) -> list[Output]:
    """Gives one output of each unit of the axis whose source is in zh or ja."""
    if not _FIDELITY.search(f"{axis.name} {axis.ask}"):
        return []
    asked = {one.unit for one in plan.sets if one.axis == axis.name and one.kind is SetKind.STUDY}
    found = {one.unit: one for one in outputs if one.unit in asked and _language(one)}
    return [found[unit] for unit in sorted(found)]


def _language(output: Output) -> str:
    """Gives the language of the source, empty where it is another one or none is told."""
    told = [doc.lang.partition("-")[0].lower() for doc in output.docs if doc.name == SOURCE]
    return next((lang for lang in told if lang in _RARELY_READ), "")


def _languages(outputs: Sequence[Output]) -> str:
    return ", ".join(sorted({_language(one) for one in outputs}))


def _shown(output: Output, axis: AxisPlan) -> tuple[str, ...]:
    has = {doc.name for doc in output.docs if doc.text.strip() and doc.name in axis.shows}
    return tuple(name for name in _SAID if name in has)


def _is_read(output: Output, axis: AxisPlan, people: Sequence[AnnotatorPlan]) -> bool:
    if SOURCE not in _shown(output, axis):
        return False
    language = _language(output)
    return all(
        language in {one.partition("-")[0].lower() for one in person.languages} for person in people
    )
