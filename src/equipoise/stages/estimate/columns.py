"""What the estimating stage reads: one relation of trials per arm, and what it holds."""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import msgspec

from equipoise.errors import InputError, nearest
from equipoise.records.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmColumns:
    """The trials of one arm: a Parquet file, the arm's name in it, its name in the comparison."""

    name: str
    path: Path
    arm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What one Parquet file of trials holds: criteria and label keys, in sorted order."""

    criteria: tuple[str, ...]
    labels: tuple[str, ...]


class ArmFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of one arm that decide which reading of it is right."""

    n_trials: int
    max_repetition: int
    max_attempt: int
    n_models: int
    has_clusters: bool
    n_simulated: int


def quoted(name: str) -> str:
    """Gives the name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Gives the text as a quoted SQL string."""
    return "'" + text.replace("'", "''") + "'"


def decimal(column: str) -> str:
    """Gives SQL for the column as a decimal of nine places; null where it is 10^15 or more."""
    return f"TRY_CAST({quoted(column)} AS DECIMAL(24,9))"


_RANGES = {
    "margin": (0.0, 1.0),
    "equivalence": (1e-9, 1.0),
    "level": (0.5, 0.999999),
    "max_missing": (0.0, 1.0),
    "seed": (0, 2**63),
}


def _check_ranges(terms: Terms) -> None:
    for name, (least, most) in _RANGES.items():
        value = getattr(terms, name)
        if not least <= value <= most:
            raise InputError(
                f"the term {name} is {value!r}",
                wanted=f"a number from {least:g} to {most:g}",
                code="terms",
            )


def crossed(partition: str) -> list[str]:
    """Gives the label keys of a partition; ``intent*language`` crosses two of them."""
    return [part.strip() for part in partition.split("*")]


def partition_column(partition: str) -> str:
    """Gives SQL for the cell's name under a partition; null where a label is missing.

    In crossed cells a label's own ``×`` is doubled, so that two cells never share a name.
    """
    labels = [quoted(f"label:{part}") for part in crossed(partition)]
    if len(labels) == 1:
        return labels[0]
    return " || ' × ' || ".join(f"replace({label}, '×', '××')" for label in labels)


def held(con: duckdb.DuckDBPyConnection, path: Path) -> Held:
    """Lists the criteria and label keys that the Parquet file has columns for."""
    rows = con.execute(f"DESCRIBE SELECT * FROM read_parquet({literal(str(path))})").fetchall()
    names = [row[0] for row in rows]
    return Held(
        criteria=tuple(sorted(n.removeprefix("value:") for n in names if n.startswith("value:"))),
        labels=tuple(sorted(n.removeprefix("label:") for n in names if n.startswith("label:"))),
    )


def check_terms(terms: Terms, arms: dict[str, Held]) -> None:
    """Checks the ranges of the terms, and that each arm holds the criterion and labels they name.

    Raises:
        InputError: a term is out of its range, or a criterion or label key is not there; names the
            nearest valid one.
    """
    _check_ranges(terms)
    for name, columns in arms.items():
        if terms.criterion not in columns.criteria:
            raise InputError(
                f"arm {name!r} has no criterion {terms.criterion!r}",
                wanted=f"one of {', '.join(columns.criteria) or '(none)'}",
                mend=nearest(terms.criterion, list(columns.criteria)) or "choose with --criterion",
                code="unknown_criterion",
            )
        parts = [part for key in terms.partitions for part in crossed(key)]
        for key in (*parts, *terms.where):
            if key not in columns.labels:
                raise InputError(
                    f"the units of arm {name!r} have no label {key!r}",
                    wanted=f"one of {', '.join(columns.labels) or '(no labels were imported)'}",
                    mend=nearest(key, list(columns.labels))
                    or "name the label column in the mapping under 'labels' and import again",
                    code="unknown_label",
                )
