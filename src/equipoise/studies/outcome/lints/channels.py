"""Looks through which channels hidden tests see the work: nothing may be asked that nobody said.

Explicit tests may use the names that stand in the prompt, or that the seed has already. Implicit
ones may use these and what explicit tests lock; they compare numbers and states, and no label that
nobody has fixed. All of it is a warning: what a word means, a person has to say.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from equipoise.records.notice import Notice
from equipoise.records.scenario import Scenario
from equipoise.studies.outcome.lints.asserted import TestFile, read_tests
from equipoise.studies.outcome.lints.sources import parsed
from equipoise.studies.outcome.lints.trees import Tree
from equipoise.studies.outcome.packs import HIDDEN

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d")
_LEAST_TOLD = 3
_TOLD_SHARE = 0.8
_COMMON = frozenset(
    """
    a after all an and are as at be before both but by can cannot comes did do does done each
    ends every first for from gets go goes has have in into is it its last left like more most
    new no none nor not nothing of old on once one only or other same second so some still
    test than that the their them then there they this to too twice two until use used was
    were what when where which who with without
    """.split()  # noqa: SIM905  prose reads better than a list of short texts
)


def channels(scenario: Scenario, folder: Path, seed: Tree) -> Iterator[Notice]:
    """Yields what the hidden tests of a scenario ask for that nobody told.

    Args:
        scenario: the scenario.
        folder: its folder.
        seed: the files that an agent gets.
    """
    tops = frozenset(
        path.split("/")[0].removesuffix(".py") for path in seed if path.endswith(".py")
    )
    told = [scenario.prompt, " ".join(seed), *seed.values()]
    explicit = _read(scenario.hidden_tests.explicit, folder, tops)
    implicit = _read(scenario.hidden_tests.implicit, folder, tops)
    for name, (text, file) in explicit.items():
        yield from _unnamed(name, file, _names(told), "interface_not_in_text", "the prompt")
        yield from _labels(name, file, [*told, *file.inputs], "the prompt", "text_not_in_prompt")
        told = [*told, text]
    for name, (_, file) in implicit.items():
        fixed = "the prompt and in no explicit test"
        yield from _unnamed(name, file, _names(told), "interface_not_locked", fixed)
        yield from _labels(name, file, [*told, *file.inputs], fixed, "literal_label")
        yield from _written_numbers(name, file, [*told, *file.inputs], fixed)
        yield from _spelled_out(name, file, scenario.prompt)


def _read(
    names: Iterable[str], folder: Path, tops: frozenset[str]
) -> dict[str, tuple[str, TestFile]]:
    found = {}
    for name in names:
        text = folder.joinpath(HIDDEN, name).read_text(encoding="utf-8", errors="replace")
        if (tree := parsed(text)) is not None:
            found[name] = (text, read_tests(tree, tops))
    return found


def _unnamed(
    name: str, file: TestFile, known: frozenset[str], code: str, absent: str
) -> Iterator[Notice]:
    """Yields interfaces that the tests go through and that stand nowhere."""
    seen: dict[tuple[str, str], list[str]] = {}
    for one in file.interfaces:
        bare = one.name.lstrip("-")
        if not {part.casefold() for part in _NAME.findall(bare.replace("-", " "))} <= known:
            seen.setdefault((one.kind, one.name), []).append(f"{name}:{one.line}")
    for (kind, what), places in seen.items():
        yield Notice(
            code=code,
            where=places[0],
            count=len(places),
            message=f"the {kind} {what!r} stands neither in {absent} nor in the seed: nobody can "
            "know it; mend: put it into the prompt as an example of use",
        )


def _labels(name: str, file: TestFile, told: list[str], absent: str, code: str) -> Iterator[Notice]:
    """Yields texts that are compared with, and of which some word stands nowhere."""
    known = {one.casefold() for text in told for one in _LETTERS.findall(text)}
    for one in file.literals:
        new = [word for word in _LETTERS.findall(one.text) if word.casefold() not in known]
        if new:
            yield Notice(
                code=code,
                where=f"{name}:{one.line}",
                message=f"{one.test or 'a test'} compares with {one.text!r}, and {new[0]!r} stands "
                f"neither in {absent} nor in the seed; mend: compare a number or a state, or fix "
                "the text in the prompt",
            )


def _written_numbers(name: str, file: TestFile, told: list[str], absent: str) -> Iterator[Notice]:
    """Yields texts that are compared with, in which a number is written as nobody wrote one."""
    known = {_form(one) for text in told for one in _NUMBER.findall(text)}
    for one in file.literals:
        new = [found for found in _NUMBER.findall(one.text) if _form(found) not in known]
        if new:
            yield Notice(
                code="written_number",
                where=f"{name}:{one.line}",
                message=f"{one.test or 'a test'} compares with {one.text!r}, and nothing is "
                f"written like {new[0]!r} in {absent} or in the seed; mend: compare numbers",
            )


def _form(number: str) -> str:
    """Gives how a number is written, whatever its figures: 9.9 of 4.20, 9-9-9 of 2024-03-01."""
    return re.sub(r"\d+", "9", number)


def _spelled_out(name: str, file: TestFile, prompt: str) -> Iterator[Notice]:
    """Yields tests whose names say what the prompt says already."""
    known = {_stem(word) for word in _LETTERS.findall(prompt)}
    for test in file.tests:
        words = {_stem(one) for one in _LETTERS.findall(test) if one.casefold() not in _COMMON}
        if len(words) >= _LEAST_TOLD and len(words & known) / len(words) >= _TOLD_SHARE:
            yield Notice(
                code="implicit_spelled_out",
                where=name,
                message=f"{test}: the prompt seems to say it ({', '.join(sorted(words & known))}); "
                "what the text fixes belongs to the explicit tests",
            )


def _names(told: list[str]) -> frozenset[str]:
    return frozenset(
        part.casefold()
        for text in told
        for name in _NAME.findall(text)
        for part in (name, *name.split("_"))
    )


def _stem(word: str) -> str:
    word = word.casefold()
    for end in ("ing", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= _LEAST_TOLD:
            return word.removesuffix(end)
    return word
