"""The works a method stands on, found by the words in the method's name."""

from collections.abc import Iterable

_WORKS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("guarded t", "student"),
        "Student (1908). The probable error of a mean. Biometrika 6:1-25.",
    ),
    (
        ("wilson", "guarded t"),
        (
            "Wilson EB (1927). Probable inference, the law of succession, and statistical "
            "inference. Journal of the American Statistical Association 22:209-212."
        ),
    ),
    (
        ("mover", "newcombe"),
        (
            "Newcombe RG (1998). Interval estimation for the difference between independent "
            "proportions: comparison of eleven methods. Statistics in Medicine 17:873-890."
        ),
    ),
    (
        ("mover",),
        (
            "Zou GY, Donner A (2008). Construction of confidence limits about effect measures: a "
            "general approach. Statistics in Medicine 27:1693-1702."
        ),
    ),
    (
        ("cr2", "satterthwaite", "cluster"),
        (
            "Bell RM, McCaffrey DF (2002). Bias reduction in standard errors for linear "
            "regression with multi-stage samples. Survey Methodology 28:169-181."
        ),
    ),
    (
        ("cr2", "satterthwaite", "cluster"),
        (
            "Pustejovsky JE, Tipton E (2018). Small-sample methods for cluster-robust variance "
            "estimation and hypothesis testing in fixed effects models. Journal of Business & "
            "Economic Statistics 36:672-683."
        ),
    ),
    (
        ("tost", "equivalence"),
        (
            "Schuirmann DJ (1987). A comparison of the two one-sided tests procedure and the power "
            "approach for assessing the equivalence of average bioavailability. Journal of "
            "Pharmacokinetics and Biopharmaceutics 15:657-680."
        ),
    ),
    (
        ("max-t", "maxt"),
        (
            "Westfall PH, Young SS (1993). Resampling-based multiple testing: examples and "
            "methods for p-value adjustment. Wiley."
        ),
    ),
    (
        ("holm",),
        (
            "Holm S (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
            "Journal of Statistics 6:65-70."
        ),
    ),
    (
        ("benjamini", "bh"),
        (
            "Benjamini Y, Hochberg Y (1995). Controlling the false discovery rate: a practical and "
            "powerful approach to multiple testing. Journal of the Royal Statistical Society B "
            "57:289-300."
        ),
    ),
    (
        ("bonferroni",),
        (
            "Dunn OJ (1961). Multiple comparisons among means. Journal of the American Statistical "
            "Association 56:52-64."
        ),
    ),
    (
        ("mcnemar",),
        (
            "McNemar Q (1947). Note on the sampling error of the difference between correlated "
            "proportions or percentages. Psychometrika 12:153-157."
        ),
    ),
    (
        ("sign-flip", "sign flip", "permutation"),
        "Fisher RA (1935). The design of experiments, section 21. Oliver and Boyd.",
    ),
    (
        ("worst-case", "manski"),
        (
            "Horowitz JL, Manski CF (2000). Nonparametric analysis of randomized experiments with "
            "missing covariate and outcome data. Journal of the American Statistical Association "
            "95:77-84."
        ),
    ),
    (
        ("pass@k",),
        "Chen M et al. (2021). Evaluating large language models trained on code. arXiv:2107.03374.",
    ),
    (
        ("pass^k",),
        (
            "Yao S, Shinn N, Razavi P, Narasimhan K (2024). tau-bench: a benchmark for "
            "tool-agent-user interaction in real-world domains. arXiv:2406.12045."
        ),
    ),
    (
        ("repetition", "cluster"),
        (
            "Miller E (2024). Adding error bars to evals: a statistical approach to language model "
            "evaluations. arXiv:2411.00640."
        ),
    ),
)


def works_for(methods: Iterable[str]) -> tuple[str, ...]:
    """Gives the works behind the named methods, each once, in a fixed order."""
    named = " ".join(methods).lower()
    return tuple(work for words, work in _WORKS if any(word in named for word in words))
