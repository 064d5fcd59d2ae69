"""Writes the study's folder: the plan's draft, the units, the catalogs, the program, its store."""

import json
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from string import Template

from equipoise.examples.helpdesk import service
from equipoise.examples.helpdesk.drive import workload
from equipoise.examples.helpdesk.service import store
from equipoise.examples.helpdesk.study.units import lines

UNITS = 800
"""Conversations from which the plan draws; with fewer, some partitions are too small to decide."""

_HERE = Path(__file__).parent
_MARKER = "example.json"


class Occupied(Exception):
    """The folder holds something else than this study."""


def write_study(folder: Path, *, seed: int = 7, units: int = UNITS) -> bool:
    """Writes the study into a new folder, whole or not at all; leaves alone one that stands there.

    Args:
        folder: is made; the folders above it as well.
        seed: of the workload and of the plan.
        units: conversations in the units file.

    Returns:
        Whether it was written now; false where this very study stands there already.

    Raises:
        Occupied: something else stands there.
    """
    about = {"example": "helpdesk", "seed": seed, "units": units}
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        found = _read(folder / _MARKER)
        if found != about:
            raise Occupied(
                f"{folder} holds {_named(found)}; wanted: a new folder, or one with the study of"
                f" seed {seed} and {units} conversations; mend: name another folder"
            )
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".study-", dir=folder.parent) as place:
        made = Path(place) / "study"
        _write(made, seed=seed, units=units)
        _write_text(made / _MARKER, [json.dumps(about)])
        made.rename(folder)
    return True


def _write(folder: Path, *, seed: int, units: int) -> None:
    cases = workload.build_mixed(seed, units)
    for name in ("state", "logs", "catalogs"):
        folder.joinpath(name).mkdir(parents=True)
    draft = Template(_HERE.joinpath("study.yaml").read_text(encoding="utf-8"))
    _write_text(folder / "study.yaml", draft.substitute(seed=seed).splitlines())
    _write_text(folder / "units.jsonl", lines(cases))
    for catalog in sorted(_HERE.joinpath("catalogs").glob("*.json")):
        shutil.copyfile(catalog, folder / "catalogs" / catalog.name)
    store.create(folder / "state" / "helpdesk.sqlite", [case.customer for case in cases])
    _copy_program(folder / "helpdesk")


def _copy_program(program: Path) -> None:
    """Puts the service's source beside the study: what is run can be read, and needs no install."""
    package = Path(service.__file__).parent
    inside = program / "equipoise" / "examples" / "helpdesk"
    shutil.copytree(package, inside / "service", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(package.parent / "chance.py", inside / "chance.py")
    for place in (inside, inside.parent, inside.parent.parent):
        _write_text(place / "__init__.py", ['"""The help desk, copied beside its study."""'])
    _write_text(
        program / "__main__.py",
        [
            '"""Starts the help desk."""',
            "",
            "import sys",
            "",
            "from equipoise.examples.helpdesk.service.__main__ import main",
            "",
            "sys.exit(main())",
        ],
    )


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _named(found: object) -> str:
    if isinstance(found, dict) and found.get("example") == "helpdesk":
        return f"the study of seed {found.get('seed')} and {found.get('units')} conversations"
    return "something else"


def _write_text(path: Path, texts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(text + "\n" for text in texts)
