"""Every verb, option and exit code is documented, and the page says what the program does."""

import inspect

import click

import equipoise.errors
from equipoise.errors import EquipoiseError
from every import for_every
from house.command_page import page, verbs
from house.documents import ROOT

_REFERENCE = ROOT / "docs" / "reference"
_OPTIONS = [
    (verb, option)
    for verb, command in verbs().items()
    for option in command.params
    if isinstance(option, click.Option)
]
_ERRORS = [
    kind
    for _, kind in inspect.getmembers(equipoise.errors, inspect.isclass)
    if issubclass(kind, EquipoiseError)
]


def test_the_page_is_what_the_program_says() -> None:
    written = _REFERENCE.joinpath("cli.md").read_text(encoding="utf-8")
    assert written == page(), "write it anew: make pages"


@for_every("verb, option", _OPTIONS, ids=lambda part: getattr(part, "name", part))
def test_every_option_says_what_it_does(verb: str, option: click.Option) -> None:
    assert option.help, f"equipoise {verb} {option.opts[0]} has no help"


@for_every("verb", verbs())
def test_every_verb_is_called_by_a_test(verb: str) -> None:
    words = '", "'.join(verb.split())
    calls = (f'"{words}"', f"'{verb}'", f"equipoise {verb}")
    callers = [
        path.name
        for path in ROOT.joinpath("tests").rglob("test_*.py")
        if "house" not in path.parts and any(c in path.read_text("utf-8") for c in calls)
    ]
    assert callers, f"no test calls `equipoise {verb}`"


@for_every("kind", _ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_is_documented_with_its_exit_code(kind: type[EquipoiseError]) -> None:
    text = _REFERENCE.joinpath("exit-codes.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith(f"| `{kind.__name__}`")]
    assert len(rows) == 1, f"{kind.__name__} wants one row in exit-codes.md"
    assert f"| {kind.exit_code} |" in rows[0]
