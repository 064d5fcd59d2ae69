"""Which metrics must not decide: recall of tokens says little of a text that somebody wrote."""

TOKEN_RECALL = frozenset({"token_recall", "planted_defect", "keyword_recall"})
"""Metrics that count which expected words stand in a text."""

DIFF = "diff"
"""What such a metric may decide over: lines of a change, which are found or not."""

GENERATED = frozenset({"decomposition", "generated_text", "summary", "answer"})


def undecidable(metric: str, over: str) -> str:
    """Says why a metric must not decide over such material; empty where it may.

    Where the same thing can be said in other words, the recall of tokens is no lower bound of what
    is there: in one published comparison it gave 0.49 where a semantic judge gave 0.81.

    Args:
        metric: what is measured, such as ``planted_defect``; "" = something else.
        over: what it is measured over: ``diff``, ``decomposition``, ``generated_text``; "" = not
            said, and then it is taken for text that somebody wrote.
    """
    if metric not in TOKEN_RECALL or over == DIFF:
        return ""
    what = over or "text"
    return (
        f"{metric} over {what} cannot decide: the same thing in other words counts as missing; "
        "wanted a judge that reads what is meant"
    )
