"""The words the report uses, each with its one meaning."""

WORDS: tuple[tuple[str, str], ...] = (
    ("arm", "one of the things compared: a version of an agent, skill, prompt or pipeline."),
    ("baseline", "the arm the others are compared with."),
    ("unit", "one independent thing measured, such as a task; units are the sample."),
    ("partition", "a group of units that share a label, such as intent=refund."),
    ("trial", "one execution of one unit in one arm."),
    ("repetition", "the same unit in the same arm once more, as planned."),
    ("attempt", "a retry of a repetition that failed; never counted as a further repetition."),
    ("outcome", "what a trial is worth under a criterion, from 0 to 1."),
    ("difference", "mean of the arm minus mean of the baseline, in the criterion's own unit."),
    (
        "interval",
        (
            "the range of differences the runs are compatible with. At the 95 % level, 95 of 100 "
            "such intervals hold the true difference."
        ),
    ),
    (
        "simultaneous interval",
        (
            "an interval widened so that all intervals of the family hold together at the stated "
            "level."
        ),
    ),
    ("family", "the comparisons that are guarded together against chance findings."),
    ("margin", "the smallest change that counts; a change must lie wholly beyond it."),
    ("equivalence band", "the range of differences small enough to call two arms equivalent."),
    ("better, worse", "the whole interval lies beyond the margin on that side."),
    (
        "equivalent",
        "the interval of the equivalence test lies wholly inside the band: shown, not assumed.",
    ),
    (
        "cannot tell",
        "the runs allow more than one of the other words. This is not 'no difference'.",
    ),
    ("not evaluable", "what is there cannot be compared, and the reason is given."),
    (
        "[exploratory]",
        "the terms were not sealed before the runs; read it as a lead, not as proof.",
    ),
    ("[measured]", "outcomes were measured mechanically."),
    ("[soft]", "outcomes were judged by a model or a person."),
    ("[underpowered]", "the runs were too few to show a change as large as the one that matters."),
    ("[simulated]", "some runs were simulated; nothing here speaks of real systems."),
    (
        "reportable",
        "the smallest true change that runs like these would show with 80 % probability.",
    ),
    ("excludable", "the largest change the interval still allows."),
    (
        "archive head",
        "a hash over everything recorded in an archive; the same head, the same runs.",
    ),
)
"""Word -> meaning, in reading order."""
