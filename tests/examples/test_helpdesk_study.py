"""The study's folder is whole, runs by itself, and its chance depends on the request alone."""

import http.client
import json
import sqlite3
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from equipoise.examples.helpdesk.drive.driver import Drive, drive
from equipoise.examples.helpdesk.study.folder import Occupied, write_study
from examples.helpdesk_runs import rows_of

Unit = dict[str, Any]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "study"
    assert write_study(folder)
    return folder


def units_of(study: Path) -> list[Unit]:
    return [json.loads(line) for line in study.joinpath("units.jsonl").read_text().splitlines()]


@contextmanager
def serving(study: Path, release: int) -> Iterator[http.client.HTTPConnection]:
    """The copied program, started as the study says, without any of our paths."""
    arms = yaml.safe_load(study.joinpath("study.yaml").read_text())["arms"]
    words = arms[release - 1]["service"]["command"]
    process = subprocess.Popen(
        [sys.executable if word == "{python}" else word for word in words],
        cwd=study,
        env={},
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    link = http.client.HTTPConnection(
        "127.0.0.1", json.loads(process.stdout.readline())["port"], timeout=10
    )
    try:
        yield link
    finally:
        link.close()
        process.kill()
        process.communicate()


def asked(link: http.client.HTTPConnection, unit: Unit, trace: str, **more: Any) -> bytes | None:
    """The reply's bytes, or null where the worker fell over."""
    fields = {"conversation": f"{unit['id']}/1", "trace": trace, "seed": 5, "attempt": 1}
    link.request("POST", "/v1/messages", json.dumps(fields | unit["brief"] | more))
    try:
        return link.getresponse().read()
    except http.client.RemoteDisconnected:
        link.close()
        return None


def test_a_second_writing_changes_nothing_and_another_study_is_refused(study: Path) -> None:
    before = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}
    assert not write_study(study)
    assert {path: path.read_bytes() for path in study.rglob("*") if path.is_file()} == before
    with pytest.raises(Occupied, match=r"seed 7 and 800 conversations; wanted.*seed 8"):
        write_study(study, seed=8)
    with pytest.raises(Occupied, match="something else"):
        write_study(study.parent)


def test_two_writings_of_one_seed_are_the_same_bytes(study: Path, tmp_path: Path) -> None:
    write_study(tmp_path / "again")
    for path in study.rglob("*"):
        if path.suffix in {".yaml", ".json", ".jsonl"}:
            assert path.read_bytes() == (tmp_path / "again" / path.relative_to(study)).read_bytes()


def test_the_system_is_shown_nothing_that_is_expected(study: Path) -> None:
    arms = yaml.safe_load(study.joinpath("study.yaml").read_text())["arms"]
    for arm in arms:
        assert "expected" not in json.dumps(arm)
        assert "label" not in json.dumps(arm)
    for unit in units_of(study):
        assert set(unit["brief"]) == {"customer", "channel", "text"}


def test_the_units_are_as_many_per_intent_as_the_plan_says(study: Path) -> None:
    plan = yaml.safe_load(study.joinpath("study.yaml").read_text())
    counts = Counter(unit["labels"]["intent"] for unit in units_of(study))
    for partition in plan["partitions"]["of"]:
        assert counts[partition["labels"]["intent"]] == round(800 * partition["frequency"])
    german = sum(unit["labels"]["language"] == "de" for unit in units_of(study))
    assert 570 <= german <= 630


def test_the_planned_spreads_are_those_of_the_pilot_rounded_up(study: Path, tmp_path: Path) -> None:
    drive(
        Drive(release=1, out=tmp_path, seed=11, units=400, repetitions=3, own_dice=True, mixed=True)
    )
    losses: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows_of(tmp_path):
        if row["loss"] is not None:
            losses[row["intent"], row["unit"]].append(row["loss"])
    partitions = yaml.safe_load(study.joinpath("study.yaml").read_text())["partitions"]["of"]
    for partition in partitions:
        means = [statistics.mean(v) for k, v in losses.items() if k[0] in str(partition["labels"])]
        spread = statistics.stdev(means)
        assert spread <= partition["s"]
        assert partition["s"] == 0.15 or partition["s"] - spread <= 0.05


@pytest.mark.requirement("E2E-01")
def test_an_answer_depends_on_the_request_and_on_nothing_before_it(
    study: Path, tmp_path: Path
) -> None:
    write_study(tmp_path / "other", seed=7)
    units = units_of(study)[::4]
    answers: list[dict[str, bytes | None]] = []
    for folder, order in ((study, units), (tmp_path / "other", units[::-1])):
        with serving(folder, 2) as link:
            answers.append({unit["id"]: asked(link, unit, f"t-{unit['id']}") for unit in order})
    assert answers[0] == answers[1]
    assert len(set(answers[0].values())) > 100


def test_chance_falls_differently_by_seed_and_by_release(tmp_path: Path) -> None:
    write_study(tmp_path / "study")
    units = [u for u in units_of(tmp_path / "study") if u["labels"]["intent"] == "delivery"]
    said = []
    for release, seed in ((1, 5), (1, 6), (2, 5)):
        with serving(tmp_path / "study", release) as link:
            said.append(
                [asked(link, unit, f"{release}{seed}{unit['id']}", seed=seed) for unit in units]
            )
    for one, other in ((0, 1), (0, 2), (1, 2)):
        differing = sum(a != b for a, b in zip(said[one], said[other], strict=True))
        assert 5 <= differing <= len(units) // 4


def test_a_second_try_of_a_conversation_finds_what_the_first_has_done(tmp_path: Path) -> None:
    write_study(tmp_path / "study")
    unit = next(u for u in units_of(tmp_path / "study") if u["labels"]["intent"] == "refund")
    with serving(tmp_path / "study", 1) as link:
        assert asked(link, unit, "first") == asked(link, unit, "second", attempt=2)
    query = yaml.safe_load((tmp_path / "study" / "study.yaml").read_text())["probes"][1]["sql"]
    with sqlite3.connect(tmp_path / "study" / query["sqlite"]) as store:
        first = store.execute(query["query"], {"trial": "first"}).fetchall()
        second = store.execute(query["query"], {"trial": "second"}).fetchall()
    store.close()
    assert first == second
    assert len(first) == 1


def test_without_a_clock_the_journal_is_the_same_bytes_again(study: Path, tmp_path: Path) -> None:
    journals = []
    for name in ("one", "two"):
        write_study(tmp_path / name)
        with serving(tmp_path / name, 1) as link:
            for unit in units_of(study)[:40]:
                asked(link, unit, f"t-{unit['id']}")
        logs = sorted((tmp_path / name / "logs").iterdir())
        journals.append([path.read_bytes() for path in logs])
    assert journals[0] == journals[1]
    assert len(journals[0]) == 4
