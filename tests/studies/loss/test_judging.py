"""Model judges in a loss study: asked about blind packets, quoted, resumed, never asked twice."""

import json
from pathlib import Path

import pytest

from equipoise.archive.manifest import Document
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.event import Rating
from equipoise.records.grade import How
from equipoise.records.judgement import ReadState
from studies.loss.executed import archive_of, grades, trials
from studies.loss.judged import NOTHING, judged_archive, judged_study, judgements
from studies.loss.runs import equipoise


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = judged_study(tmp_path_factory.mktemp("judged") / "study")
    told = equipoise("grade", made).stdout
    assert "judge reader: " in told
    assert "[soft] judge reader is not validated" in told
    return made


def test_judges_find_what_is_wrong_with_quotes_that_are_checked(study: Path) -> None:
    given = grades(study, "release-2", "v1:tone_off")
    lost = {t.id for t in trials(study, "release-2") if int(t.unit.rpartition("-")[2]) % 2 == 0}
    assert {trial for trial, grade in given.items() if grade.value} == lost
    assert {grade.how for grade in given.values()} == {How.SOFT}
    for trial in trials(study, "release-2"):
        if trial.id in lost:
            (place,) = given[trial.id].evidence
            assert place.quote == NOTHING
    assert all(grade.value == 0.0 for grade in grades(study, "release-1", "v1:tone_off").values())


def test_a_packet_names_no_arm_and_every_answer_is_kept_whole(study: Path) -> None:
    archive = judged_archive(study, "release-2")
    every = judgements(study, "release-2")
    assert {one.state for one in every} == {ReadState.READ}
    assert all(one.is_simulated and one.temperature == 0 for one in every)
    documents = {d.sha256: b"".join(archive.blobs.chunks(d.sha256)) for d in archive.read(Document)}
    assert {one.raw for one in every} == set(documents)
    for content in documents.values():
        for word in (b"release", b"tone_off", *(t.id.encode() for t in trials(study, "release-2"))):
            assert word not in content
    assert [fault for fault in verify_archive(archive.path) if not fault.is_note] == []


@pytest.mark.requirement("E2E-28")
def test_a_fifth_of_the_units_is_judged_twice_and_nothing_more(study: Path) -> None:
    for arm in ("release-1", "release-2"):
        held = trials(study, arm)
        twice = {r.trial for r in archive_of(study, arm).read(Rating) if r.rater.endswith("#2")}
        units = {t.unit for t in held if t.id in twice}
        assert len(units) == -(-len({t.unit for t in held}) // 5)


def test_nothing_is_asked_twice(study: Path) -> None:
    before = judged_archive(study).head
    told = json.loads(equipoise("grade", study, "--json").stdout)
    assert judged_archive(study).head == before
    assert {asked["n_new"] for asked in told["judges"]["asked"].values()} == {0}
