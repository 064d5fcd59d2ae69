"""The verbs `import` and `verify`: what they print, their exit codes, any language, any locale."""

import json
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from typed import typed

ROWS = [
    {"unit": unit, "arm": arm, "outcome": n % 2, "intent": "退款"}
    for n, unit in enumerate(["каша", "ねこ", "🙂", "plain"])
    for arm in ("base", "new")
]
ASCII = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def run(folder: Path, *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command, typed in the folder."""
    with chdir(folder):
        told = typed(*args)
    return told.code, told.out, told.err


def run_apart(folder: Path, *args: str, env: dict[str, str]) -> tuple[int, str, str]:
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", *args],
        cwd=folder,
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path("src").resolve())} | env,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS]
    tmp_path.joinpath("runs.jsonl").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def test_import_names_archive_head_and_the_next_command(runs: Path) -> None:
    code, out, err = run(runs, "import", "table", "runs.jsonl", "--set", "labels.intent=intent")
    assert (code, err) == (0, "")
    (made,) = runs.joinpath("archives").iterdir()
    assert made.name.startswith("runs-")
    head = json.loads(made.joinpath("head.json").read_bytes())["head"]
    assert head in out
    assert out.splitlines()[-1] == (
        f"next: equipoise compare archives/{made.name}::base archives/{made.name}::new"
    )
    code, out, err = run(runs, "verify", str(made))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == f"verified: {made}, head {head}"


@pytest.mark.requirement("A18")
def test_import_and_verify_speak_utf8_under_an_ascii_locale(runs: Path) -> None:
    code, out, _ = run_apart(runs, "import", "table", "runs.jsonl", "-o", "a", "--json", env=ASCII)
    assert code == 0
    assert json.loads(out)["n_units"] == 4
    text = runs.joinpath("a", "trials.jsonl").read_text(encoding="utf-8")
    assert all(word in text for word in ("каша", "ねこ", "🙂"))
    assert run_apart(runs, "verify", "a", env=ASCII)[0] == 0


def test_the_summary_counts_what_was_refused_and_why(runs: Path) -> None:
    bad = [*ROWS, {"unit": "x", "arm": "new", "outcome": 7}, {"unit": "y", "arm": "new"}]
    lines = [json.dumps(row) + "\n" for row in bad]
    runs.joinpath("bad.jsonl").write_text("".join(lines) + "{broken\n", encoding="utf-8")
    code, out, _ = run(runs, "import", "table", "bad.jsonl", "-o", "a", "--json")
    assert code == 0
    summary = json.loads(out)
    assert summary["criteria"]["outcome"]["n_values"] == 8
    assert sum(summary["criteria"]["outcome"]["missing"].values()) == 2
    assert summary["n_notices"]["lost"] >= 1
    assert any("bad.jsonl:11" in notice.get("where", "") for notice in summary["notices"])


def test_verify_names_file_and_line_of_a_change(runs: Path) -> None:
    run(runs, "import", "table", "runs.jsonl", "-o", "a")
    file = runs / "a" / "grades.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"value":0', b'"value":1', 1))
    code, out, _ = run(runs, "verify", "a")
    assert code == 1
    assert "fault: grades.jsonl:1: the line was changed" in out
    assert out.splitlines()[-1].startswith("not verified: a: ")
    code, out, _ = run(runs, "verify", "a", "--json")
    assert (code, json.loads(out)["is_verified"]) == (1, False)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("verify", "."), "neither an archive nor a comparison"),
        (("verify", "nowhere"), "neither an archive nor a comparison"),
        (("import", "table", "nowhere.jsonl"), "does not exist"),
        (("import", "tabel", "runs.jsonl"), "did you mean 'table'?"),
        (("import", "table", "runs.jsonl", "--map", "nowhere.yaml"), "nowhere.yaml"),
        (("import", "table", "runs.jsonl", "--set", "unit"), "--set key=value"),
        (("import", "table", "runs.jsonl", "--set", "unti=unit"), "unti"),
        (("import", "junit", "runs.jsonl"), "runs.jsonl"),
    ],
)
def test_wrong_use_is_told_in_one_line_and_leaves_nothing(
    runs: Path, args: tuple[str, ...], said: str
) -> None:
    code, out, err = run(runs, *args)
    assert (code, out) == (2, "")
    assert err.startswith("equipoise: ")
    assert said in err
    archives = runs / "archives"
    assert not archives.exists() or list(archives.iterdir()) == []


def test_help_lists_the_formats(tmp_path: Path) -> None:
    _, out, _ = run(tmp_path, "import", "--help")
    assert all(name in out for name in ("table", "inspect", "promptfoo", "claude-code", "junit"))


@pytest.mark.requirement("A5")
def test_a_document_of_60_mb_is_imported_in_bounded_memory(tmp_path: Path) -> None:
    code = """
import hashlib, resource, sys
from pathlib import Path
from pipeline.made_runs import MadeReader, made_trial
from equipoise.pipeline.importing import import_runs
from equipoise.records.grade import Evidence, Grade
from equipoise.records.notice import Attachment

folder = Path(sys.argv[1])
quote = "the one line that matters"
line = b'{"role":"assistant","text":"' + b"0123456789" * 100 + b'"}\\n'
with (folder / "log.jsonl").open("wb") as file:
    for number in range(60_000):
        file.write(quote.encode() + b"\\n" if number == 50_000 else line)
n_bytes = (folder / "log.jsonl").stat().st_size
with (folder / "log.jsonl").open("rb") as file:
    sha256 = hashlib.file_digest(file, "sha256").hexdigest()
start = 50_000 * len(line)
evidence = Evidence(document=sha256, start=start, end=start + len(quote), quote=quote, line=50_001)
readings = [Attachment(name="log", sha256=sha256, n_bytes=n_bytes, path="log.jsonl")]
for number in range(50):
    trial = made_trial(f"u{number}")
    readings += [trial, Grade(trial=trial.id, value=1, evidence=(evidence,))]
small = MadeReader(readings=(made_trial("u"),))
import_runs(small, folder / "log.jsonl", folder / "small", {})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
summary = import_runs(MadeReader(readings=tuple(readings)), folder / "log.jsonl", folder / "a", {})
assert (summary.n_documents, summary.notices) == (1, ())
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    path = os.pathsep.join(str(Path(name).resolve()) for name in ("src", "tests"))
    env = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert int(done.stdout) < 40, "MB more than a small import"
