"""Checks count as the report counts them, and the code at the end follows the registered rule."""

from pathlib import Path

from annotate.campaigns import campaign, packet
from equipoise.annotate.campaign import read_campaign
from equipoise.annotate.checks import Checked, checked, passed
from equipoise.records.answer import Answer


def _answers(*chosen: tuple[str, int, int]) -> list[Answer]:
    return [
        Answer(seq=n, annotator="ann", packet=f"p-{name}", best=best, worst=worst)
        for n, (name, best, worst) in enumerate(chosen, 1)
    ]


def test_equal_texts_are_no_check_and_every_axis_has_its_own_rule(tmp_path: Path) -> None:
    names = ("s1", "s2", "equal", "loud")
    mine = [packet(name) for name in names] + [packet("f1", axis="fidelity")]
    planted = {"kind": "silent", "worst": 3}
    checks = {f"p-{name}": planted for name in ("s1", "s2", "f1")} | {
        "p-equal": {"kind": "silent"},
        "p-loud": {"kind": "loud", "worst": 3},
    }
    made = campaign(tmp_path / "s", {"ann": mine}, checks, {"n_silent": 2, "need": 1})
    read = read_campaign(made.study)
    one_missed = _answers(
        ("s1", 0, 3), ("s2", 0, 1), ("equal", 1, 0), ("loud", 0, 1), ("loud", 0, 3)
    )
    found = checked(read, "ann", one_missed)
    assert found["silent"] == Checked(n=2, n_right=1, n_wrong_tries=1)
    assert found["loud"] == Checked(n=1, n_right=0, n_wrong_tries=1)
    assert passed(read, "ann", one_missed)
    one_on_each = _answers(("s1", 0, 1), ("s2", 0, 3), ("f1", 0, 1))
    assert passed(read, "ann", one_on_each)
    assert not passed(read, "ann", _answers(("s1", 0, 1), ("s2", 0, 1), ("equal", 0, 1)))
