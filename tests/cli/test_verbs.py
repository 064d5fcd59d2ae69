"""The group of verbs: light at start, one line per known error, nearest names."""

import subprocess
import sys

import pytest


def _run(*args: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "equipoise", *args], input=given, capture_output=True, check=False
    )


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from equipoise.cli import main\n"
        "sys.argv = ['equipoise', '--help']\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert end.code == 0\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'pydantic', 'rich', 'msgspec', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "calc" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_version_needs_no_installed_package() -> None:
    assert _run("--version").stdout.startswith(b"equipoise, version 0.")


def test_unknown_verb_names_the_nearest() -> None:
    done = _run("clac")
    assert done.returncode == 2
    assert b"did you mean 'calc'?" in done.stderr


@pytest.mark.parametrize("args", [["calc", "power.nmin"], ["calc", "--input", "/no/file", "x"]])
def test_known_errors_are_one_line_without_traceback(args: list[str]) -> None:
    done = _run(*args)
    assert done.returncode == 2
    assert done.stderr.startswith(b"equipoise: ")
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr
