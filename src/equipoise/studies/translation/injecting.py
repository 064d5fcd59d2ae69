"""What each mode of terminology puts into the prompt of each chunk; nobody is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equipoise import __version__
from equipoise.errors import Blocked, InputError
from equipoise.gateway.estimating import ESTIMATOR
from equipoise.records.codec import digest
from equipoise.records.term_files import ChunkLine
from equipoise.records.term_memory import (
    ChunkInjection,
    InjectedShown,
    InjectionRules,
    MemoryPlan,
    ModeInjection,
)
from equipoise.studies.translation.consistency import due_terms
from equipoise.studies.translation.prompting import line_of, prompt_of
from equipoise.studies.translation.reading import Chunks, Glossary
from equipoise.terms.injection import Chunk, Injected, Injection, Injector, Rules, gate_of
from equipoise.terms.modes import Mode, exchanged

LEAST_RECURRING = 8
"""Terms that come back in another chapter; with fewer there is nothing to remember."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injecting:
    """How terms are injected, and the seed of the exchange of targets."""

    rules: Rules
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompted:
    """The injections and the prompt of each mode for one chunk."""

    line: ChunkLine
    injections: Mapping[Mode, Injection]
    prompts: Mapping[Mode, str]


def chosen(chunks: Chunks, *, chapter: int | None, most: int | None) -> tuple[ChunkLine, ...]:
    """The chunks of a chapter, at most so many; all without either.

    Raises:
        InputError: there is no such chapter.
    """
    found = [one for one in chunks.chunks if chapter in (None, one.chapter)]
    if not found:
        known = ", ".join(str(n) for n in dict.fromkeys(one.chapter for one in chunks.chunks))
        raise InputError(f"no chunk is of chapter {chapter}", wanted=f"a chapter: {known}")
    return tuple(found[:most])


def recurring(due: Mapping[str, Sequence[str]], chunks: Chunks) -> tuple[str, ...]:
    """The terms that are due in two chapters or more, from those due in each chunk."""
    chapters: dict[str, set[int]] = {}
    for one in chunks.chunks:
        for name in due[one.id]:
            chapters.setdefault(name, set()).add(one.chapter)
    return tuple(name for name, found in chapters.items() if len(found) > 1)


def refuse_few(n_recurring: int) -> None:
    """Refuses an evaluation of memory where hardly a term comes back.

    Raises:
        Blocked: fewer than 8.
    """
    if n_recurring < LEAST_RECURRING:
        raise Blocked(
            f"{n_recurring} terms of the glossary are due in two chapters or more, and at least "
            f"{LEAST_RECURRING} are wanted: there is nothing to measure of a memory; mend: give "
            "more chapters, or a glossary of what comes back in them"
        )


def prompted(glossary: Glossary, chunks: Sequence[ChunkLine], how: Injecting) -> Iterator[Prompted]:
    """The prompts of every chunk in order.

    Raises:
        InputError: the targets cannot be exchanged.
    """
    wrong = {
        term.id: term.target for term in exchanged(glossary.terms, np.random.default_rng(how.seed))
    }
    injector = Injector(glossary.terms, how.rules, tokens_of)
    for line in chunks:
        chunk = Chunk(id=line.id, chapter=line.chapter, text=line.source)
        selected = injector.inject(chunk)
        injections = {
            Mode.NONE: replace(selected, injected=(), left={}, n_tokens=0),
            Mode.SELECTED: selected,
            Mode.WHOLE: _whole(glossary, chunk, selected),
            Mode.EXCHANGED: _with_targets(selected, wrong),
        }
        prompts = {
            mode: prompt_of(mode, line, injection.injected)
            for mode, injection in injections.items()
        }
        yield Prompted(line=line, injections=injections, prompts=prompts)


def plan_of(
    glossary: Glossary, chunks: Chunks, taken: Sequence[ChunkLine], how: Injecting
) -> MemoryPlan:
    """What would stand in each prompt of the chunks that are taken."""
    return MemoryPlan(
        chunks=tuple(_shown(one) for one in prompted(glossary, taken, how)),
        n_terms=len(glossary.entries),
        n_recurring=len(recurring(due_terms(glossary, chunks.chunks).by_chunk, chunks)),
        n_wanted=LEAST_RECURRING,
        rules=rules_shown(how),
        glossary_sha256=glossary.sha256,
        chunks_sha256=chunks.sha256,
        versions={"equipoise": __version__},
    )


def rules_shown(how: Injecting) -> InjectionRules:
    """The parameters as a record."""
    return InjectionRules(
        sticky_depth=how.rules.sticky_depth,
        least_phonetic=how.rules.least_phonetic,
        budget=how.rules.budget,
        seed=how.seed,
        estimator=ESTIMATOR,
    )


def tokens_of(one: Injected) -> int:
    """The declared estimate for one line of a glossary."""
    return -(-len(line_of(one).encode()) // 4)


def _whole(glossary: Glossary, chunk: Chunk, selected: Injection) -> Injection:
    """All terms that may be told; what is selected stands there as it does in the selection."""
    known = {one.term.id: replace(one, stays=0) for one in selected.injected}
    gates = {term.id: gate_of(term, chunk.chapter) for term in glossary.terms}
    found = tuple(
        known.get(term.id) or Injected(term=term, disposition=term.disposition)
        for term in glossary.terms
        if gates[term.id] is None
    )
    left = {name: gate for name, gate in gates.items() if gate is not None}
    n_tokens = sum(map(tokens_of, found))
    return Injection(chunk=chunk, injected=found, left=left, n_tokens=n_tokens)


def _with_targets(selected: Injection, targets: Mapping[str, str]) -> Injection:
    wrong = tuple(
        replace(one, term=replace(one.term, target=targets[one.term.id]))
        for one in selected.injected
    )
    return replace(selected, injected=wrong, n_tokens=sum(map(tokens_of, wrong)))


def _shown(one: Prompted) -> ChunkInjection:
    return ChunkInjection(
        chunk=one.line.id,
        chapter=one.line.chapter,
        modes=tuple(
            ModeInjection(
                mode=mode.value,
                injected=tuple(
                    InjectedShown(
                        term=found.term.id,
                        line=line_of(found),
                        disposition=found.disposition.value,
                        stays=found.stays,
                    )
                    for found in injection.injected
                ),
                n_tokens=injection.n_tokens,
                left={name: why.value for name, why in injection.left.items()},
                prompt_sha256=digest(one.prompts[mode].encode()),
            )
            for mode, injection in one.injections.items()
        ),
    )
