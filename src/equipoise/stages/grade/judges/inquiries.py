"""What judges are asked of a trial beside the plain criteria: about what, and what answers it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from equipoise.errors import NotEstimable
from equipoise.records.catalog import MODEL_JUDGED, Catalog, Category
from equipoise.records.decomposition import WorkItem
from equipoise.records.packet import Asked
from equipoise.records.rating_plan import AxisPlan
from equipoise.stages.grade.deliverables import Deliverable, read_deliverable
from equipoise.stages.grade.judges.forms import COVER, DECIDE
from equipoise.stages.grade.left_behind import document, left_by, matching
from equipoise.stages.grade.material import Material, Page

COVERAGE = "coverage"
OBVIOUS = "coverage_obvious"
EDGE = "coverage_edge"
ORDER = "dependency_order"
ACCEPTANCE = "acceptance"
CAUSE = "root_cause"
ASKED = (COVERAGE, OBVIOUS, EDGE, ORDER, ACCEPTANCE, CAUSE)
"""What a model-judged category may be asked as (`Category.asked`)."""

_MOST_DOCUMENTS = 8
_LISTS = frozenset(ASKED) - {CAUSE}
_NOT_APPLIED = "not applicable: the arm has no skill that would tell it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """One packet about a trial.

    `axis` is what is asked, `text` what is shown, `seen` the documents that it is from. `given` are
    the categories that the answer says something of. For a list, `expert` has the items it is held
    against and `found` those that it has.
    """

    axis: AxisPlan
    text: str
    seen: tuple[Page, ...]
    given: tuple[Category, ...]
    expert: tuple[WorkItem, ...] = ()
    found: Deliverable | None = None

    @property
    def items(self) -> tuple[WorkItem, ...]:
        """Gives the items of the list; none where it is about none."""
        return self.found.items if self.found else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiries:
    """What is asked of a trial.

    `settled` says by category why it is lost in full without asking, `missing` why nothing can be
    said of it.
    """

    asked: tuple[Inquiry, ...] = ()
    settled: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


def is_inquired(catalog: Catalog) -> bool:
    """Says whether judges are asked anything but plain criteria."""
    return any(category.asked for category in catalog.categories)


def n_inquiries(catalog: Catalog, expected: Mapping[str, Any], arm: str) -> int:
    """Gives how many packets a trial of an arm makes at most, by what its unit expects."""
    meant = [one for one in catalog.categories if not one.applies_to or arm in one.applies_to]
    kinds = {category.asked for category in meant}
    n_lists = bool(kinds & (_LISTS - {ACCEPTANCE})) + (ACCEPTANCE in kinds)
    n_causes = CAUSE in kinds and bool(_cause(expected).get("statement"))
    is_plain = any(one.type == MODEL_JUDGED and not one.asked for one in meant)
    return (n_lists if expected.get("items") else 0) + int(n_causes) + int(is_plain)


def inquire(catalog: Catalog, material: Material) -> Inquiries:
    """Gives what is asked of a trial, and what needs no asking.

    What an agent was to leave and did not, or left so that nobody can read it, is lost in full:
    that is seen without a judge.
    """
    asked: list[Inquiry] = []
    settled: dict[str, str] = {}
    missing: dict[str, str] = {}
    due = []
    for one in catalog.categories:
        if one.asked and one.applies_to and material.trial.arm not in one.applies_to:
            missing[one.id] = _NOT_APPLIED
        elif one.asked:
            due.append(one)
    expected = material.holdout.expected if material.holdout else {}
    lists = [one for one in due if one.asked in _LISTS]
    causes = [one for one in due if one.asked == CAUSE]
    if not expected.get("items"):
        missing |= {one.id: "not applicable: the scenario asks for no list" for one in lists}
    elif lists:
        _lists(lists, expected, material, (asked, settled, missing))
    if not _cause(expected).get("statement"):
        missing |= {one.id: "not applicable: no root cause is known" for one in causes}
    elif causes:
        _causes(causes, _cause(expected), material, (asked, settled, missing))
    return Inquiries(asked=tuple(asked), settled=settled, missing=missing)


_Told = tuple[list[Inquiry], dict[str, str], dict[str, str]]


def _lists(
    due: Sequence[Category], expected: Mapping[str, Any], material: Material, told: _Told
) -> None:
    asked, settled, missing = told
    path = str(expected.get("deliverable") or "")
    expert = msgspec.convert(expected["items"], tuple[WorkItem, ...])
    try:
        seen = next(iter(_written(material, path)), None)
    except NotEstimable as error:
        missing.update({one.id: error.why for one in due})
        return
    found = _read_list(seen, path)
    if seen is None or isinstance(found, str):
        for one in due:  # what is not there has no order, and nothing to be checked
            told_in = missing if one.asked in (ORDER, ACCEPTANCE) else settled
            told_in[one.id] = str(found)
        return
    has_order = any(item.depends_on for item in expert)
    labels = {OBVIOUS: "obvious", EDGE: "edge"}
    held = []
    for one in due:
        label = labels.get(one.asked)
        if one.asked == ORDER and not has_order:
            missing[one.id] = "not applicable: the expert's items depend on nothing"
        elif label and not any(item.label == label for item in expert):
            missing[one.id] = f"not applicable: the expert has no item that is {label}"
        elif one.asked == ACCEPTANCE and not any(item.acceptance for item in found.items):
            settled[one.id] = "no item says when it is done"
        else:
            held.append(one)
    for form, chosen in (
        (COVER, [one for one in held if one.asked != ACCEPTANCE]),
        ("", [one for one in held if one.asked == ACCEPTANCE]),
    ):
        if chosen:
            asked.append(
                Inquiry(
                    axis=_cover_axis(expert) if form else _acceptance_axis(found),
                    text=found.shown,
                    seen=(seen,),
                    given=tuple(chosen),
                    expert=expert,
                    found=found,
                )
            )


def _read_list(seen: Page | None, path: str) -> Deliverable | str:
    """Gives the list that was left, or why there is none."""
    if seen is None:
        return f"no list was left at {path}"
    try:
        return read_deliverable(seen.content, path)
    except NotEstimable as error:
        return error.why


def _cover_axis(expert: Sequence[WorkItem]) -> AxisPlan:
    return AxisPlan(
        name="coverage",
        ask="The items were drawn up for the prompt. Which of them meet each requirement?",
        shows_prompt=True,
        criteria=tuple(Asked(id=item.id, text=item.text) for item in expert),
        form=COVER,
    )


def _acceptance_axis(found: Deliverable) -> AxisPlan:
    return AxisPlan(
        name="acceptance",
        ask="The items were drawn up for the prompt. Can others check when each of them is done?",
        shows_prompt=True,
        criteria=tuple(
            Asked(
                id=f"item-{number}",
                text=f"What item [{number}] says behind 'done when' can be checked by others: it "
                "names what is seen then, for which input or state, and leaves nothing to taste.",
            )
            for number, item in enumerate(found.items, start=1)
            if item.acceptance
        ),
    )


def _causes(
    due: Sequence[Category], cause: Mapping[str, Any], material: Material, told: _Told
) -> None:
    asked, settled, missing = told
    pattern = str(cause.get("document") or "")
    try:
        seen = [one for one in _written(material, pattern) if one.content.strip()]
    except NotEstimable as error:
        missing.update({one.id: error.why for one in due})
        return
    if not seen:
        settled.update({one.id: f"no document {pattern} was left" for one in due})
        return
    text = "\n\n".join(one.content.decode("utf-8", "replace") for one in seen[:_MOST_DOCUMENTS])
    axis = AxisPlan(
        name="cause",
        ask="The text reports on work that the prompt asked for. Does it name the same cause?",
        shows_prompt=True,
        criteria=tuple(
            Asked(
                id=one.id,
                text="The cause that the text gives is the same as this one, in whatever words: "
                f"{' '.join(str(cause['statement']).split())}",
            )
            for one in due
        ),
        form=DECIDE,
    )
    asked.append(Inquiry(axis=axis, text=text, seen=tuple(seen), given=tuple(due)))


def _written(material: Material, glob: str) -> list[Page]:
    """Gives the documents of such a path that the agent wrote or changed.

    Raises:
        NotEstimable: what it left is not known.
    """
    paths = matching(left_by(material).files, glob)
    return [found for path in paths if (found := document(material, path)) is not None]


def _cause(expected: Mapping[str, Any]) -> Mapping[str, Any]:
    cause = expected.get("root_cause")
    return cause if isinstance(cause, Mapping) else {}
