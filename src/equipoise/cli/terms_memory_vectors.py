"""What answers the vectors of ``terms memory``: injection, echo, exchange, names of modes."""

from typing import Any


def answer(given: dict[str, Any]) -> object:
    """The answer to one vector; its first key says what is asked."""
    for name, asked in (
        ("inject", _injected),
        ("echo", _echo),
        ("exchange", _exchange),
        ("mode", _mode),
        ("prompts", _prompts),
        ("fidelity", _fidelity),
    ):
        if name in given:
            return asked(given)
    raise KeyError(f"a vector of {', '.join(given)}")


def _injected(given: dict[str, Any]) -> object:
    """Chunk by chunk ``id``, with ``?`` where ambiguous and ``+n`` where it stays; who is out."""
    from equipoise.terms.injection import Chunk, Disposition, Injector, Rules

    injector = Injector(
        _terms(given["inject"]), Rules(**given.get("rules", {})), lambda one: len(one.term.target)
    )
    found = []
    for number, (chapter, text) in enumerate(given["chunks"]):
        one = injector.inject(Chunk(id=str(number), chapter=chapter, text=text))
        names = [
            f"{i.term.id}{'?' * (i.disposition is Disposition.AMBIGUOUS)}"
            f"{f'+{i.stays}' if i.stays else ''}"
            for i in one.injected
        ]
        found.append({"injected": names, "left": {k: str(v) for k, v in one.left.items()}})
    return found


def _echo(given: dict[str, Any]) -> object:
    from equipoise.studies.translation.prompting import HEADINGS
    from equipoise.terms.echo import echo_of

    found = echo_of(
        given["echo"], given.get("glossary", {}), source=given.get("source", ""), preamble=HEADINGS
    )
    return {"kind": found.kind and str(found.kind), "body": found.body}


def _exchange(given: dict[str, Any]) -> object:
    import numpy as np

    from equipoise.terms.modes import exchanged

    terms = _terms(given["exchange"])
    seeds = range(given.get("seeds", 20))
    wrong = [exchanged(terms, np.random.default_rng(seed)) for seed in seeds]
    kept = sum(a.target == b.target for found in wrong for a, b in zip(terms, found, strict=True))
    same = {term.target for term in terms}
    return {
        "kept_their_own": kept,
        "are_the_same_targets": all({term.target for term in found} == same for found in wrong),
        "same_seed_same_exchange": exchanged(terms, np.random.default_rng(0)) == wrong[0],
    }


def _mode(given: dict[str, Any]) -> object:
    from equipoise.terms.modes import mode_of

    return str(mode_of(given["mode"]))


def _prompts(given: dict[str, Any]) -> object:
    """Of each mode the terms in the prompt of the last chunk, and whether M1 is within M2."""
    import msgspec

    from equipoise.studies.translation.injecting import Injecting, prompted
    from equipoise.studies.translation.reading import Given, read_chunks, read_glossary
    from equipoise.terms.injection import Rules
    from equipoise.terms.modes import Mode

    encoder = msgspec.json.Encoder()
    glossary = read_glossary(Given(where="glossary", data=encoder.encode_lines(given["prompts"])))
    lines = [
        {"id": str(n), "chapter": chapter, "source": text}
        for n, (chapter, text) in enumerate(given["chunks"])
    ]
    chunks = read_chunks(Given(where="chunks", data=encoder.encode_lines(lines)))
    how = Injecting(rules=Rules(**given.get("rules", {})))
    found = list(prompted(glossary, chunks.chunks, how))
    names = {
        mode: [{one.term.id for one in each.injections[mode].injected} for each in found]
        for mode in Mode
    }
    pairs = zip(names[Mode.SELECTED], names[Mode.WHOLE], strict=True)
    return {
        "last": {mode.value: sorted(names[mode][-1]) for mode in Mode},
        "m1_within_m2": all(small <= large for small, large in pairs),
    }


def _fidelity(given: dict[str, Any]) -> object:
    from equipoise.studies.translation.takes import fidelity_in

    found = fidelity_in(given["fidelity"])
    return "unreadable" if found is None else found.fidelity


def _terms(lines: list[dict[str, Any]]) -> list[Any]:
    from equipoise.terms.injection import Disposition, Term

    found = []
    for line in lines:
        more = dict(line)
        keys = more.pop("keys")
        sure = Disposition(more.pop("disposition", "CONFIRMED"))
        more.setdefault("id", keys[0])
        found.append(Term(keys=tuple(keys), disposition=sure, **more))
    return found
