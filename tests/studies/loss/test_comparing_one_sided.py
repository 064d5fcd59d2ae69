"""What only one side could evaluate is no gain and no equality."""

from pathlib import Path

from studies.loss.compared_loss_runs import called, losses, made, result
from studies.loss.made_loss_runs import Run


def test_a_category_that_vanished_with_its_faults_is_no_gain(tmp_path: Path) -> None:
    """Release 2 leaves no evidence for the units that it gets wrong: they count for nothing."""
    silent = [
        Run(unit=one.unit, lost={**one.lost, "tool_call_wrong_arg": None}, quote=one.quote)
        if one.lost["tool_call_wrong_arg"]
        else one
        for one in losses("r", 0.4, 0) + losses("i", 0.4, 0)
    ]
    folder = made(tmp_path, silent, losses("r", 0.4, 0) + losses("i", 0.4, 0))
    called("compare", folder)
    comparison = result(folder)
    assert comparison.verdict == "cannot tell"
    assert "30.0% of what is weighed" in comparison.why
