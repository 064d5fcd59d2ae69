"""Packets show what they must, and nothing of whose it is."""

import os
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.blind.keys import join, read_keys, write_keys
from equipoise.blind.packets import make_packet, mixed, packet_id, shown_arms
from equipoise.blind.private_files import study_secret
from equipoise.errors import InputError
from equipoise.records.answer import Answer, AnswerKind
from equipoise.records.codec import encode
from equipoise.records.judgement import Judgement, ReadState
from equipoise.records.packet import Asked, Doc, Packet, PacketKey
from equipoise.records.rating_plan import AxisPlan, Output, RatingSet

SECRET = b"0123456789abcdef0123456789abcdef"
SET = RatingSet(id="s1", axis="style", unit="u1", arms=("C0", "C1", "C2"))
AXIS = AxisPlan(
    name="style",
    ask="Which reads best?",
    shows=("source",),
    criteria=(Asked(id="flow", text="It flows."),),
)
OUTPUTS = {
    arm: Output(
        unit="u1",
        arm=arm,
        text=f"text {number}",
        lang="ru",
        prompt="Translate.",
        docs=(Doc(name="source", text="原文", lang="zh"), Doc(name="notes", text="private")),
        models=("grok-4.3",),
        trial=f"trial-{number}",
    )
    for number, arm in enumerate(SET.arms)
}


def _made(who: str = "ann", places: tuple[int, ...] = (2, 0, 1)) -> tuple[Packet, PacketKey]:
    return make_packet(SET, OUTPUTS, AXIS, places, who=who, secret=SECRET)


@pytest.mark.requirement("ABX-37")
@pytest.mark.requirement("X-A8")
def test_a_packet_holds_what_is_asked_about_what_and_nothing_else() -> None:
    packet, key = _made()
    assert [option.text for option in packet.options] == ["text 2", "text 0", "text 1"]
    assert packet.docs == (Doc(name="source", text="原文", lang="zh"),)
    assert packet.prompt == ""
    assert packet.criteria == AXIS.criteria
    assert (key.set, key.arms, key.trials) == (
        "s1", ("C2", "C0", "C1"), ("trial-2", "trial-0", "trial-1")
    )  # fmt: skip
    line = encode(packet).decode()
    for hidden in ("C0", "C1", "C2", "s1", "u1", "trial-", "grok", "ann", "private", "Translate"):
        assert hidden not in line


@pytest.mark.requirement("ABX-39")
def test_ids_say_nothing_and_the_same_secret_gives_them_again() -> None:
    assert _made() == _made()
    ids = {_made(who, places)[0].id for who in ("ann", "bob") for places in permutations(range(3))}
    assert len(ids) == 12
    again, key = make_packet(SET, OUTPUTS, AXIS, (0, 1, 2), who="j", repeat=2, secret=SECRET)
    assert again.id == packet_id(again, key, SECRET) != packet_id(again, key, SECRET[::-1])
    in_run_order = [
        make_packet(SET, OUTPUTS, AXIS, (0, 1, 2), who="j", repeat=n, secret=SECRET)[0].id
        for n in range(200)
    ]
    seen = mixed(in_run_order, SECRET)
    assert seen == mixed(reversed(in_run_order), SECRET)
    assert sorted(seen) == sorted(in_run_order)
    rank = [seen.index(name) for name in in_run_order]
    mean_step = sum(abs(a - b) for a, b in pairwise(rank)) / 199
    assert 50 < mean_step < 84  # 66.7 in an order drawn at random, 1 in the order of the run


def test_texts_that_are_the_same_go_in_once_and_planted_ones_go_first() -> None:
    same = RatingSet(
        id="s2", axis="style", unit="u1", arms=("C0", "C1", "C2"), same=(("C0", "C2"),),
        planted={"C1": "spoiled"},
    )  # fmt: skip
    assert shown_arms(same) == ("C0", "C1")
    packet, key = make_packet(same, OUTPUTS, AXIS, (1, 0), who="ann", secret=SECRET)
    assert [option.text for option in packet.options] == ["spoiled", "text 0"]
    assert key.trials == ("", "trial-0")


@pytest.mark.parametrize(
    ("places", "outputs", "code"),
    [
        ((0, 1), OUTPUTS, "places"),
        ((0, 1, 1), OUTPUTS, "places"),
        ((0, 1, 2), {"C0": OUTPUTS["C0"], "C1": OUTPUTS["C1"]}, "no_output"),
        ((0, 1, 2), OUTPUTS | {"C0": Output(unit="u2", arm="C0", text="x")}, "other_unit"),
        (
            (0, 1, 2),
            OUTPUTS
            | {"C0": Output(unit="u1", arm="C0", text="x", docs=(Doc(name="source", text="?"),))},
            "docs_differ",
        ),
    ],
)
def test_what_cannot_be_one_packet_is_refused(
    places: tuple[int, ...], outputs: dict[str, Output], code: str
) -> None:
    with pytest.raises(InputError) as caught:
        make_packet(SET, outputs, AXIS, places, who="ann", secret=SECRET)
    assert caught.value.code == code


