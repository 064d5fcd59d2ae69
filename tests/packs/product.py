"""Asks the product for what a pack expects: import, compare, calc; and holds the answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import yaml
from click.testing import CliRunner

from equipoise.cli import commands
from equipoise.cli.topics import compute, load_topics
from shared_data import shared

Answer = Callable[[], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one run of the command line gave back."""

    code: int
    out: str
    err: str


def run(*args: object) -> Told:
    """Runs the command line in this process; an exception that is no exit fails the test."""
    done = CliRunner().invoke(commands, [str(arg) for arg in args], catch_exceptions=False)
    return Told(code=done.exit_code, out=done.stdout, err=done.stderr)


def calc(topic: str, **given: Any) -> dict[str, Any]:
    """Gives what `equipoise calc TOPIC` gives."""
    value = compute(_topics(), topic, given)
    assert isinstance(value, dict)
    return value


@cache
def _topics() -> Any:
    return load_topics()


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """An archive the product made, and what `import` said of it."""

    path: Path
    summary: dict[str, Any]

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        """Asks the documented columns of the archive; `trials` is the table."""
        file = str(self.path / "columns" / "results.parquet")
        with duckdb.connect() as con:
            con.execute(f"CREATE VIEW trials AS FROM read_parquet('{file}')")
            return con.execute(query).fetchall()

    def one(self, query: str) -> Any:
        """Gives the first column of the only row."""
        ((value,),) = self.sql(query)
        return value

    def column(self, query: str) -> list[Any]:
        """Gives the first column of every row."""
        return [row[0] for row in self.sql(query)]


def import_table(source: Path, folder: Path, **mapping: Any) -> Archived:
    """Imports a table by a mapping file written as a user would."""
    folder.mkdir(parents=True, exist_ok=True)
    mapped = folder / "mapping.yaml"
    mapped.write_text(yaml.safe_dump(mapping, allow_unicode=True), encoding="utf-8")
    made = folder / "archive"
    done = run("import", "table", source, "--map", mapped, "-o", made, "--json")
    assert done.code == 0, done.err
    return Archived(path=made, summary=json.loads(done.out))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A comparison the product made: its files, what was printed, the exit code."""

    folder: Path
    told: Told
    estimates: dict[str, Any]
    verdicts: list[dict[str, Any]]
    file: dict[str, Any]

    def arm(self, name: str, cell: str = "") -> dict[str, Any]:
        """Gives the estimate of an arm, overall or in the cell with this value."""
        return _only(
            a for a in self.estimates["arms"] if a["arm"] == name and _value(a["cell"]) == cell
        )

    def comparison(self, cell: str = "", arm: str | None = None) -> dict[str, Any]:
        """Gives the comparison, overall or in a cell."""
        return _only(
            c
            for c in self.estimates["comparisons"]
            if _value(c["cell"]) == cell and arm in (None, c["arm"])
        )

    def verdict(self, cell: str = "", arm: str | None = None) -> dict[str, Any]:
        """Gives the verdict of that comparison."""
        wanted = self.comparison(cell, arm)["id"]
        return _only(v for v in self.verdicts if v["comparison"] == wanted)

    def resource(self, kind: str, arm: str | None = None) -> dict[str, Any]:
        """Gives the comparison of cost, tokens or time."""
        return _only(
            r for r in self.estimates["resources"] if r["kind"] == kind and arm in (None, r["arm"])
        )

    def notice(self, code: str) -> dict[str, Any]:
        """Gives the notice of this code."""
        return _only(n for n in self.estimates["notices"] if n["code"] == code)

    def cells(self) -> list[str]:
        """Lists the values of the partition cells compared."""
        return [_value(c["cell"]) for c in self.estimates["comparisons"] if c["cell"]["label"]]


def _value(cell: dict[str, str]) -> str:
    return cell["value"]


def _only(found: Any) -> dict[str, Any]:
    (one,) = found
    assert isinstance(one, dict)
    return one


def compare(folder: Path, *args: object) -> Compared:
    """Compares and reads back what was written; any documented exit code is fine."""
    told = run("compare", *args, "-o", folder)
    assert told.code in (0, 1, 4, 5), told.err or told.out
    read = {
        name: json.loads(folder.joinpath(f"{name}.json").read_text(encoding="utf-8"))
        for name in ("comparison", "estimates", "verdicts")
    }
    return Compared(
        folder=folder,
        told=told,
        estimates=read["estimates"],
        verdicts=read["verdicts"],
        file=read["comparison"],
    )


def expected(pack: str) -> dict[str, dict[str, Any]]:
    """Gives the checks of a pack by id; the module is skipped where the pack is absent."""
    path = shared("data", pack, "expected.json")
    checks = json.loads(path.read_text(encoding="utf-8"))["checks"]
    return {check["id"]: check for check in checks}


def trap_ids(pack: str) -> set[str]:
    """Gives the ids of the traps of a pack."""
    path = shared("data", pack, "expected.json")
    return {trap["id"] for trap in json.loads(path.read_text(encoding="utf-8"))["traps"]}


def hold(check: Mapping[str, Any], found: Any) -> None:
    """Holds an answer against a check: every number of it within the check's tolerance."""
    wrong = differences(found, check["value"], check["tol"], check["id"])
    assert not wrong, "\n".join(wrong[:12])


def differences(found: Any, wanted: Any, tol: float, at: str) -> list[str]:
    """Lists where two JSON values differ; a key that is not wanted may be there, none may lack."""
    if isinstance(wanted, dict) and isinstance(found, Mapping):
        return [
            line
            for key, value in wanted.items()
            for line in differences(found.get(key, "(absent)"), value, tol, f"{at}.{key}")
        ]
    if isinstance(wanted, list) and isinstance(found, list | tuple) and len(found) == len(wanted):
        return [
            line
            for i, (one, other) in enumerate(zip(found, wanted, strict=True))
            for line in differences(one, other, tol, f"{at}[{i}]")
        ]
    is_number = isinstance(wanted, int | float) and not isinstance(wanted, bool)
    if is_number and isinstance(found, int | float):
        is_near = abs(found - wanted) <= tol + 1e-12
        return [] if is_near else [f"{at}: {found!r}, wanted {wanted!r} within {tol:g}"]
    return [] if found == wanted else [f"{at}: {found!r}, wanted {wanted!r}"]
