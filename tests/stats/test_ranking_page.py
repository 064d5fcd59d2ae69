"""The page on ranking and agreement: its examples run, and it names every public function."""

import doctest
import inspect
from importlib import import_module
from pathlib import Path

from every import for_every

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "ranking-and-agreement.md"
_MODULES = (
    "agreement",
    "agreement_report",
    "bws",
    "bws_design",
    "bws_differences",
    "bws_pairs",
    "bws_plan",
    "choice",
    "choice_differences",
    "choice_two_systems",
    "cohen",
    "family_guard",
    "judge_correction",
    "judge_repeats",
    "judging",
    "krippendorff",
    "panel",
    "swapped_orders",
)
# Steps of the functions the page names, and readers of input.
_STEPS = {
    "check_answers",
    "count_ratings",
    "cross_table",
    "faults",
    "implied_pairs",
    "overlapping",
    "read_answers",
    "segments_of",
    "sorted_labels",
    "tau_b",
    "unit_agreement",
}


def test_the_examples_of_the_page_run() -> None:
    found = doctest.testfile(str(_PAGE), module_relative=False)
    assert found.attempted > 5
    assert found.failed == 0


@for_every("name", _MODULES)
def test_the_page_names_every_public_function(name: str) -> None:
    module = import_module(f"equipoise.stats.{name}")
    page = _PAGE.read_text(encoding="utf-8")
    missing = [
        function
        for function, found in inspect.getmembers(module, inspect.isfunction)
        if found.__module__ == module.__name__
        and not function.startswith("_")
        and function not in _STEPS
        and f"`{function}`" not in page
    ]
    assert missing == []
