"""Masks outputs before they become packets, and says what was masked, arm by arm."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from equipoise.blind.hidden import HiddenName, Hides, Sense, hidden_name
from equipoise.blind.leaks import Leak, find_leaks, find_words, mask
from equipoise.records.packet import Doc
from equipoise.records.rating_plan import Output

TELLING_DIFFERENCE = 0.10
"""From this difference of shares on the mask itself may tell arms apart."""

_TELLING_COUNT = 3
_OFTENER = 3
_SHORTEST_OWN = 3

_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLeak:
    """A leak, and where it was found.

    Attributes:
        arm: the arm whose output it is.
        unit: the unit.
        part: ``text``, ``prompt`` or ``doc`` with its number from 0.
        leak: what was found.
        words: the words that stood there.
    """

    arm: str
    unit: str
    part: str
    leak: Leak
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakReport:
    """What was found in all outputs.

    Attributes:
        n_outputs: arm -> its outputs.
        found: every leak, masked or flagged, in the order of the outputs.
    """

    n_outputs: dict[str, int]
    found: tuple[FoundLeak, ...]

    def n_with(self, arm: str, *, is_masked: bool) -> int:
        """Gives how many of an arm's texts have a leak that was masked, or flagged."""
        return len(
            {
                one.unit
                for one in self.found
                if one.arm == arm and one.part == "text" and one.leak.is_masked is is_masked
            }
        )

    def flagged_units(self) -> tuple[str, ...]:
        """Gives the units in which a person should look at a word that may be a name."""
        return tuple(dict.fromkeys(one.unit for one in self.found if not one.leak.is_masked))

    @property
    def is_tell(self) -> bool:
        """Whether arms differ so much in masked outputs that the mask itself tells them apart."""
        masked = {arm: self.n_with(arm, is_masked=True) for arm, n in self.n_outputs.items() if n}
        if not masked or max(masked.values()) - min(masked.values()) < _TELLING_COUNT:
            return False
        shares = [n / self.n_outputs[arm] for arm, n in masked.items()]
        return max(shares) - min(shares) > TELLING_DIFFERENCE


def mask_outputs(
    outputs: Iterable[Output], names: Sequence[HiddenName]
) -> tuple[tuple[Output, ...], LeakReport]:
    """Gives the outputs as raters may see them, and what was found in them.

    Every text, prompt and document of every arm is searched for all names, a text for its own
    trial's id too, and masked in the same way, so that a mask says nothing of whose text it is in.
    An ordinary word that names an arm is flagged where it stands more than three times as often in
    that arm's outputs as in others. Documents that are not shown are masked too. Names of documents
    stay, since an axis shows them by name: `judge_texts` has those that are shown.
    """
    masked: list[Output] = []
    found: list[FoundLeak] = []
    n_outputs: Counter[str] = Counter()
    shared: dict[str, tuple[Leak, ...]] = {}  # prompts and documents are those of other arms too
    for output in outputs:
        n_outputs[output.arm] += 1
        parts = {"text": output.text, "prompt": output.prompt}
        parts |= {f"doc {number}": doc.text for number, doc in enumerate(output.docs)}
        clean: dict[str, str] = {}
        for part, text in parts.items():
            if part == "text":
                leaks = find_leaks(text, [*names, *_own_run(output)])
            else:
                if text not in shared:
                    shared[text] = find_leaks(text, names)
                leaks = shared[text]
            clean[part] = mask(text, leaks)
            where = {"arm": output.arm, "unit": output.unit, "part": part}
            found += [
                FoundLeak(**where, leak=leak, words=text[leak.start : leak.end]) for leak in leaks
            ]
        docs = tuple(
            Doc(name=doc.name, text=clean[f"doc {number}"], lang=doc.lang)
            for number, doc in enumerate(output.docs)
        )
        masked.append(replace(output, text=clean["text"], prompt=clean["prompt"], docs=docs))
    found += _own_words(masked, [one for one in names if one.hides is Hides.ARM], n_outputs)
    return tuple(masked), LeakReport(n_outputs=dict(n_outputs), found=tuple(found))


def _own_run(output: Output) -> tuple[HiddenName, ...]:
    """The id of the trial that the output is of; those of others say nothing of whose it is."""
    return (hidden_name(output.trial, Hides.RUN, Sense.SURE),) if output.trial else ()


def _own_words(
    outputs: Sequence[Output], arms: Iterable[HiddenName], n_outputs: Mapping[str, int]
) -> Iterator[FoundLeak]:
    """Ordinary words that name an arm and stand in its own outputs, and hardly in any other's."""
    for name in arms:
        if name.sense is not Sense.PLAIN or len(name.letters) < _SHORTEST_OWN:
            continue
        told = [(output, leak) for output in outputs for leak in find_words(output.text, name)[:1]]
        own = [(output, leak) for output, leak in told if output.arm == name.name]
        n_others = sum(n_outputs.values()) - n_outputs.get(name.name, 0)
        share = (len(told) - len(own)) / n_others if n_others else 0.0
        if own and len(own) / n_outputs[name.name] > _OFTENER * share:
            for output, leak in own:
                words = output.text[leak.start : leak.end]
                yield FoundLeak(
                    arm=output.arm, unit=output.unit, part="text", leak=leak, words=words
                )


def leak_lines(report: LeakReport) -> tuple[str, ...]:
    """Gives the lines (Markdown) of the section "What was masked"; they name arms and models.

    They belong on pages that raters do not see.
    """
    return tuple(_lines(report))


def _lines(report: LeakReport) -> Iterator[str]:
    yield "## What was masked"
    yield ""
    if not report.found:
        yield "No output names its arm, its model, a skill or what its run took."
        return
    yield "| arm | outputs | masked | flagged |"
    yield "| --- | ---: | ---: | ---: |"
    for arm, n_outputs in report.n_outputs.items():
        masked, flagged = (report.n_with(arm, is_masked=which) for which in (True, False))
        yield f"| {arm} | {n_outputs} | {masked} | {flagged} |"
    yield ""
    for is_masked, verb in ((True, "masked"), (False, "flagged, not masked: may be a word")):
        counts = Counter(
            (one.leak.hides.value, one.leak.name)
            for one in report.found
            if one.leak.is_masked is is_masked
        )
        for (hides, name), n in counts.most_common(_SHOWN):
            yield f"- {verb}: {hides} `{name}`, {n} times"
        if len(counts) > _SHOWN:
            yield f"- {verb}: {len(counts) - _SHOWN} more names"
    if report.is_tell:
        yield (
            "- **warning**: the arms differ in how many of their outputs are masked, so that the "
            "mask itself may tell raters which arm they see; have these outputs made again without "
            "the names"
        )
