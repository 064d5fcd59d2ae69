"""The outputs of a rating study as raters may see them: masked before sets are made of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.blind.families import FamilyMap, read_families
from equipoise.blind.hidden import HiddenName, hidden_names
from equipoise.blind.judge_texts import judge_texts, lint_texts
from equipoise.blind.leak_report import LeakReport, leak_lines, mask_outputs
from equipoise.errors import InputError, Tampered
from equipoise.records.codec import digest, encode
from equipoise.records.rating_plan import AxisPlan, RatingPlan
from equipoise.stages.plan.rating_outputs import Outputs

FAMILIES = "families.yaml"
"""The family map beside `study.yaml`, where it has no other name."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blinded:
    """Outputs as raters may see them.

    Attributes:
        outputs: the outputs with what was found in them masked.
        names: what was looked for.
        report: what was found.
        sha256: hash of all that may be seen; the plan keeps it.
    """

    outputs: Outputs
    names: tuple[HiddenName, ...]
    report: LeakReport
    sha256: str

    @property
    def lines(self) -> tuple[str, ...]:
        """The section of the plan's page that says what was masked."""
        return leak_lines(self.report)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the plan has to know of it, in a sentence or two."""
        masked, flagged = (
            sum(self.report.n_with(arm, is_masked=which) for arm in self.report.n_outputs)
            for which in (True, False)
        )
        told = []
        if masked or flagged:
            told.append(
                f"{masked:,} outputs name an arm, a model or a run and are masked; in {flagged:,} "
                "stands a word that may be such a name and is left: see the page"
            )
        if self.report.is_tell:
            told.append(
                "the arms differ in how many outputs are masked: the mask may tell them apart"
            )
        return tuple(told)


def blinded(
    outputs: Outputs, *, arms: Sequence[str], families: FamilyMap, hidden: Sequence[str] = ()
) -> Blinded:
    """Gives the outputs masked: names of arms, of models and their makers, and what is `hidden`.

    Args:
        outputs: the outputs as they were given.
        arms: the arms of the study.
        families: the family map.
        hidden: further names, such as those of skills.
    """
    listed = [output for by_arm in outputs.values() for output in by_arm.values()]
    names = hidden_names(
        arms=arms,
        models={model for output in listed for model in output.models or ()},
        families=families,
        skills=hidden,
    )
    masked, report = mask_outputs(listed, names)
    kept: dict[str, dict[str, object]] = {}
    again = iter(masked)
    shown = {unit: {arm: next(again) for arm in by_arm} for unit, by_arm in outputs.items()}
    for unit, by_arm in shown.items():
        kept[unit] = {arm: [one.text, one.prompt, one.docs] for arm, one in by_arm.items()}
    return Blinded(outputs=shown, names=names, report=report, sha256=digest(encode(kept)))


def blinded_as_planned(outputs: Outputs, plan: RatingPlan, families: FamilyMap) -> Outputs:
    """Gives the outputs masked as they were when the sets were made.

    Raises:
        Tampered: they are not what they were: the family map or the rules of masking changed.
    """
    made = blinded(outputs, arms=plan.arms, families=families, hidden=plan.hidden)
    if plan.blinded_sha256 and made.sha256 != plan.blinded_sha256:
        raise Tampered(
            "what raters would see is not what was planned: the family map, or how names are "
            f"masked, changed since (planned with version {plan.tool_version}); mend: put "
            "families.yaml back, use that version, or begin a new study"
        )
    return made.outputs


def study_families(study: Path, named: str) -> FamilyMap:
    """Gives the family map of a study: the file that `families` names, its own, or the shipped one.

    Raises:
        InputError: the named file is missing, or no family map.
    """
    path = study / (named or FAMILIES)
    if named and not path.exists():
        raise InputError(
            f"there is no {named}",
            wanted="the family map that `families` names",
            mend=f"write it, or leave `families` out: {FAMILIES} or the shipped one is taken",
            where="study.yaml: field 'families'",
            code="no_families",
        )
    return read_families(path)


def lint_axes(
    axes: Sequence[AxisPlan], made: Blinded, families: FamilyMap, *, set_size: int
) -> tuple[str, ...]:
    """Gives words of questions that are also names, as remarks; refuses names.

    Raises:
        InputError: a question, a criterion or a document that is shown names an arm, a model or a
            skill (``names_in_judge_text``).
    """
    return lint_texts(judge_texts(axes), made.names, families, labels=tuple(_LETTERS[:set_size]))
