"""The method paragraph says what was done here, and nothing that was not."""

import msgspec

from equipoise.records.estimate import Comparison
from equipoise.records.result import Result
from equipoise.records.terms import Pairing, Terms
from equipoise.stages.report.method import method_of
from equipoise.stages.report.reading import read
from stages.report.samples import helpdesk


def _paragraph(result: Result) -> str:
    return method_of(read(result, {})).paragraph


def _with_terms(result: Result, terms: Terms) -> Result:
    file = msgspec.structs.replace(result.file, terms=terms)
    return Result(file=file, estimates=result.estimates, verdicts=result.verdicts)


def _each(result: Result, **changes: object) -> Result:
    def changed(comparison: Comparison) -> Comparison:
        return msgspec.structs.replace(comparison, **changes)

    estimates = msgspec.structs.replace(
        result.estimates, comparisons=tuple(changed(c) for c in result.estimates.comparisons)
    )
    return Result(file=result.file, estimates=estimates, verdicts=result.verdicts)


def test_names_pairing_family_margins_missing_and_heads() -> None:
    said = _paragraph(helpdesk())
    for part in (
        "release-2 with the baseline release-1 on loss (lower is better)",
        "matched by their ids (1,000 pairs)",
        (
            "The 6 comparisons inside partitions were guarded together at the 95 % level by "
            "simultaneous max-T"
        ),
        "inside ±0.05",
        "9 of 6,000 planned repetitions had no outcome",
        "release-1 4f9d000000000000",
    ):
        assert part in said
    assert "cluster" not in said
    assert "independent samples" not in said


def test_unpaired_and_clustered_comparisons_are_told_as_such() -> None:
    unpaired = _paragraph(_each(helpdesk(), pairing=str(Pairing.UNPAIRED), n_pairs=0))
    assert "compared as independent samples" in unpaired
    assert "matched by their ids" not in unpaired
    clustered = _paragraph(_each(helpdesk(), pairing="clustered", n_clusters=12))
    assert "treated as dependent (12 clusters)" in clustered


def test_only_works_behind_the_methods_used_are_cited() -> None:
    works = " ".join(method_of(read(helpdesk(), {})).works)
    for cited in ("Wilson EB (1927)", "Zou GY", "Schuirmann", "Westfall", "Horowitz", "Yao S"):
        assert cited in works
    for foreign in ("Holm", "Benjamini", "Bell RM", "McNemar"):
        assert foreign not in works


def test_exploratory_terms_say_what_a_sealed_plan_would_have_needed() -> None:
    sealing = " ".join(method_of(read(helpdesk(), {})).sealing)
    assert "the multiplicity rule (maxt here)" in sealing
    assert "defaults: margin, equivalence, rule" in sealing


def test_sealed_terms_need_nothing_more() -> None:
    made = helpdesk()
    sealed = _with_terms(made, msgspec.structs.replace(made.file.terms, is_sealed=True))
    sealed = Result(
        file=sealed.file,
        estimates=sealed.estimates,
        verdicts=tuple(msgspec.structs.replace(v, tags=()) for v in sealed.verdicts),
    )
    assert method_of(read(sealed, {})).sealing == ()
