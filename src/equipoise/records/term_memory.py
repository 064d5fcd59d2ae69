"""What a glossary in the prompt does: injections, takes, figures of each mode, and readings."""

import msgspec

from equipoise.records.term_shares import Mean, Share


class InjectedShown(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a glossary in a prompt; `stays` = met so many chunks ago, 0 = in this one."""

    term: str
    line: str
    disposition: str
    stays: int


class ModeInjection(msgspec.Struct, frozen=True, kw_only=True):
    """What one mode puts into the prompt of one chunk.

    `n_tokens` is an estimate of the glossary's lines; `left` says of each other term why it is not
    there; `prompt_sha256` is the hash of the whole prompt.
    """

    mode: str
    injected: tuple[InjectedShown, ...]
    n_tokens: int
    left: dict[str, str]
    prompt_sha256: str


class ChunkInjection(msgspec.Struct, frozen=True, kw_only=True):
    """What each mode puts into the prompt of a chunk."""

    chunk: str
    chapter: int
    modes: tuple[ModeInjection, ...]


class InjectionRules(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of injection; `budget` null = no limit; `seed` is that of the exchange."""

    sticky_depth: int
    least_phonetic: int
    budget: int | None
    seed: int
    estimator: str


class MemoryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What would stand in each prompt, without asking anybody.

    `n_recurring` terms are due in two chapters or more; `n_wanted` are needed to evaluate.
    """

    chunks: tuple[ChunkInjection, ...]
    n_terms: int
    n_recurring: int
    n_wanted: int
    rules: InjectionRules
    glossary_sha256: str
    chunks_sha256: str
    versions: dict[str, str]


class TakeShown(msgspec.Struct, frozen=True, kw_only=True):
    """Where one scored answer comes from, and what was left of it.

    Args:
        chunk: id of the chunk.
        mode: the mode.
        model: who answered.
        attempt: which of its attempts counts.
        n_attempts: how many there are.
        is_simulated: nobody answered.
        output_sha256: hash of all that it answered.
        body_sha256: hash of the translation in it.
        prompt_sha256: hash of the prompt; empty where it is not known.
        echo: what it repeats: ``glossary_preamble``, ``glossary_postamble``, ``source_echo``; empty
            where it repeats nothing.
        first_echo: what its first attempt repeats.
        cut: lines taken out.
        is_empty: nothing was left to score.
        due: terms due in the chunk.
        rendered: those whose approved target stands in the translation.
        unstripped: how many stand in the whole output, echo and all.
        tokens_in: of all attempts up to the one that counts.
        tokens_out: the same.
        fidelity: mean over judges; null with `fidelity_why`.
        fidelity_why: why there is none.
        faults: what judges found: kind -> how many.
    """

    chunk: str
    mode: str
    model: str
    attempt: int
    n_attempts: int
    is_simulated: bool
    output_sha256: str
    body_sha256: str
    prompt_sha256: str
    echo: str
    first_echo: str
    cut: tuple[str, ...]
    is_empty: bool
    due: tuple[str, ...]
    rendered: tuple[str, ...]
    unstripped: int
    tokens_in: int | None
    tokens_out: int | None
    fidelity: float | None
    fidelity_why: str
    faults: dict[str, int]


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """One axis of one mode: clean (without takes that echo), full, and the worst and best case.

    `n_excluded` of the chunks that should count are not in `clean`; `worst` gives each of them 0,
    `best` 1 (fidelity is a share of 100 here).
    """

    clean: Share
    full: Share
    n_excluded: int
    worst: float | None
    best: float | None


class ModeShown(msgspec.Struct, frozen=True, kw_only=True):
    """One mode: three axes that are never combined, and what was excluded.

    `unstripped` is the consistency that whole outputs would have had, echo and all, for contrast.
    `echo` is the share of chunks whose first attempt repeats the glossary or the source.
    """

    mode: str
    says: str
    models: tuple[str, ...]
    n_chunks: int
    n_takes: int
    n_missing: int
    n_empty: int
    n_regenerated: int
    consistency: Axis
    unstripped: Share
    fidelity: Axis
    tokens_in: Mean
    tokens_out: Mean
    echo: Share
    n_judged: int
    n_unreadable: int
    n_unjudged: int
    faults: dict[str, int]


class ModeDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One mode against another on one axis, over the chunks that both have clean.

    Of consistency and fidelity (as a share of 100) it is a difference, of tokens the ratio of the
    geometric means.
    """

    axis: str
    mode: str
    against: str
    value: float | None
    lo: float | None
    hi: float | None
    n_chunks: int
    method: str
    tags: tuple[str, ...]
    why: str


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule says.

    `rule` is ``bank or long context``, ``silent harm``, ``harm in consistency``; `says` one of its
    outcomes or ``cannot tell``; `would_say` the same without regard to simulated answers.
    """

    rule: str
    says: str
    why: str
    needed: str
    would_say: str
    tags: tuple[str, ...]


class Margins(msgspec.Struct, frozen=True, kw_only=True):
    """What counts as a difference, one for each axis: shares of 1, and a saving in tokens."""

    consistency: float
    fidelity: float
    cost: float


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """The evaluation of terminology memory; `state` is ``indicative`` and `lacks` says why."""

    modes: tuple[ModeShown, ...]
    differences: tuple[ModeDifference, ...]
    readings: tuple[Reading, ...]
    takes: tuple[TakeShown, ...]
    state: str
    lacks: tuple[str, ...]
    margins: Margins
    n_chunks: int
    n_terms: int
    n_recurring: int
    judges: tuple[str, ...]
    is_simulated: bool
    is_regenerated: bool
    morphology: str
    rules: InjectionRules
    inputs: dict[str, str]
    versions: dict[str, str]
