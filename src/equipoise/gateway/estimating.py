"""Tokens estimated from bytes, for answers that say nothing of their usage."""

from equipoise.records.trial import Usage

ESTIMATOR = "utf8-bytes/4"
"""One token for every four bytes, rounded up: the declared estimator, right for no model."""


def estimated(request: bytes, n_text_bytes: int) -> Usage:
    """Gives an estimate by `ESTIMATOR`, flagged as one.

    The input is the whole request, JSON and all, which counts too much; the output is the text and
    the arguments of tools.
    """
    return Usage(
        input_tokens=-(-len(request) // 4),
        output_tokens=-(-n_text_bytes // 4),
        convention=f"estimated: {ESTIMATOR}",
        is_estimated=True,
    )
