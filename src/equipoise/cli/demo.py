"""``equipoise demo``: the built-in example as a study, from its plan to a verified comparison."""

import io
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import click

_OUT = Path("demo-out")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One command of the demo.

    `shows`: all that it prints is shown, else `about`, or its last line; `codes`: the exit codes
    that are fine.
    """

    words: tuple[str, ...]
    about: str
    shows: bool = False
    codes: tuple[int, ...] = (0,)


@click.command("demo")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=_OUT, help="Folder; default demo-out."
)
@click.option(
    "--units", type=click.IntRange(min=45), default=800, help="Conversations to draw from."
)
@click.option("--seed", type=int, default=7, help="Seed of the conversations and of the study.")
def command(out: Path, units: int, seed: int) -> None:
    """Plan, seal, run, grade, compare and verify a study of two releases of a small help desk.

    The help desk is a real program (HTTP, SQLite, several hops); its customers are invented.
    Release 2 answers some refunds wrongly and some invoice questions better; nothing else changed.
    The study is told none of this. Killed in the middle, the demo goes on where it stood when it is
    called again.

    Exit codes: 0 the study was decided and verified; 2 the folder holds something else; else that
    of the step that failed.
    """
    from equipoise.errors import InputError
    from equipoise.examples.helpdesk.study.folder import Occupied, write_study

    started = time.monotonic()
    try:
        is_new = write_study(out, seed=seed, units=units)
    except Occupied as wrong:
        raise InputError(str(wrong), code="exists") from wrong
    _say(f"{out}: the study {'is written' if is_new else 'stands there already; going on'}\n")
    for step in _steps(out):
        _take(step)
    pages = sorted(out.glob("comparisons/*/report/index.html"))
    _say(f"\ndone in {time.monotonic() - started:.0f} s")
    _say("what `harness` lists above is planted: the example's workers fall over now and then")
    for page in pages:
        is_newer = page.parent.parent.name.endswith("-v2")
        _say(f"open {page.resolve().as_uri()}" + ("  (by catalog v2)" if is_newer else ""))


def _steps(out: Path) -> Iterator[_Step]:
    study = str(out)
    newer = str(out / "catalogs" / "loss-catalog.v2.json")
    yield _Step(words=("plan", study), about="check the study, write what it promises")
    yield _Step(words=("seal", study), about="freeze the plan; nothing has been executed yet")
    yield _Step(words=("run", study), about="execute both releases, mode A, state put back")
    yield _Step(words=("grade", study), about="find what was lost, by catalog v1")
    yield _Step(words=("compare", study), about="", shows=True, codes=(0, 1))
    yield _Step(words=("grade", study, "--catalog", newer), about="the same runs by catalog v2")
    yield _Step(words=("compare", study, "--catalog", "v2"), about="compared again", codes=(0, 1))
    yield _Step(words=("verify", study), about="")


def _take(step: _Step) -> None:
    """Takes one step; ends the process with its exit code where that is not fine."""
    line = f"$ equipoise {' '.join(step.words)}"
    began = time.monotonic()
    _say(f"\n{line}" if step.shows else line)
    code, told = _called(step.words)
    about = step.about or told.strip().rpartition("\n")[2]
    if step.shows:
        _say(told)
    else:
        _say(f"    {about}: {time.monotonic() - began:.1f} s")
    if code not in step.codes:
        if not step.shows:
            _say(told)
        raise SystemExit(code)


def _called(words: tuple[str, ...]) -> tuple[int, str]:
    """Calls a verb as the command line does; gives its exit code and what it prints."""
    from equipoise.cli import commands

    kept = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="\n")
    with redirect_stdout(kept):
        try:
            code = commands.main(list(words), prog_name="equipoise", standalone_mode=False)
        except SystemExit as end:
            code = end.code
    kept.flush()
    told = kept.detach().getvalue().decode()
    return code if isinstance(code, int) else 0, told


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
