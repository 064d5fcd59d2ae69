"""How fast an archive takes trials durably, verifies them and derives their columns.

Run it by hand: ``python benchmarks/bench_archive.py [N_TRIALS]``. Wanted: at least 20,000 durable
trials a second, synced every 512. What a sync costs is the disk's: with one every 64 a busy disk
takes about half as many.
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from equipoise.archive.manifest import Manifest
from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.grade import Grade
from equipoise.records.trial import Trial, Usage, trial_id

BATCH = 512


def main(n_trials: int) -> None:
    trials = [_trial(number) for number in range(n_trials)]
    with TemporaryDirectory(dir=Path.cwd()) as folder:
        path = Path(folder, "archive")
        archive = Archive.create(path, Manifest(run_id="bench", kind="import", tool_version="0"))
        start = time.perf_counter()
        for number, trial in enumerate(trials, start=1):
            archive.append(trial)
            if number % BATCH == 0:
                archive.sync()
        archive.commit()
        _say(f"durable append of trials, synced every {BATCH}", n_trials, start)
        start = time.perf_counter()
        for number, trial in enumerate(trials):
            archive.append(Grade(trial=trial.id, value=number % 2))
        archive.close()
        _say("append of grades, synced by the megabyte", n_trials, start)
        start = time.perf_counter()
        Archive.open(path).columns()
        _say("verify lines and derive columns", n_trials, start)
        start = time.perf_counter()
        faults = verify_archive(path)
        _say("verify everything", n_trials, start)
        print(f"{len(faults)} faults")


def _trial(number: int) -> Trial:
    unit = f"task-{number // 4}"
    return Trial(
        id=trial_id(unit, "base", "model-x", number % 4 + 1, 1),
        unit=unit,
        arm="base",
        model="model-x",
        repetition=number % 4 + 1,
        labels={"intent": f"intent-{number % 7}", "language": f"language-{number % 3}"},
        usage=Usage(input_tokens=1200 + number % 100, output_tokens=300, convention="extra"),
        cost_usd=0.0125,
        duration_ms=18_250.5,
        source=f"runs.jsonl:{number + 1}",
    )


def _say(what: str, n: int, start: float) -> None:
    seconds = time.perf_counter() - start
    print(f"{what}: {n:,} in {seconds:.2f} s = {n / seconds:,.0f} a second")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
