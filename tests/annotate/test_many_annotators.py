"""Fifty annotators at once, the server killed twenty times: nothing is lost or doubled.

The whole of it, ten minutes long: ``python -m benchmarks.bench_annotate``.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_SECONDS = 150
_WANTED_MS = 1_000
"""Four times what the benchmark wants: other tests run beside this one."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_nothing_is_lost_or_doubled(kind: str, request: pytest.FixtureRequest) -> None:
    where = []
    if kind == "postgres":
        cluster = request.getfixturevalue("cluster")
        where = ["--database", cluster.address(cluster.database())]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.bench_annotate"),
            *("--annotators", "50", "--kills", "20", "--seconds", str(_SECONDS), *where),
        ],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS + 300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["faults"] == []
    assert told["n_kept"] > 500
    assert told["n_sent_more_than_once"] > 20
    assert told["answer_p95_ms"] < _WANTED_MS
    print(done.stdout)  # noqa: T201  the figures, for who runs it with -s
