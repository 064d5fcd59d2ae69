"""Agreement is found without a key: the same texts are the same set, wherever they stand."""

from pathlib import Path

import numpy as np
import pytest

from annotate.campaigns import campaign, packet
from equipoise.annotate.agreeing import agreements
from equipoise.annotate.campaign import read_campaign
from equipoise.records.answer import Answer
from equipoise.records.packet import Packet


def test_three_annotators_each_in_an_order_of_their_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    texts = [[f"set {n} text {letter}" for letter in "ABCD"] for n in range(12)]
    lists: dict[str, list[Packet]] = {}
    answers: list[Answer] = []
    for who in ("ann", "bob", "cy"):
        mine = []
        for n, four in enumerate(texts):
            order = [int(place) for place in rng.permutation(4)]
            mine.append(packet(f"{who}{n}", *(four[place] for place in order)))
            best = (0 if who != "cy" or n < 6 else 1) if n < 10 else ["ann", "bob", "cy"].index(who)
            answers.append(
                Answer(
                    seq=len(answers) + 1,
                    annotator=who,
                    packet=f"p-{who}{n}",
                    best=order.index(best),
                    worst=order.index(3),
                )
            )
        lists[who] = mine
    read = read_campaign(campaign(tmp_path / "s", lists).study)
    (found,) = agreements(read, answers)
    assert (found.n_sets, found.n_overlapping, found.n_annotators) == (12, 12, 3)
    assert found.mode == "kappa"
    raw = (6 * 1 + 4 / 3 + 2 * 0) / 12
    assert found.best.raw == pytest.approx(raw)
    assert found.best.chance == 0.25
    assert found.best.beyond == pytest.approx((raw - 0.25) / 0.75)
    assert found.best.interval is not None
    assert found.best.beyond is not None
    assert found.best.interval.low < found.best.beyond < found.best.interval.high
    assert found.worst.raw == 1.0
    assert found.worst.interval is None
    assert "same value" in found.worst.why
    assert agreements(read, answers) == (found,)


def test_one_person_twice_is_no_agreement(tmp_path: Path) -> None:
    again = packet("2", *(option.text for option in reversed(packet("1").options)))
    lists = {"ann": [packet("1"), again]}
    read = read_campaign(campaign(tmp_path / "s", lists).study)
    answers = [Answer(seq=n, annotator="ann", packet=f"p-{n}", best=0, worst=1) for n in (1, 2)]
    (found,) = agreements(read, answers)
    assert (found.n_sets, found.n_overlapping) == (1, 0)
    assert found.mode == "no_kappa"
    assert found.best.raw is None
