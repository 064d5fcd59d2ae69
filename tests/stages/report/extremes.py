"""Results at the edge for the report's tests: hostile names, long lists, nothing at all."""

import msgspec

from equipoise.records.estimate import (
    ArmEstimate,
    CellKey,
    Comparison,
    Flaky,
    Missing,
    Resource,
    UnitLine,
    UnitSets,
)
from equipoise.records.notice import Headline, Notice
from equipoise.records.result import (
    CellLines,
    ComparisonFile,
    Estimates,
    HeadlineCheck,
    Result,
)
from equipoise.records.terms import ArmSource, Direction, Terms
from equipoise.records.verdict import Verdict, Word
from stages.report.samples import arm, comparison, helpdesk, verdict

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)',
    "table": "a|b\n| --- |\n# c `d` [e](javascript:f) ![g](h) <img src=x onerror=i>",
    "override": "safe\u202egnp.exe",
    "null": "nul\x00l \x1b[31mred\x07",
    "zero width": "ad\u200bmin\ufeff\u2066",
    "hebrew": "שלום 7",
    "template": "{{ 7 * 7 }}{% raw %}",
    "cdata": "]]></failure><x/>&amp;",
    "long": "x" * 5000 + "middle" + "y" * 5000,
    "stacked": "z" + "\u0301" * 50,
    "empty": "",
    "mention": "@everyone #12 https://evil.example/ www.evil.example",
}


def hostile(text: str) -> Result:
    """A result in which every name, id, quote and message is the given text."""
    key = CellKey(label=text, value=text)
    c = Comparison(
        id=text,
        baseline=text,
        arm=text,
        cell=key,
        pairing=text,
        n_units_new=2,
        n_units_base=2,
        n_pairs=2,
        not_estimable=text,
    )
    return Result(
        file=ComparisonFile(
            terms=Terms(
                baseline=text,
                arms=(text,),
                criterion=text,
                direction=Direction.HIGHER,
                partitions=(text,),
                where={text: text},
                defaulted=(text,),
            ),
            sources=(ArmSource(name=text, archive=text, arm=text, head=text),),
            tool_version=text,
            title=text,
        ),
        estimates=Estimates(
            arms=(
                ArmEstimate(
                    arm=text,
                    cell=key,
                    n_units=2,
                    n_trials=2,
                    n_attempts_beyond_first=0,
                    missing=Missing(planned=2, evaluable=1, reasons={text: 1}),
                    not_estimable=text,
                ),
            ),
            comparisons=(c,),
            unit_sets=(
                UnitSets(
                    baseline=text,
                    arm=text,
                    n_shared=1,
                    n_only_base=1,
                    n_only_new=1,
                    only_base=(text,),
                    only_new=(text,),
                ),
            ),
            resources=(
                Resource(baseline=text, arm=text, kind=text, unit=text, not_comparable=text),
            ),
            flaky=(Flaky(arm=text, unit=text, rate=0.5, n=2, modal=text, any_pass=True),),
            lines=(
                CellLines(
                    comparison=text,
                    lines=(
                        UnitLine(
                            unit=text,
                            base=0.0,
                            new=1.0,
                            labels={text: text},
                            trials=(text,),
                            quotes=(text,),
                            note=text,
                        ),
                    ),
                ),
            ),
            headlines=(
                HeadlineCheck(
                    headline=Headline(metric=text, value=1.0, arm=text, where=text),
                    from_rows=None,
                    follows=None,
                    note=text,
                ),
            ),
            notices=(Notice(code=text, message=text, where=text),),
        ),
        verdicts=(
            Verdict(
                comparison=text, word=Word.CANNOT_TELL, rule=text, level=0.95, why=text, needed=text
            ),
        ),
    )


def large(n_cells: int = 120, n_lines: int = 50) -> Result:
    """What 10,000 trials with many partitions and chatty logs give: every list long."""
    made = helpdesk()
    keys = [
        CellKey(label="tool_path", value=f"search > fetch > answer {i:03}") for i in range(n_cells)
    ]
    cells = [comparison(f"cell-{i}", key, 0.01, 0.05, 80, k=n_cells) for i, key in enumerate(keys)]
    quote = "2026-11-30 12:00:00 ERROR hop=billing " + "timeout while calling the ledger " * 30
    lines = tuple(
        CellLines(
            comparison=c.id,
            lines=tuple(
                UnitLine(
                    unit=f"conversation-{i:05}",
                    base=0.0,
                    new=1.0,
                    trials=tuple(f"{i:016x}" for _ in range(10)),
                    quotes=(quote,) * 6,
                )
                for i in range(n_lines)
            ),
        )
        for c in cells
    )
    flaky = tuple(
        Flaky(arm="release-2", unit=f"conversation-{i:05}", rate=0.5, n=2) for i in range(2000)
    )
    estimates = msgspec.structs.replace(
        made.estimates,
        arms=tuple(arm(name, key, 0.2, 80) for key in keys for name in ("release-1", "release-2")),
        comparisons=made.estimates.comparisons[:1] + tuple(cells),
        lines=lines,
        flaky=flaky,
        notices=tuple(Notice(code="odd", message=f"line {i} is odd: {quote}") for i in range(1000)),
    )
    verdicts = made.verdicts[:1] + tuple(
        verdict(c, Word.CANNOT_TELL, needed="about 1,000 more units") for c in cells
    )
    return Result(file=made.file, estimates=estimates, verdicts=verdicts)


def bare() -> Result:
    """The least a comparison can hold: no comparison at all."""
    return Result(
        file=ComparisonFile(terms=helpdesk().file.terms, sources=(), tool_version="0.1.0"),
        estimates=Estimates(arms=(), comparisons=(), unit_sets=()),
        verdicts=(),
    )
