"""A hostile agent gains nothing: each of thirty attempts fails, or is told with its place."""

import os
from pathlib import Path

import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.conduct import Conduct, Conducted
from equipoise.records.grade import Grade
from equipoise.records.trial import EndingKind, Trial
from equipoise.studies.outcome.conducting import conducts
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.escapes import ATTEMPTS
from studies.outcome.outcome_studies import FIX, graded, made, scripted

pytestmark = [NEEDS_BWRAP, pytest.mark.slow]
_ESCAPED = [Path("/tmp/equipoise-escaped"), Path("/etc/equipoise-escaped")]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with an attempt in each repetition of its only cell, run and graded."""
    cases = [
        {"when": {"repetition": str(number)}, "do": attempt.do}
        for number, attempt in enumerate(ATTEMPTS.values(), start=1)
    ]
    return graded(
        made(
            tmp_path_factory.mktemp("escapes"),
            [scripted("hostile", {"cases": cases})],
            scenarios=[FIX],
            repetitions=str(len(ATTEMPTS)),
            budget={"cell_timeout_s": "60"},
        )
    )


@pytest.fixture(scope="module")
def archive(study: Path) -> Archive:
    (path,) = study.glob("archive/hostile-*")
    return Archive.open(path)


@pytest.mark.requirement("OUT-27")
@pytest.mark.requirement("OUT-50")
def test_no_attempt_passes_a_hidden_test(archive: Archive) -> None:
    grades = [one for one in archive.read(Grade) if one.criterion == "v1:hidden_explicit"]
    trials = list(archive.read(Trial))
    assert {one.repetition for one in trials} == set(range(1, len(ATTEMPTS) + 1))
    bad = [one.ending for one in trials if one.ending.kind is not EndingKind.COMPLETED]
    assert len(bad) <= 1, bad  # who takes all processes may take its own with them
    assert len(grades) == len(ATTEMPTS) - len(bad) >= 20
    gained = [one for one in grades if one.value is not None and one.value < 1.0]
    assert gained == []
    own = [one for one in archive.read(Grade) if one.criterion == "v1:regression"]
    ended = {one.id for one in trials if one.ending.kind is EndingKind.COMPLETED}
    assert [one for one in own if one.value is None and one.trial in ended] == []
    # where there is no value, the machine or the harness is named, and nothing counts as passed
    assert all(one.not_evaluable for one in grades if one.value is None)


@pytest.mark.requirement("OUT-50")
def test_each_attempt_that_left_a_trace_is_told(archive: Archive) -> None:
    found = {one.repetition: one for one in conducts(archive)}
    missed: dict[str, tuple[Conducted | None, Conduct]] = {}
    for number, (name, attempt) in enumerate(ATTEMPTS.items(), start=1):
        kinds = {one.kind for one in found[number].findings}
        if attempt.kind is not None and attempt.kind not in kinds:
            missed[name] = (attempt.kind, found[number])
    assert missed == {}
    placed = [one for each in found.values() for one in each.findings if one.place is not None]
    texts = {one.sha256: one for one in archive.read(Document)}
    for one in placed:
        assert one.place is not None
        content = b"".join(archive.blobs.chunks(texts[one.place.document].sha256))
        assert content[one.place.start : one.place.end] == one.place.quote.encode()


@pytest.mark.requirement("OUT-50")
def test_nothing_of_them_is_left_on_this_machine(study: Path, archive: Archive) -> None:
    assert archive.manifest.run is not None
    assert [path for path in _ESCAPED if path.exists()] == []
    assert not list(study.glob("archive/*/work/*"))
    marked = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and process.name != str(os.getpid()):
            try:
                line = process.joinpath("cmdline").read_bytes()
            except OSError:
                continue
            marked += [process.name] if b"tally/dates.py; sleep 1" in line else []
    assert marked == []
