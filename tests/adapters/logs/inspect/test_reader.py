import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from adapters.logs.eval_files import header, members, sample, write_eval
from adapters.logs.readings import Readings
from equipoise.adapters.logs.inspect.header import Header
from equipoise.adapters.logs.inspect.reader import InspectReader, open_log
from equipoise.adapters.logs.noticing import Noticer
from equipoise.errors import InputError, UnreadableSource
from equipoise.records.notice import Severity
from equipoise.records.trial import EndingKind, Usage
from equipoise.wiring import reader
from shared_data import shared

FOUR = [
    sample(1, epoch=1, value="C", metadata={"topic": "a"}),
    sample(1, epoch=2, value="I", metadata={"topic": "a"}),
    sample(2, epoch=1, value="P"),
    sample(2, epoch=2, value="N"),
]


def read(path: Path, **options: Any) -> Readings:
    return Readings(InspectReader().read(path, options))


def test_a_zstd_log_is_read_with_epochs_as_repetitions(tmp_path: Path) -> None:
    found = read(write_eval(tmp_path / "a.eval", members(FOUR)), labels=["topic"])
    assert [(t.unit, t.repetition, t.arm) for t in found.trials] == [
        ("1", 1, "m"),
        ("1", 2, "m"),
        ("2", 1, "m"),
        ("2", 2, "m"),
    ]
    assert [g.value for g in found.grades] == [1.0, 0.0, 0.5, 0.0]
    first = found.trials[0]
    assert first.labels == {"topic": "a"}
    assert first.duration_ms == 1500
    assert first.model_answered == "m-1"
    assert first.versions == {"inspect_ai": "0.3.1"}
    assert first.usage == Usage(input_tokens=60, output_tokens=1)
    assert [(h.metric, h.value) for h in found.headlines] == [("accuracy", 0.5)]
    assert [n for n in found.notices if n.severity is not Severity.INFO] == []


def test_the_json_form_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(header(FOUR) | {"samples": FOUR}))
    zipped = read(write_eval(tmp_path / "a.eval", members(FOUR)))
    plain = read(path)
    assert [t.id for t in plain.trials] == [t.id for t in zipped.trials]
    assert plain.values() == zipped.values()


def test_the_reader_is_wired_by_name() -> None:
    assert reader("inspect").name == "inspect"


def test_a_crashed_run_has_no_header_and_no_list_of_members(tmp_path: Path) -> None:
    parts = members(FOUR)
    del parts["header.json"]
    found = read(write_eval(tmp_path / "a.eval", parts, is_closed=False))
    assert len(found.trials) == 4
    assert {"zip_unfinished", "no_header", "not_finished"} <= set(found.codes)
    whole = (tmp_path / "a.eval").read_bytes()
    (tmp_path / "torn.eval").write_bytes(whole[:-20])
    assert len(read(tmp_path / "torn.eval").trials) == 3


@pytest.mark.requirement("A1")
@pytest.mark.requirement("A26")
def test_errors_and_missing_scores_are_no_failures(tmp_path: Path) -> None:
    samples = [
        sample("c", value="C"),
        sample("error", value=0, error={"message": "rate limit"}),
        sample("nan", value=float("nan")),
        sample("empty", scores={}),
        sample("none", scores=None),
        sample("out", value=7),
        sample("limit", value="I", limit={"type": "time", "limit": 60}),
        sample("context", value="I", limit={"type": "context"}),
    ]
    found = read(write_eval(tmp_path / "a.eval", members(samples)))
    endings = {t.unit: t.ending.kind for t in found.trials}
    values = {t.unit: found.values().get(t.id, "no grade") for t in found.trials}
    assert endings["error"] is EndingKind.HARNESS_ERROR
    assert values["error"] == "no grade"
    assert values["nan"] is values["empty"] is values["none"] is values["out"] is None
    assert endings["limit"] is EndingKind.BUDGET
    assert values["limit"] == 0
    assert endings["context"] is EndingKind.TRUNCATED
    assert found.codes["no_score"] == 2
    assert found.notice("bad_value").severity is Severity.REFUSED


@pytest.mark.requirement("A23")
def test_an_answer_cut_off_by_its_token_limit_is_truncated(tmp_path: Path) -> None:
    cut = sample(1, value="I", output={"choices": [{"stop_reason": "max_tokens"}]})
    found = read(write_eval(tmp_path / "a.eval", members([cut])))
    assert found.trials[0].ending.kind is EndingKind.TRUNCATED


@pytest.mark.requirement("A17")
@pytest.mark.parametrize(
    ("total", "convention", "inputs"), [(1101, "subset", 100), (2001, "extra", 1000)]
)
def test_the_total_tells_how_cached_tokens_are_counted(
    tmp_path: Path, total: int, convention: str, inputs: int
) -> None:
    usage = {
        "input_tokens": 1000,
        "input_tokens_cache_read": 900,
        "output_tokens": 101,
        "total_tokens": total,
    }
    found = read(
        write_eval(tmp_path / "a.eval", members([sample(1, model_usage={"m": usage})]))
    ).trials[0]
    assert found.usage == Usage(
        input_tokens=inputs, output_tokens=101, cache_read_tokens=900, convention=convention
    )


def test_a_log_that_holds_fewer_samples_than_it_declares_is_told(tmp_path: Path) -> None:
    parts = members(FOUR[:3], header(FOUR))
    assert read(write_eval(tmp_path / "a.eval", parts)).codes["samples_missing"] == 1


