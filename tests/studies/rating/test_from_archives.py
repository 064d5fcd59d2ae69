"""A rating study begins with what the arms of other studies gave."""

from pathlib import Path

from equipoise.archive.manifest import Manifest
from equipoise.archive.store import Archive
from equipoise.records.call import ModelCall
from equipoise.records.codec import encode
from equipoise.records.trial import Blob, Ending, EndingKind, Trial
from studies.rating.rating_commands import fine, lines_of, refused


def _archive(path: Path, arm: str, *, model: str | None = None) -> Path:
    """Three units: one answered at the second attempt, one by a model, one cut off."""
    manifest = Manifest(run_id=arm, kind="run", tool_version="1")
    with Archive.create(path, manifest) as archive:
        for unit, attempt, kind, text in (
            ("u1", 1, EndingKind.INFRASTRUCTURE_ERROR, "not this"),
            ("u1", 2, EndingKind.COMPLETED, f"the rain came over the hill at noon, says {arm[0]}"),
            ("u2", 1, EndingKind.COMPLETED, f"nobody at the mill looked up at all, says {arm[0]}"),
            ("u3", 1, EndingKind.TRUNCATED, "cut"),
        ):
            name = f"{unit}-{arm}-{attempt}"
            stored = archive.attach(f"{name}/output", [text.encode()])
            archive.append(
                Trial(
                    id=name,
                    unit=unit,
                    arm=arm,
                    attempt=attempt,
                    ending=Ending(kind=kind),
                    model=model,
                    cluster="book",
                    output=Blob(sha256=stored.sha256, n_bytes=stored.n_bytes, name=stored.name),
                )
            )
        call = ModelCall(
            trial=f"u2-{arm}-1", seq=1, api="openai-chat", model_asked="helper-1",
            request_sha256="0" * 64, at="", latency_ms=1.0, model_answered="helper-1-2026",
        )  # fmt: skip
        archive.attach(f"u2-{arm}-1/calls.jsonl", [encode(call) + b"\n"])
    return path


def test_outputs_come_with_their_models_and_what_is_missing_is_counted(tmp_path: Path) -> None:
    one = _archive(tmp_path / "study" / "archive" / "base-run", "base", model="model-a")
    other = _archive(tmp_path / "new-run", "newer")
    said = fine(
        "init", "rating", tmp_path / "rating", "--from", tmp_path / "study", "--from", other,
        "--lang", "en",
    )  # fmt: skip
    assert "4 outputs of base, newer" in said
    assert "left out: 2 trials (truncated)" in said
    lines = lines_of(tmp_path / "rating" / "outputs.jsonl")
    assert [(line["unit"], line["arm"], line.get("models")) for line in lines] == [
        ("u1", "base", ["model-a"]),
        ("u1", "newer", None),
        ("u2", "base", ["helper-1", "helper-1-2026", "model-a"]),
        ("u2", "newer", ["helper-1", "helper-1-2026"]),
    ]
    assert {line["text"].rpartition(" ")[2] for line in lines} == {"b", "n"}
    assert {(line["lang"], line["cluster"]) for line in lines} == {("en", "book")}
    assert "quality: 2 sets" in fine("plan", tmp_path / "rating")
    assert "already" in refused("init", "rating", tmp_path / "rating", "--from", one)


def test_what_gives_no_outputs_is_named(tmp_path: Path) -> None:
    one = _archive(tmp_path / "one", "base")
    again = _archive(tmp_path / "two", "base")
    new = tmp_path / "rating"
    assert "arm 'base' is in" in refused("init", "rating", new, "--from", one, "--from", again)
    assert "no archive, and no study" in refused("init", "rating", new, "--from", tmp_path)
    assert "no output in" in refused("init", "rating", new, "--from", one, "--repetition", "3")
    assert "init rating" in refused("init", "loss", new, "--from", one)
    assert not new.exists()
