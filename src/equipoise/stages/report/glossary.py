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
    ("[simulated]", "some runs or judges were simulated; nothing here speaks of real systems."),
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

LOSS_WORDS: tuple[tuple[str, str], ...] = (
    ("loss", "how much of a unit went wrong, from 0 (nothing lost) to 1 (all lost)."),
    ("catalog", "the list of what can go wrong, and how much each thing weighs; it has a version."),
    ("category", "one thing that can go wrong, found by a check or by a judge."),
    (
        "cell",
        "one partition, or one category in one partition: what is compared, and counted in k.",
    ),
    ("suite", "what one arm lost under one catalog, by partition and category."),
    (
        "suite score",
        (
            "the mean loss of an arm over its scored partitions, weighted by how often a kind of "
            "unit occurs and how severe it is; no cell is decided by it."
        ),
    ),
    ("completed", "the share of the planned executions that ended with an outcome."),
    ("coverage", "the share of the catalog's weight that could be evaluated."),
    ("weight scored", "the share of all weight that lies in partitions with enough units."),
    (
        "spread, within",
        "the standard deviation between units; the one between repetitions of the same unit.",
    ),
    ("literal", "limits by the written rule: difference ± z × standard error, z = 2 + ln(k)/2."),
    (
        "guarded",
        (
            "limits that also hold where losses are rare, all alike or lopsided, so that a spread "
            "of 0 is never taken for certainty; a listed cell passes the literal and the guarded."
        ),
    ),
    ("listed", "the whole interval lies beyond the margin, and a verbatim quote stands behind it."),
    ("citation", "a quote that stands word for word in the archived output of a trial."),
    (
        "unterbelegt",
        "a partition with fewer units than it needs: never listed, never in the score.",
    ),
    ("unbewertbar", "nothing could be measured there, and the reason is given; it is never a 0."),
    ("flaky", "a unit whose repetitions disagree; it counts once, with their mean."),
    ("anchor", "a deterministic unit, executed once: executed again it has to lose the same."),
    ("adversarial", "a unit made to break the system; it stands apart and is in no score."),
    ("mode", "A: the system was executed for this; B: frozen logs were read."),
    ("provenance", "synthetisch: units are invented; korpus: they are taken from life."),
)
"""Words of loss studies -> meaning; they stand on their page before the others."""

OUTCOME_WORDS: tuple[tuple[str, str], ...] = (
    ("scenario", "one task on a seed, with hidden tests or an end state; the unit of the study."),
    ("cell", "one scenario in one arm, once: a fresh copy of the seed, an agent in its sandbox."),
    ("hidden tests", "tests that the agent never saw; run afterwards, in another sandbox."),
    ("explicit", "hidden tests of what the task says in words."),
    ("implicit", "hidden tests of what a professional takes for granted without being told."),
    ("own suite", "the tests that the seed came with, run from a pristine copy."),
    ("pass rate", "the share that passed, from 0 to 1; scenarios count alike, however many tests."),
    ("ceiling", "everything passed in every arm: no difference can be seen, and none excluded."),
    ("free", "an implicit test that a literal solution passes: it comes by itself."),
    ("null", "neither confirmed nor rejected: the runs cannot tell."),
    ("L1, L2, L3", "controls: two versions of a skill; with and without; cheap with, dear bare."),
)
"""Words of outcome studies -> meaning; they stand on their page before the others."""
