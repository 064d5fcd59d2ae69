"""What the documents tell a reader to type works, and prints what they say it prints."""

from pathlib import Path

import pytest

from house.documents import ROOT, blocks, documents
from house.followed import follow


def _named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


_HELD_ELSEWHERE = {
    "README.md": "tests/cli/test_init.py",
    "docs/reference/calc.md": "tests/cli/test_calc_reference.py",
    "docs/tutorial.md": "tests/cli/test_demo.py",
}
"""Documents that another test follows, to look at what comes of it too."""

_WHOLE_STUDIES = {
    "docs/how-to/any-agent.md",
    "docs/how-to/ci.md",
    "docs/how-to/from-your-logs.md",
    "docs/how-to/hidden-tests.md",
    "docs/how-to/judges.md",
    "docs/how-to/loss-study.md",
    "examples/helpdesk/README.md",
}
"""Documents that run studies as the tutorial does; `make test-slow` types them too."""

_RUN = [
    pytest.param(path, marks=[pytest.mark.slow] if _named(path) in _WHOLE_STUDIES else [])
    for path in documents()
    if _named(path) not in _HELD_ELSEWHERE
    and any(not block.not_run for block in blocks(path.read_text("utf-8")))
]


@pytest.mark.parametrize("path", _RUN, ids=_named)
def test_the_commands_of_a_document_run_as_written(path: Path, tmp_path: Path) -> None:
    follow(path, tmp_path)


@pytest.mark.parametrize("document", _HELD_ELSEWHERE)
def test_a_document_left_out_here_is_held_by_another_test(document: str) -> None:
    assert Path(document).name in ROOT.joinpath(_HELD_ELSEWHERE[document]).read_text("utf-8")
