"""What the plan's page says of the judges that may judge, before anything is spent."""

from collections.abc import Iterator

from equipoise.blind.families import count_families
from equipoise.blind.legal_judges import LegalComparison, LegalJudges

_SHOWN = 6


def legal_lines(legal: LegalJudges) -> tuple[str, ...]:
    """Gives the lines (Markdown) of the section "Who may judge".

    It says of each comparison how many sets keep judges of two families, of one, or none, what is
    to be added, and why judges were left out.
    """
    return tuple(_lines(legal))


def _lines(legal: LegalJudges) -> Iterator[str]:
    yield "## Who may judge"
    yield ""
    yield (
        "A judge never judges a set in which a model of its own family had a hand, at any stage. "
        "Two judges of one family count once."
    )
    yield ""
    for judge, family in legal.judges.items():
        yield f"- judge `{judge}`: family {family}"
    yield ""
    yield "| axis | language | arms | sets | two families or more | one | none | add |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |"
    seats = legal.most_families - count_families(legal.judges.values())
    for one in legal.comparisons:
        yield (
            f"| {_cell(one.axis)} | {_cell(one.language) or 'not recorded'} | "
            f"{_cell(one.first)}, {_cell(one.second)} | {one.n_sets} | {one.n_two} | {one.n_one} | "
            f"{one.n_none} | {_cell(_mend(one, seats))} |"
        )
    yield ""
    for one in legal.comparisons:
        if not one.is_evaluable:
            yield (
                f"- **not evaluable by judges**: {one.first} and {one.second} on {one.axis}"
                f"{f' ({one.language})' if one.language else ''}: no judge is left for any set"
            )
    for warning in legal.warnings:
        yield f"- **warning**: {warning}"
    for judge, why, n_sets in legal.exclusions():
        yield f"- judge `{judge}` is left out of {n_sets} sets: {_reason(why)}"


def _mend(one: LegalComparison, seats: int) -> str:
    """What to do so that all families that are wanted are left for every set; "" where they are."""
    parts: list[str] = []
    if one.n_unrecorded:
        parts.append(f"record the models of the outputs of {one.n_unrecorded} sets")
    if one.unknown_models:
        parts.append(f"add to families.yaml: {', '.join(one.unknown_models[:_SHOWN])}")
    if one.n_to_add:
        what = "replace judges by" if seats < one.n_to_add else "add"
        how_many = "two" if one.n_to_add > 1 else "one"
        names = ", ".join(one.add[:_SHOWN])
        more = len(one.add) - _SHOWN
        others = f" or {more} others" if more > 0 else ""
        which = f"{names}{others}" if names else "no family of the map is left"
        parts.append(f"{what} {how_many} of: {which}")
    return "; ".join(parts)


def _reason(why: str) -> str:
    kind, _, name = why.partition(":")
    return {
        "same_family": f"a model of its own family ({name}) had a hand in an output",
        "unknown_family_of_output": f"the family of a model behind output {name} is not known",
        "unknown_family": "its family is not known",
    }.get(kind, why)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