def test_several_scorers_are_criteria_of_their_own_or_one_is_chosen(tmp_path: Path) -> None:
    scores = {"match": {"value": "C"}, "style": {"value": {"tone": 0.5, "form": 1}}}
    path = write_eval(tmp_path / "a.eval", members([sample(1, scores=scores)]))
    assert {g.criterion for g in read(path).grades} == {"match", "style.tone", "style.form"}
    assert {g.criterion for g in read(path, scorer="match").grades} == {
        "outcome",
        "style.tone",
        "style.form",
    }


def test_names_that_lead_out_are_refused_and_nothing_is_extracted(tmp_path: Path) -> None:
    parts = members(FOUR) | {"../escaped.json": b"{}", "/etc/escaped.json": b"{}"}
    found = read(write_eval(tmp_path / "a.eval", parts))
    assert found.codes["zip_path"] == 2
    assert len(found.trials) == 4
    assert [p.name for p in tmp_path.rglob("*")] == ["a.eval"]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, 93])
def test_a_bomb_is_lost_and_the_rest_is_read(tmp_path: Path, method: int) -> None:
    bomb = b" " * (64 * 1024 * 1024)
    parts = members(FOUR)
    path = tmp_path / "a.eval"
    if method == 93:
        write_eval(path, parts | {"samples/bomb_epoch_1.json": bomb})
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in (parts | {"samples/bomb_epoch_1.json": bomb}).items():
                archive.writestr(name, content)
    found = read(path)
    assert found.codes["bad_member"] == 1
    assert len(found.trials) == 4


def test_damaged_members_are_lost(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", members(FOUR) | {"samples/x.json": b"{" * 50})
    content = bytearray(path.read_bytes())
    name = b"samples/1_epoch_1.json"
    content[content.index(name) + len(name) + 4] ^= 0xFF
    path.write_bytes(content)
    found = read(path)
    assert found.codes["bad_member"] == 2
    assert len(found.trials) == 3


def test_what_is_no_inspect_log_is_refused(tmp_path: Path) -> None:
    for name, content in [
        ("a.json", b'{"version": 1, "status": '),
        ("b.json", b'{"a": 1}'),
        ("c.eval", b"PK\x03\x04 torn"),
        ("d.eval", b""),
    ]:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UnreadableSource):
            read(path)


def test_unknown_options_name_the_nearest(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", members(FOUR))
    with pytest.raises(InputError, match="did you mean 'scorer'"):
        read(path, scorers="match")


def test_a_folder_of_logs_keeps_tasks_apart_and_survives_a_broken_one(tmp_path: Path) -> None:
    other = header(FOUR)
    other["eval"] = {"task": "other", "model": "m"}
    write_eval(tmp_path / "a.eval", members(FOUR))
    write_eval(tmp_path / "b.eval", members(FOUR, other))
    (tmp_path / "c.json").write_text('{"version": 1, "status": ')
    found = read(tmp_path)
    assert {t.unit for t in found.trials} == {"t/1", "t/2", "other/1", "other/2"}
    assert found.notice("unreadable_log").where == "c.json"


def pack() -> list[tuple[str, dict[str, Any]]]:
    expected = json.loads(shared("data", "inspect_logs", "expected.json").read_text())
    return [(check["id"], check["value"]) for check in expected["checks"]]


def test_every_real_log_says_what_it_holds() -> None:
    for name, value in pack():
        path = shared("data", "inspect_logs", name)
        if "unreadable" in value:
            with pytest.raises(UnreadableSource, match=name):
                read(path)
            continue
        head = open_log(path, Noticer()).header
        found = read(path)
        _check_head(name, head, value)
        scored = {g.trial for g in found.grades if g.value is not None}
        assert len(found.trials) == value["n_samples_in_file"], name
        assert len(scored) == value["samples_with_score"], name
        errors = [t for t in found.trials if t.ending.kind is EndingKind.HARNESS_ERROR]
        assert len(errors) == value["samples_with_error"], name
        letters = {"C": 1.0, "I": 0.0}
        values = [g.value for g in found.grades if g.value is not None]
        for shown, count in value["score_values"].items():
            assert values.count(letters.get(shown, float(shown) if shown[0].isdigit() else 0)) == (
                count
            ), name
        tokens = {h.metric: h.value for h in found.headlines if h.metric.startswith("total")}
        assert tokens == {f"total_tokens/{m}": n for m, n in value["total_tokens"].items()}, name


def _check_head(name: str, head: Header, value: dict[str, Any]) -> None:
    assert (head.version, head.status, head.task, head.model) == (
        value["version"],
        value["status"],
        value["task"],
        value["model"],
    ), name
    assert (head.n_total, head.n_completed) == (
        value["declared_total"],
        value["declared_completed"],
    ), name
    found = [[m.scorer, m.name, m.value] for m in head.metrics]
    assert len(found) == len(value["metrics"]), name
    for metric, wanted in zip(found, value["metrics"], strict=True):
        assert metric[:2] == wanted[:2], name
        assert metric[2] == (None if wanted[2] is None else pytest.approx(wanted[2], abs=1e-6))


def test_finished_does_not_mean_scored() -> None:
    folder = shared("data", "inspect_logs")
    unscored, scored = (read(p) for p in sorted(folder.glob("2025-02-11*.eval")))
    assert {g.value for g in unscored.grades} == {None}
    assert unscored.codes["no_score"] == 10
    assert sum(g.value or 0 for g in scored.grades) / len(scored.grades) == pytest.approx(0.8)
