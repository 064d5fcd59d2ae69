"""The arms of an outcome study: the skills they are given, and in what each pair differs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from equipoise.errors import nearest
from equipoise.ports.suites import hash_of
from equipoise.records.outcome_plan import Contrast, Control, SkillPlan
from equipoise.records.scenario import Scenario
from equipoise.records.yaml_text import parse
from equipoise.stages.plan.faults import Faults
from equipoise.studies.outcome.draft import OutcomeArm, OutcomeDraft, SkillDraft
from equipoise.studies.outcome.packs import ReadPack

SKILLS = "skills"
VERSIONS = "versions"
SKILL = "SKILL.md"
_LONGEST = 60
"""Characters of a value of an arm that are shown whole where arms differ in it."""
_SHOWN, _BEFORE = 40, 12
_WITH_SKILLS = frozenset({"skill_forced"})
"""Switches of an agent that mean nothing without skills."""


def folder_of(draft: OutcomeDraft, skill: SkillDraft) -> str:
    """Gives a skill's folder, from the study's."""
    if skill.path is not None:
        return skill.path
    version = f"{VERSIONS}/{skill.version}/" if skill.version else ""
    return f"{draft.pack}/{SKILLS}/{version}{skill.name}"


def arm_faults(
    draft: OutcomeDraft,
    study: Path,
    pack: ReadPack,
    scenarios: Sequence[Scenario],
    faults: Faults,
) -> Iterator[str]:
    """Yields what is wrong with the arms: names, baseline, skills that are not there or not served.

    A dependency that a skill declares in the head of its file has to be provided or exempted by
    every scenario that is made for it.
    """
    names = [arm.name for arm in draft.arms]
    for number, name in enumerate(names):
        if name in names[:number]:
            path = ("arms", number, "name")
            yield faults.at(path, f"is {name!r} a second time", mend="name it apart")
    if draft.baseline not in names:
        yield faults.at(
            ("baseline",),
            f"is {draft.baseline!r}, which is no arm",
            wanted=f"one of {', '.join(names)}",
            mend=nearest(draft.baseline, names) or f"write baseline: {names[0]}",
        )
    fixed = [one.id for one in scenarios if "recipe" not in pack.seed(one)]
    if not draft.onboarding and fixed:
        yield faults.at(
            ("onboarding",),
            f"is false, and the seed of {', '.join(fixed)} is one folder with all that is in it",
            wanted="seeds whose onboarding is an overlay of its own",
            mend="leave these scenarios out",
        )
    for number, arm in enumerate(draft.arms):
        for skill in arm.skill:
            path = ("arms", number, "skill")
            fault = _skill_fault(draft, study, skill, scenarios)
            if fault:
                found, wanted, mend = fault
                yield faults.at(path, found, wanted=wanted, mend=mend)


def skills_of(draft: OutcomeDraft, study: Path) -> tuple[SkillPlan, ...]:
    """Gives the skills of every arm, each with what is in its folder now."""
    return tuple(
        SkillPlan(
            arm=arm.name,
            name=skill.name,
            folder=folder_of(draft, skill),
            sha256=hash_of(study / folder_of(draft, skill)),
        )
        for arm in draft.arms
        for skill in arm.skill
    )


def contrasts_of(draft: OutcomeDraft, skills: Sequence[SkillPlan]) -> tuple[Contrast, ...]:
    """Gives every pair of arms that is held against each other: by a hypothesis, or the baseline.

    The pairs of hypotheses stand first; without any, each arm is held against the baseline.
    """
    arms = {arm.name: arm for arm in draft.arms}
    pairs: dict[tuple[str, str], None] = {}
    others = [name for name in arms if name != draft.baseline]
    for one in draft.hypotheses:
        base = one.base or draft.baseline
        rest = [name for name in arms if name != base]
        new = one.new or (rest[0] if len(rest) == 1 else None)
        if new in arms and base in arms and new != base:
            pairs[new, base] = None
    pairs |= {(name, draft.baseline): None for name in others}
    return tuple(contrast(arms[new], arms[base], skills) for new, base in pairs)


def contrast(new: OutcomeArm, base: OutcomeArm, skills: Sequence[SkillPlan]) -> Contrast:
    """Gives in what two arms differ, and which control they are."""
    theirs = [_held(skills, arm.name) for arm in (new, base)]
    has = [bool(arm.skill) for arm in (new, base)]
    specs = [_spec(arm, drop=not all(has)) for arm in (new, base)]
    keys = [key for key in {**specs[0], **specs[1]} if specs[0].get(key) != specs[1].get(key)]
    differs = tuple(_difference(key, specs[0], specs[1]) for key in keys)
    if theirs[0] == theirs[1]:
        control = Control.MIXED
    elif all(has):
        is_same_set = set(theirs[0]) == set(theirs[1])
        control = Control.MIXED if keys or not is_same_set else Control.L1
    elif not keys:
        control = Control.L2
    else:
        is_about_model = all(key.split(".")[0] in {"model", "provider"} for key in keys)
        control = Control.L3 if is_about_model and "model" in keys else Control.MIXED
    return Contrast(
        new=new.name,
        base=base.name,
        control=control,
        differs=differs,
        skills="" if theirs[0] == theirs[1] else f"{_named(theirs[0])} against {_named(theirs[1])}",
    )


def _difference(key: str, new: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    """Gives in what two arms differ; of long texts what stands where they part, and how much."""
    texts = [str(spec[key]) if key in spec else "not given" for spec in (new, base)]
    if max(map(len, texts)) <= _LONGEST:
        return f"{key}: {texts[0]} against {texts[1]}"
    pairs = enumerate(zip(*texts, strict=False))
    part = next((n for n, (one, other) in pairs if one != other), min(map(len, texts)))
    first, second = (_excerpt(text, part) for text in texts)
    return f"{key}: {first} against {second}; the whole stands in study.yaml"


def _excerpt(text: str, part: int) -> str:
    """Gives what stands around the character in which a text parts from another."""
    if len(text) <= _LONGEST:
        return text
    start = min(max(0, part - _BEFORE), len(text) - _SHOWN)
    shown = " ".join(text[start : start + _SHOWN].split())
    more = "…" if start + _SHOWN < len(text) else ""
    return f"{'…' if start else ''}{shown}{more} ({len(text):,} characters)"


def _skill_fault(
    draft: OutcomeDraft, study: Path, skill: SkillDraft, scenarios: Sequence[Scenario]
) -> tuple[str, str, str] | None:
    folder = folder_of(draft, skill)
    path = PurePosixPath(folder)
    if path.is_absolute() or ".." in path.parts:
        return (
            f"names {folder}, outside the study's folder",
            "a folder of the study, which is sealed with it",
            "copy the skill into the study's folder",
        )
    file = study / folder / SKILL
    if not file.is_file():
        known = sorted(one.parent.name for one in study.glob(f"{draft.pack}/{SKILLS}/*/{SKILL}"))
        return (
            f"names {skill.name!r}, and there is no {folder}/{SKILL}",
            f"one of {', '.join(known) or 'none: the pack has no skills'}",
            nearest(skill.name, known) or f"put the skill's text there as {SKILL}",
        )
    for needed in _dependencies(file):
        served = [one for one in scenarios if one.skill_under_test == skill.name]
        lacking = [one.id for one in served if needed not in {d.name for d in one.dependencies}]
        if lacking:
            told = f"{', '.join(lacking[:3])}{' and others' if len(lacking) > 3 else ''}"
            found = f"{skill.name!r}, which relies on {needed!r}; {told}"
            entry = f"{{name: {needed}, provided: true}}"
            return (
                f"names {found} neither provides nor exempts it",
                "a skill that has what it relies on, or is told that it does not",
                f"write {entry} or an exemption into the scenario's dependencies",
            )
    return None


def _dependencies(file: Path) -> list[str]:
    """Gives what a skill's head says that it relies on."""
    text = file.read_bytes()
    head = text[3:].partition(b"\n---")[0] if text.startswith(b"---") else b""
    value = parse(head, name=SKILL).value if head.strip() else None
    found = value.get("dependencies") if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _held(skills: Sequence[SkillPlan], arm: str) -> dict[str, str]:
    return {one.name: one.sha256 for one in skills if one.arm == arm}


def _named(skills: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({sha256[:8]})" for name, sha256 in skills.items()) or "no skill"


def _spec(arm: OutcomeArm, *, drop: bool) -> dict[str, str]:
    """Gives what an arm's agent is, key by key; without what only skills have a use for."""
    return {
        key: value
        for key, value in _flat(arm.agent)
        if not (drop and key.split(".")[0] in _WITH_SKILLS)
    }


def _flat(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield from _flat(value[key], f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _flat(one, f"{place}.{number}")
    else:
        yield place, str(value)