@pytest.mark.requirement("ABX-40")
@pytest.mark.requirement("PIL-63")
def test_keys_lie_apart_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    key = _made()[1]
    path = tmp_path / "keys.jsonl"
    write_keys(path, [key])
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_keys(path) == (key,)
    assert [entry.name for entry in tmp_path.iterdir()] == ["keys.jsonl"]
    for mode in (0o640, 0o604, 0o620):
        path.chmod(mode)
        with pytest.raises(InputError) as caught:
            read_keys(path)
        assert caught.value.code == "not_private"
    with pytest.raises(InputError) as caught:
        write_keys(path, [key, key])
    assert caught.value.code == "key_twice"


def test_a_study_keeps_its_secret(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        secret = study_secret(tmp_path / "secret")
    finally:
        os.umask(before)
    assert study_secret(tmp_path / "secret") == secret != study_secret(tmp_path / "other")
    (tmp_path / "secret").write_text("short")
    with pytest.raises(InputError) as caught:
        study_secret(tmp_path / "secret")
    assert caught.value.code == "no_secret"


def _answer(seq: int, **fields: object) -> Answer:
    return Answer(seq=seq, annotator="ann", packet=_made()[0].id, **fields)  # type: ignore[arg-type]  # fields of the table


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"packet": "p-0"}, "unknown_packet"),
        ({"annotator": "bob"}, "other_rater"),
        ({"best": 3}, "no_such_place"),
        ({"worst": -1}, "no_such_place"),
        ({"best": 1, "worst": 1}, "best_equals_worst"),
        (None, "packets_missing"),
    ],
)
@pytest.mark.requirement("ABX-40")
def test_a_join_is_one_to_one_or_refused(fields: dict[str, object] | None, code: str) -> None:
    packet, key = _made()
    base = {"annotator": "ann", "packet": packet.id, "best": 0, "worst": 1}
    said = [] if fields is None else [Answer(seq=1, **(base | fields))]  # type: ignore[arg-type]  # fields of the table
    with pytest.raises(InputError) as caught:
        join(said, [key])
    assert caught.value.code == code


def _judgement(packet: str, state: ReadState, order: int = 0) -> Judgement:
    return Judgement(
        packet=packet, judge="ann", repeat=1, order=order, state=state, model_asked="m", at="",
        request="r", best=0,
    )  # fmt: skip


def test_a_packet_judged_twice_is_refused_but_not_one_that_was_asked_again() -> None:
    packet, key = _made()
    failed, read = (_judgement(packet.id, state) for state in (ReadState.FAILED, ReadState.READ))
    assert join([failed, read], [key]).pairs == ((read, key),)
    for said, code in (([read, read], "packet_twice"), ([read, failed], "packet_twice")):
        with pytest.raises(InputError) as caught:
            join(said, [key])
        assert caught.value.code == code
    with pytest.raises(InputError) as caught:
        join([_judgement(packet.id, ReadState.READ, order=1)], [key])
    assert caught.value.code == "other_repeat"


def test_what_was_undone_is_open_again_and_a_guess_is_no_answer() -> None:
    key = _made()[1]
    first, second = _answer(1, best=0, worst=1), _answer(2, best=1, worst=2)
    guess = Answer(seq=9, annotator="ann", packet="", kind=AnswerKind.GUESSED, guess="a machine")
    assert join([guess, second, first], [key]).pairs == ((second, key),)
    undone = _answer(3, kind=AnswerKind.UNDONE)
    none = join([undone, second, first], [key], is_complete=False)
    assert (none.pairs, none.missing) == ((), (key,))


@given(st.permutations(range(3)), st.sampled_from(["ann", "bob"]), st.integers(0, 2))
def test_blinding_and_unblinding_is_the_identity(places: list[int], who: str, best: int) -> None:
    packet, key = make_packet(SET, OUTPUTS, AXIS, tuple(places), who=who, secret=SECRET)
    answer = Answer(seq=1, annotator=who, packet=packet.id, best=best)
    ((said, joined),) = join([answer], [key]).pairs
    assert said.best is not None
    assert OUTPUTS[joined.arms[said.best]].text == packet.options[best].text
