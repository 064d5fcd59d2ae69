"""The evaluation of terminology memory: three axes for each mode, differences, readings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from equipoise import __version__
from equipoise.errors import InputError
from equipoise.records.codec import digest
from equipoise.records.term_files import ChunkLine, TakeLine
from equipoise.records.term_memory import Margins, Memory, ModeShown, TakeShown
from equipoise.records.verdict import Tag
from equipoise.studies.translation.consistency import cases_in, due_terms, matchers_of
from equipoise.studies.translation.injecting import (
    Injecting,
    Prompted,
    prompted,
    recurring,
    refuse_few,
    rules_shown,
)
from equipoise.studies.translation.memory_differences import differences
from equipoise.studies.translation.memory_figures import mode_shown
from equipoise.studies.translation.memory_readings import readings
from equipoise.studies.translation.prompting import HEADINGS
from equipoise.studies.translation.reading import Chunks, Given, Glossary
from equipoise.studies.translation.takes import Judged, Place, judged, read_judgements, read_takes
from equipoise.terms.echo import Echo, echo_of
from equipoise.terms.matching import Matcher, State
from equipoise.terms.modes import Mode
from equipoise.terms.morphology import Morphology

_FROM_A_CORPUS = (
    "a private corpus with reference translations, which nobody's training has seen",
    "fidelity by people, or by a judge that was held against people",
)
"""What a run lacks that could decide about a memory; here it is never given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is evaluated and how.

    Attributes:
        glossary: the terms.
        chunks: all chunks of the text.
        taken: those that count.
        how: how terms are injected.
        takes: the file of takes.
        judgements: that of judgements; None without.
        margins: what counts as a difference.
        is_regenerated: a take that echoes gives way to the next attempt.
        morphology: the dictionary; None where it is not asked.
    """

    glossary: Glossary
    chunks: Chunks
    taken: Sequence[ChunkLine]
    how: Injecting
    takes: Given
    judgements: Given | None
    margins: Margins
    is_regenerated: bool
    morphology: Morphology | None


def evaluate(asked: Asked) -> tuple[Memory, dict[str, str]]:
    """The evaluation, and each full output by its hash.

    Raises:
        Blocked: fewer than 8 terms come back in another chapter; a target that nothing declines.
        InputError: a take or judgement that belongs to nothing, or no take at all.
    """
    due = due_terms(asked.glossary, asked.chunks.chunks).by_chunk
    n_recurring = len(recurring(due, asked.chunks))
    refuse_few(n_recurring)
    names = [one.id for one in asked.chunks.chunks]
    takes = read_takes(asked.takes, names)
    judgements = read_judgements(asked.judgements, names)
    wanted = (name for line in asked.taken for name in due[line.id])
    matchers = matchers_of(asked.glossary, wanted, asked.morphology)
    shown: list[TakeShown] = []
    outputs: dict[str, str] = {}
    judges: dict[str, bool] = {}
    for prompt in prompted(asked.glossary, asked.taken, asked.how):
        for mode in Mode:
            place: Place = (prompt.line.id, mode)
            if place not in takes:
                continue
            attempts = _attempts(takes[place], prompt, mode, asked)
            line, echo = attempts[-1]
            opinion = judged(judgements.get(place, ()), line.output)
            found = _Scored(
                line=line,
                echo=echo,
                first=attempts[0][1],
                attempts=[one for one, _ in attempts],
            )
            shown.append(
                found.shown(mode, due[prompt.line.id], matchers, opinion, len(takes[place]))
            )
            outputs |= {digest(one.output.encode()): one.output for one, _ in attempts}
            for one in judgements.get(place, ()):
                judges[one.judge] = judges.get(one.judge, False) or one.is_simulated
    if not shown:
        raise InputError(
            "no take is of a chunk that counts", wanted="takes", where=asked.takes.where
        )
    return _memory(asked, shown, due, judges, n_recurring), outputs


def _attempts(
    lines: Sequence[TakeLine], prompt: Prompted, mode: Mode, asked: Asked
) -> list[tuple[TakeLine, Echo]]:
    """The attempts up to the one that counts: the first, or the first that repeats nothing."""
    pairs = {
        key: one.term.target for one in prompt.injections[mode].injected for key in one.term.keys
    }
    if mode is Mode.NONE:
        pairs = {key: e.target.text for e in asked.glossary.entries for key in e.term.keys}
    found: list[tuple[TakeLine, Echo]] = []
    for line in lines:
        echo = echo_of(line.output, pairs, source=prompt.line.source, preamble=HEADINGS)
        found.append((line, echo))
        if not (asked.is_regenerated and (echo.is_echo or echo.is_empty)):
            break
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    line: TakeLine
    echo: Echo
    first: Echo
    attempts: list[TakeLine]

    def shown(
        self,
        mode: Mode,
        due: Sequence[str],
        matchers: Mapping[str, Matcher],
        opinion: Judged,
        n_attempts: int,
    ) -> TakeShown:
        """The take with all that is said of it."""
        line, echo = self.line, self.echo
        rendered = _rendered(line.chunk, echo.body, due, matchers)
        in_all = _rendered(line.chunk, line.output, due, matchers) if echo.is_echo else rendered
        return TakeShown(
            chunk=line.chunk,
            mode=mode.value,
            model=line.model,
            attempt=line.attempt,
            n_attempts=n_attempts,
            is_simulated=line.is_simulated,
            output_sha256=digest(line.output.encode()),
            body_sha256=digest(echo.body.encode()),
            prompt_sha256=line.prompt_sha256,
            echo=echo.kind.value if echo.kind else "",
            first_echo=self.first.kind.value if self.first.kind else "",
            cut=echo.cut,
            is_empty=echo.is_empty,
            due=tuple(due),
            rendered=rendered,
            unstripped=len(in_all),
            tokens_in=_sum(one.tokens_in for one in self.attempts),
            tokens_out=_sum(one.tokens_out for one in self.attempts),
            fidelity=opinion.fidelity,
            fidelity_why=opinion.why,
            faults=opinion.faults if opinion.read else {},
        )


def _rendered(
    chunk: str, text: str, due: Sequence[str], matchers: Mapping[str, Matcher]
) -> tuple[str, ...]:
    cases = cases_in(chunk, text, due, matchers)
    return tuple(case.term for case in cases if case.matched.state is not State.NO_MATCH)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if any(one is None for one in known) else sum(one for one in known if one)


def _memory(
    asked: Asked,
    takes: list[TakeShown],
    due: Mapping[str, tuple[str, ...]],
    judges: Mapping[str, bool],
    n_recurring: int,
) -> Memory:
    is_judge_simulated = any(judges.values())
    tags = {
        "tokens": _tags(takes, is_soft=False, is_simulated=False),
        "consistency": _tags(takes, is_soft=False, is_simulated=False),
        "fidelity": _tags(takes, is_soft=True, is_simulated=is_judge_simulated),
    }
    planned = [line.id for line in asked.taken]
    modes: list[ModeShown] = [
        mode_shown(mode, [one for one in takes if one.mode == mode.value], planned, due, tags)
        for mode in Mode
        if any(one.mode == mode.value for one in takes)
    ]
    compared = differences(takes, tags)
    inputs = {
        "glossary": asked.glossary.sha256,
        "chunks": asked.chunks.sha256,
        "takes": asked.takes.sha256,
    }
    if asked.judgements is not None:
        inputs["judgements"] = asked.judgements.sha256
    return Memory(
        modes=tuple(modes),
        differences=tuple(compared),
        readings=readings(compared, asked.margins),
        takes=tuple(takes),
        state="indicative",
        lacks=_FROM_A_CORPUS,
        margins=asked.margins,
        n_chunks=len(planned),
        n_terms=len(asked.glossary.entries),
        n_recurring=n_recurring,
        judges=tuple(judges),
        is_simulated=any(one.is_simulated for one in takes) or is_judge_simulated,
        is_regenerated=asked.is_regenerated,
        morphology=asked.morphology.name if asked.morphology else "",
        rules=rules_shown(asked.how),
        inputs=inputs,
        versions={"equipoise": __version__},
    )


def _tags(takes: Iterable[TakeShown], *, is_soft: bool, is_simulated: bool) -> tuple[str, ...]:
    is_made = is_simulated or any(one.is_simulated for one in takes)
    found = [Tag.SOFT] if is_soft else []
    return tuple(tag.value for tag in [*found, *([Tag.SIMULATED] if is_made else [])])
