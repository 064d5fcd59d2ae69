"""Whatever stands in a transcript, reading it ends, raises nothing and follows nothing."""

import json
import os
import subprocess
import sys
import tracemalloc
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.adapters.agents.transcripts import DOCUMENTS, FORMS, LINES, added_up, transcript
from equipoise.adapters.transcripts.classifying import classified
from equipoise.adapters.transcripts.files import Astray, Events, found_in, opened
from every import for_every

_KNOWN = """
type item payload message content name id usage input_tokens role assistant user tool_use
response_item event_msg item.completed item_completed command_execution function_call
token_count info total_token_usage result subtype is_error permission_denials modelUsage
turn.failed error task_complete last_agent_message message_end stopReason tokens cache
part step_finish reason stats status system init tools skills messages extra exit_status
trajectory_format mini-swe-agent-1 mini_version config model model_name tool_calls
function arguments history trajectory action model_stats tokens_sent timestamp developer
text
"""
WORDS = st.sampled_from(_KNOWN.split())
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)
EVENTS = st.dictionaries(WORDS, VALUES, max_size=6)


@given(events=st.lists(EVENTS, max_size=6), form=st.sampled_from(sorted(LINES)))
def test_any_events_are_added_up(events: list[dict[str, Any]], form: str) -> None:
    session = LINES[form]()
    for event in events:
        session.take(event)
    facts = session.facts()
    assert all(n >= 0 for n in facts.counts.values())
    classified(facts.signs)


@given(document=EVENTS | st.lists(EVENTS, max_size=3), form=st.sampled_from(sorted(DOCUMENTS)))
def test_any_document_is_read(document: Any, form: str) -> None:
    is_one, facts_of = DOCUMENTS[form]
    if is_one(document):
        classified(facts_of(document).signs)


@for_every("form", FORMS)
@for_every("content", [b"", b"\x00\xff" * 50, b"{", b"[" * 10_000, b"null\n7\n"])
def test_what_is_no_transcript_is_told(form: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(content)
    read = transcript(path, tmp_path, form)
    assert read.facts is None
    assert [sign.word for sign in read.signs] == ["no_transcript"]
    assert read.content == content


def test_a_link_a_pipe_a_folder_or_a_second_name_is_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    secret.joinpath("key").write_text("SECRET")
    cell = tmp_path / "cell"
    cell.mkdir()
    cell.joinpath("link").symlink_to(secret / "key")
    cell.joinpath("linked-folder").symlink_to(secret)
    os.link(secret / "key", cell / "second-name")
    os.mkfifo(cell / "pipe")
    cell.joinpath("folder").mkdir()
    for name in ("link", "linked-folder/key", "second-name", "pipe", "folder", "../secret/key"):
        with pytest.raises((Astray, OSError)):
            opened(cell / name, cell)
        read = transcript(cell / name, cell, "codex")
        assert read.content is None
        assert read.signs[0].word in {"tampered", "no_transcript"}
    assert transcript(cell / "absent", cell, "codex").signs[0].word == "no_transcript"
    assert not found_in(cell, ("key",)), "no folder behind a link is entered"


def test_a_line_without_end_is_passed_over_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b'{"type": "first"}\n')
        for _ in range(64):
            file.write(b"x" * 2**20)
        file.write(b'\n{"type": "last"}\n')
    tracemalloc.start()
    with opened(path, tmp_path) as found:
        events = Events()
        kinds = [event["type"] for event in events.of(found)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (kinds, events.n_bad, events.first_bad) == (["first", "last"], 1, 2)
    assert peak < 80 * 2**20


def lines_of(n_lines: int, begin: int = 0) -> bytes:
    def line(number: int) -> bytes:
        usage = {"input_tokens": 1, "output_tokens": 2}
        message = {"id": f"m{number}", "usage": usage, "content": []}
        return json.dumps({"type": "assistant", "message": message}).encode() + b"\n"

    return b"".join(map(line, range(begin, begin + n_lines)))


def test_memory_does_not_grow_with_the_lines() -> None:
    n_lines = 10_000
    file = BytesIO(lines_of(n_lines))
    tracemalloc.start()
    facts, n_bad = added_up(file, "claude-code")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert facts is not None
    assert facts.counts["messages"] == n_lines
    assert n_bad == 0
    assert peak < 8 * 2**20


READING = """
import sys
from pathlib import Path
from equipoise.adapters.agents.transcripts import transcript
read = transcript(Path(sys.argv[1]), Path(sys.argv[1]).parent, "claude-code")
print(read.facts.counts["messages"], read.n_left_out > 0, read.n_bad_lines)
status = Path("/proc/self/status").read_text()  # ru_maxrss has the parent's, from before exec
print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


@pytest.mark.slow
def test_a_transcript_of_a_million_lines_is_read_whole_and_kept_in_part(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        for number in range(0, 1_000_000, 10_000):
            file.write(lines_of(10_000, number))
    asked = [sys.executable, "-c", READING, str(path)]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    told, peak_mib = done.stdout.splitlines()
    assert told == "1000000 True 0"
    assert int(peak_mib) < 200
