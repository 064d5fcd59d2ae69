"""Model judges in a loss study: asked about blind packets, quoted, resumed, never asked twice."""

import json
import re
import shutil
from pathlib import Path

import duckdb
import pytest

from equipoise.archive.manifest import Document
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.event import Rating
from equipoise.records.grade import How
from equipoise.records.judgement import ReadState
from equipoise.records.notice import Notice
from equipoise.studies.loss.scoring import open_run, score_run
from studies.loss.executed import archive_of, grades, trials
from studies.loss.judged import NOTHING, ask, judge, judged_archive, judged_study, judgements
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
    assert all(grade.is_simulated for grade in given.values())
    assert all(one.is_simulated for one in grades(study, "release-2", "v1:loss").values())
    assert not any(o.is_simulated for o in grades(study, "release-2", "v1:wrong_amount").values())
    for trial in trials(study, "release-2"):
        if trial.id in lost:
            (place,) = given[trial.id].evidence
            assert place.quote == NOTHING
    assert all(grade.value == 0.0 for grade in grades(study, "release-1", "v1:tone_off").values())


@pytest.mark.requirement("PIL-33")
def test_until_held_against_people_a_judge_is_soft_and_not_validated(study: Path) -> None:
    for arm in ("release-1", "release-2"):
        told = [n.message for n in archive_of(study, arm).read(Notice)]
        assert any(m.startswith("[soft] judge reader is not validated") for m in told)
        assert "[simulated] judges are stand-ins: what they say shows nothing" in told


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


def test_what_rests_on_stand_ins_is_simulated_in_every_file(study: Path) -> None:
    told = equipoise("compare", study, code=None).stdout
    (folder,) = (study / "comparisons").iterdir()
    found = json.loads(folder.joinpath("regressions.json").read_bytes())
    assert {"simulated", "soft"} <= set(found["tags"])
    assert "[simulated]" in told
    for name in ("TOP-REGRESSIONS.md", "report/index.html", "report/junit.xml"):
        assert "simulated" in folder.joinpath(name).read_text()
    page = folder.joinpath("report/index.html").read_text()
    flat = [row for row in found["rows"] if row.get("se_delta") == 0.0]
    assert ("guarded alone: no spread was seen" in page) == bool(flat)
    assert re.search(r">([+−-]?\d\.\d+) to \1<", page) is None
    suites = list(study.glob("archive/*/suites/*/suite.json"))
    assert [json.loads(path.read_bytes())["is_simulated"] for path in suites] == [True, True]
    assert equipoise("verify", study).stdout


def test_nothing_is_asked_twice(study: Path) -> None:
    before = judged_archive(study).head
    told = ask(study)
    assert judged_archive(study).head == before
    assert {one.n_new for one in told["release-1"].judged.told.values()} == {0}


def test_verify_reads_each_verdict_again_from_its_answer(study: Path) -> None:
    told = equipoise("verify", study).stdout
    assert told.count("34 verdicts follow from the answers kept") == 2


@pytest.mark.requirement("E2E-29")
def test_e2e_29_a_judge_that_flips_at_random_widens_the_error_of_its_category(
    tmp_path: Path,
) -> None:
    spreads = {}
    for name, accuracy in (("steady", 1.0), ("flips", 0.5)):
        made = judged_study(
            tmp_path / name,
            judge("one", finds="nothing there"),
            judge("two", finds="nothing there", accuracy=accuracy),
            double_rating="1",
        )
        ask(made)
        with duckdb.connect() as con:
            run = open_run(archive_of(made, "release-1").path, made)
            found = score_run(con, run, "v1").suite.partitions
        assert all(one.by_category_stats is not None for one in found)
        spreads[name] = [
            (stats.stddev_between or 0.0, stats.se or 0.0)
            for stats in (one.by_category_stats["tone_off"] for one in found)
        ]
    for steady, flips in zip(spreads["steady"], spreads["flips"], strict=True):
        assert steady == (0.0, 0.0)
        assert min(flips) > 0.1


@pytest.mark.requirement("ABX-35")
def test_another_judge_within_a_study_is_refused(study: Path, tmp_path: Path) -> None:
    copy = tmp_path / "study"
    shutil.copytree(study, copy)
    draft = copy / "study.yaml"
    draft.write_text(draft.read_text().replace("gpt-5-mini-2025-08-07", "gpt-5-2025-08-07"))
    assert "study.yaml was changed after sealing" in equipoise("grade", copy, code=1).stderr
    assert {one.model_asked for one in judgements(study)} == {"gpt-5-mini-2025-08-07"}


@pytest.mark.requirement("X-A10")
def test_judgements_are_records_apart_and_change_nothing_of_the_runs(tmp_path: Path) -> None:
    made = judged_study(tmp_path / "study")
    path = archive_of(made, "release-2").path
    before = {name: path.joinpath(name).read_bytes() for name in ("trials.jsonl", "events.jsonl")}
    ask(made)
    assert {name: path.joinpath(name).read_bytes() for name in before} == before
    joined = list(archive_of(made, "release-2").read(Rating))
    assert {one.rater for one in joined} == {"judge:reader", "judge:reader#2"}
    assert {one.source.partition(":")[0] for one in joined} == {
        f"judgements/{path.name}/judgements.jsonl"
    }
