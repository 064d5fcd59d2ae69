"""From the text of a rating study's `study.yaml` to a checked draft, or to every fault in it."""

from collections import Counter
from collections.abc import Iterator

from pydantic import ValidationError

from equipoise.errors import InputError, nearest
from equipoise.records.yaml_text import parse
from equipoise.stages.plan.faults import Faults, refuse
from equipoise.stages.plan.rating_draft import RatingStudyDraft

_EXAMPLES = {
    "kind": "kind: rating",
    "title": "title: Four pipelines, read by people",
    "question": "question: Whose translations read best?",
    "seed": "seed: 7",
    "outputs": "outputs: outputs.jsonl",
    "arms": "arms: [C0, C1, C2, C3]",
    "baseline": "baseline: C0",
    "axes": "axes: with name and ask each",
    "name": "a name of a-z, 0-9, dot, dash and underscore, such as style",
    "ask": "ask: Which of these texts reads best, and which worst?",
    "languages": "languages: [en, ru]",
    "set_size": "set_size: 2, or more where there are as many arms; a single output is scored in "
    "a loss study, under a model_judged category",
    "identical": "identical: credit-both or identical: drop",
    "mde": "mde: 0.3",
    "alpha": "alpha: 0.05",
    "power": "power: 0.8",
    "annotators": "annotators: with name, axes and languages each",
    "overlap": "overlap: 0.33",
    "retest": "retest: 0.1",
    "checks": "checks: {silent: 8, need: 6}",
    "policy": "policy: single, double or panel",
    "is": "is: superior, non-inferior or equivalent",
    "decides": "decides: people, panel or the name of a judge",
}


def read_rating_study(text: bytes, *, name: str = "study.yaml") -> tuple[RatingStudyDraft, Faults]:
    """Gives the draft, and where its values stand for what is found out later.

    Raises:
        InputError: lists every fault, one a line, each with line and column, what was wanted, and
            the mend.
    """
    yaml = parse(text, name=name)
    if not isinstance(yaml.value, dict):
        raise InputError(
            "no keys", wanted="lines such as 'kind: rating'", where=name, mend="see `init rating`"
        )
    faults = Faults(yaml=yaml, name=name, draft=RatingStudyDraft, examples=_EXAMPLES)
    try:
        draft = RatingStudyDraft.model_validate(yaml.value)
    except ValidationError as error:
        refuse(faults.of(error))
        raise
    refuse(_crosschecks(draft, faults))
    return draft, faults


def _crosschecks(draft: RatingStudyDraft, faults: Faults) -> Iterator[str]:
    """Yields what is wrong between keys."""
    arms, axes = list(draft.arms), [axis.name for axis in draft.axes]
    judges = [one.name for one in draft.judges.judges] if draft.judges else []
    named: dict[tuple[str | int, ...], list[str]] = {
        ("arms",): arms,
        ("axes",): axes,
        ("annotators",): [one.name for one in draft.annotators],
        ("judges", "judges"): judges,
    }
    for path, names in named.items():
        for twice in (name for name, n in Counter(names).items() if n > 1):
            yield faults.at(path, f"names {twice!r} twice", mend="give each a name of its own")
    if len(arms) < draft.set_size and "set_size" in draft.model_fields_set:
        yield faults.at(
            ("set_size",),
            f"is {draft.set_size}, and there are {len(arms)} arms",
            wanted="at most as many as there are arms: no item stands twice in a set",
            mend=f"write set_size: {len(arms)}",
        )
    yield from _undecided(draft, faults)
    yield from _strangers(draft, faults, judges)
    for number, rule in enumerate(draft.rules):
        if rule.is_ != "superior" and rule.margin == 0.0:
            yield faults.at(
                ("rules", number, "margin"),
                "is 0: nothing could be shown",
                wanted=f"a margin above 0 for {rule.is_}",
                mend="write margin: 0.1",
            )


def _undecided(draft: RatingStudyDraft, faults: Faults) -> Iterator[str]:
    """Yields what would leave nobody, or too few, to decide by."""
    n_people = len(draft.annotators)
    if draft.decides == "people" and not n_people and "annotators" in draft.model_fields_set:
        others = [*(["panel"] if draft.judges and len(draft.judges.judges) > 1 else [])]
        others += [one.name for one in draft.judges.judges] if draft.judges else []
        yield faults.at(
            ("annotators",),
            "is [], and people decide",
            wanted="the people who rate",
            mend="name annotators" + (f", or write decides: {others[0]}" if others else ""),
        )
    if n_people and draft.raters_per_set > n_people and "raters_per_set" in draft.model_fields_set:
        yield faults.at(
            ("raters_per_set",),
            f"is {draft.raters_per_set}, and there are {n_people} annotators",
            wanted="at most as many as there are annotators",
            mend=f"write raters_per_set: {n_people}",
        )


def _strangers(draft: RatingStudyDraft, faults: Faults, judges: list[str]) -> Iterator[str]:
    """Yields names that nothing in the study has."""
    arms, axes = list(draft.arms), [axis.name for axis in draft.axes]
    others = [arm for arm in arms if arm != draft.baseline]
    deciders = ["people", *judges, *(["panel"] if len(judges) > 1 else [])]
    said: list[tuple[tuple[str | int, ...], str, list[str]]] = [
        (("baseline",), draft.baseline, arms),
        (("decides",), draft.decides, deciders),
    ]
    for number, person in enumerate(draft.annotators):
        said += [(("annotators", number, "axes"), axis, axes) for axis in person.axes]
    for number, rule in enumerate(draft.rules):
        said.append((("rules", number, "arm"), rule.arm, others))
        said.append((("rules", number, "axis"), rule.axis, axes))
    if draft.threshold and draft.threshold.judge:
        said.append((("threshold", "judge"), draft.threshold.judge, judges))
    for path, name, valid in said:
        if name not in valid:
            yield _stranger(faults, path, name, valid)


def _stranger(faults: Faults, path: tuple[str | int, ...], name: str, valid: list[str]) -> str:
    close = nearest(name, valid)
    return faults.at(
        path,
        f"is {name!r}{'; ' + close if close else ''}",
        wanted=f"one of {', '.join(valid)}" if valid else "none, for there are none",
        mend="change it",
    )
