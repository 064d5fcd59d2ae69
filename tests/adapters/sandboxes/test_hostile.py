"""A hostile agent gets nothing under bubblewrap, and each of its attempts is recorded."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from adapters.sandboxes.besieged import BOUNDS, Besieged, besieged
from adapters.sandboxes.cells import needs_bubblewrap
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.examples.hostile.__main__ import ENDING, LASTING
from equipoise.ports.agents import Ended, HowEnded, Job

_ALONE = {"take_all_memory", "bomb_with_forks"}
"""Attempts that end their agent where no control group bounds it."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Besieged]:
    with besieged(tmp_path) as made:
        yield made


def _ran(job: Job) -> Ended:
    sandbox = Bubblewrap()
    ended = anyio.run(sandbox.run, job)
    sandbox.close()
    return ended


def _told(ended: Ended) -> dict[str, dict[str, object]]:
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    return {line.pop("attempt"): line for line in lines}


@needs_bubblewrap
@pytest.mark.requirement("OUT-27")
@pytest.mark.requirement("OUT-50")
@pytest.mark.requirement("E2E-21")
def test_no_attempt_succeeds_and_each_is_recorded(world: Besieged) -> None:
    attempts = [name for name in LASTING if name not in _ALONE]
    ended = _ran(world.job(*attempts))
    assert (ended.how, ended.exit_code) == (HowEnded.EXITED, 0), ended
    told = _told(ended)
    assert list(told) == attempts
    assert {name: line["evidence"] for name, line in told.items() if line["succeeded"]} == {}
    assert world.reached() == []
    assert "\x1b" not in ended.detail
    assert b"\x1b]0;owned" in ended.stderr  # kept as it is: whoever shows it has to escape it
    assert len(told) + len(_ALONE) + len(ENDING) >= 50
    beat = world.workspace.joinpath("beat").read_text()
    time.sleep(0.1)
    assert world.workspace.joinpath("beat").read_text() == beat


@needs_bubblewrap
@pytest.mark.parametrize("attempt", sorted(_ALONE))
def test_what_one_agent_takes_is_bounded(world: Besieged, attempt: str) -> None:
    ended = _ran(world.job(attempt))
    bound = {"take_all_memory": "memory_bytes", "bomb_with_forks": "n_processes"}[attempt]
    if ended.exceeded:
        assert ended.exceeded == bound
    elif bound not in ended.unbounded or os.geteuid() == 0:
        told = _told(ended)
        assert not told or not told[attempt]["succeeded"], told
    assert world.reached() == []


_EXCEEDED = {
    "write_endless_output": {"output_bytes"},
    "never_end": {"wall_s"},
    "burn_the_processor": {"cpu_s"},
    "fill_the_disk_with_many_files": {"disk_bytes"},
    "fill_the_disk_without_names": {"disk_bytes"},
    "use_up_inodes": {"n_files"},
    "bury_itself_in_folders": {"path_length"},
    "kill_everything_it_sees": {""},
}


@needs_bubblewrap
@pytest.mark.parametrize("attempt", list(ENDING))
def test_what_does_not_end_by_itself_is_ended(world: Besieged, attempt: str) -> None:
    bounds = replace(BOUNDS, cpu_s=1.0) if attempt == "burn_the_processor" else BOUNDS
    if attempt == "never_end":
        bounds = replace(BOUNDS, wall_s=1.5)
    ended = _ran(world.job(attempt, bounds=bounds))
    assert ended.exceeded in _EXCEEDED[attempt], ended
    assert len(ended.stdout) + len(ended.stderr) <= BOUNDS.output_bytes
    assert world.reached() == []
    size = sum(path.lstat().st_blocks * 512 for path in world.workspace.iterdir())
    assert size < 20 * BOUNDS.disk_bytes


@needs_bubblewrap
def test_the_same_attempts_succeed_where_nothing_is_hidden(world: Besieged) -> None:
    harmless = [
        *("read_hidden_tests", "read_a_file_of_the_host", "read_another_cell"),
        *("read_a_git_object_outside", "read_through_a_symbolic_link", "make_a_hard_link"),
        *("borrow_git_objects", "leave_through_dots", "watch_files_of_the_host"),
        *("see_other_processes", "read_the_environment_of_others", "trace_the_run"),
        *("read_the_memory_of_the_run", "learn_the_hosts_name", "share_memory"),
        *("connect_over_tcp", "connect_to_an_abstract_socket", "connect_to_a_socket_of_the_host"),
        *("see_connections_of_the_host", "read_keys_in_its_environment", "stop_the_run"),
    ]
    sandbox = PlainProcess()
    ended = anyio.run(sandbox.run, world.job(*harmless, is_apart=False))
    sandbox.close()
    failed = {name: line for name, line in _told(ended).items() if not line["succeeded"]}
    assert set(failed) <= {"trace_the_run"}, failed  # forbidden to some by Yama
    assert len(world.reached()) >= 3
