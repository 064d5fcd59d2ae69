"""The words of a rating report, each with its one meaning."""

from equipoise.stages.report.glossary import WORDS

_TAKEN = (
    "arm",
    "baseline",
    "unit",
    "interval",
    "simultaneous interval",
    "cannot tell",
    "not evaluable",
    "[exploratory]",
    "[simulated]",
    "archive head",
)

_OWN: tuple[tuple[str, str], ...] = (
    ("axis", "one question that outputs are rated on; axes are ranked apart and never combined."),
    ("set", "outputs of one unit shown side by side, without names."),
    ("score", "times best less times worst, over times shown: from −1 (always worst) to 1."),
    ("difference", "the score of one arm less that of another, from −2 to 2."),
    ("place", "where an output stands in what a rater sees; in an order, the rank of an arm."),
    (
        "strength",
        (
            "how an arm fares in a model of choices (best of the set, then worst of the rest; of "
            "pairs, Bradley-Terry), in logits; it has no finite value where an arm always wins."
        ),
    ),
    ("could show", "the smallest true difference that these answers show with 80 % probability."),
    ("mde", "the registered smallest difference that counts; equivalence is meant inside it."),
    ("power", "how probable these answers were to show a true difference as large as the mde."),
    (
        "better, worse",
        "all limits, which hold for all pairs of the axis together, lie on that side of 0.",
    ),
    ("equivalent", "the 90 % limits lie wholly inside ± mde: shown, not assumed."),
    ("raw agreement", "the share of pairs of raters of a set who chose the same output."),
    (
        "Brennan-Prediger",
        "agreement beyond that of raters who choose at random among the m outputs of a set.",
    ),
    (
        "no-κ mode",
        (
            "too few annotators, or none on the same sets: no agreement can be computed, none is "
            "shown, and what people say decides nothing."
        ),
    ),
    ("silent check", "a set with a known answer that is only recorded; a rule says who is kept."),
    (
        "copies told apart",
        "sets with one text twice in which one copy was called best and the other worst.",
    ),
    ("loud check", "a set with a known answer that is asked again until it is right."),
    ("same again", "the share of sets that one person, asked twice, chose alike: no agreement."),
    ("[people]", "people chose; nothing was measured mechanically."),
    ("[validated judge]", "a model judged, and was found to agree with people on the same sets."),
    ("[soft]", "a model judged, and nobody has shown that people agree with it."),
    ("[judge not validated]", "the judge failed its validation against people, or had none."),
    (
        "position-biased",
        "a judge that takes what stands first (or last) more often than chance by a tenth or more.",
    ),
    ("flip rate", "the share of a judge's repeats that contradict its own majority on the set."),
    ("tie rate", "the share of sets on which a judge's repeats, in both orders, have no majority."),
    (
        "effective votes",
        "how many independent judges a panel is worth, from how often they err together.",
    ),
    (
        "ceiling",
        "how often one person names the best that the others name, on the same sets.",
    ),
)

RATING_WORDS: tuple[tuple[str, str], ...] = (
    *_OWN,
    *((word, meaning) for word, meaning in WORDS if word in _TAKEN),
)
"""Word -> meaning, in reading order."""
