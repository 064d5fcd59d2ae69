"""The certificate as a Markdown page."""

from collections import defaultdict
from dataclasses import dataclass

from benchmarks.certificate.points import Point

_ORDER = [
    ("single mean", "Coverage of the 95 % interval: one mean", "min"),
    ("paired", "Coverage of the 95 % interval: paired differences", "min"),
    ("independent arms", "Coverage of the 95 % interval: independent arms", "min"),
    ("clusters", "Coverage of the 95 % interval: clusters", "min"),
    ("clustered arms", "Coverage of the 95 % interval: clustered arms without pairs", "min"),
    ("grid mean", "Mean coverage over the grid", "all"),
    ("family-wise error", "Errors over a family of cells", "max"),
    ("power", "Power at the printed reportable change", "all"),
    ("units needed", "Units said to be needed", "all"),
    ("equivalence", "`equivalent` said at a true difference equal to the margin", "max"),
    ("A/A", "A/A worlds: 13 tasks, called different", "all"),
    ("A/A power", "The same worlds with an effect: power", "all"),
    ("outside the grid", "Outside the grid (no bound)", "all"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the page says of the run itself."""

    seed: int
    versions: str
    draws: str
    seconds: float


def page(points: list[Point], run: Run) -> str:
    """The whole page."""
    broken = [p for p in points if not p.is_kept]
    lines = [
        "# Coverage certificate",
        "",
        "Measured by `make certificate` with the shipped functions; not written by hand. Whoever",
        "runs it again with the same seed and versions gets the same numbers.",
        "",
        f"- seed {run.seed}; {run.versions}",
        f"- draws: {run.draws}",
        f"- {len(points)} measured numbers, {len(broken)} out of bounds",
        f"- result: **{'FAILED' if broken else 'passed'}**",
        "",
        "| requirement | bound | measured | result |",
        "|---|---|---|---|",
        *_requirements(points),
        "",
    ]
    for section, title, how in _ORDER:
        chosen = [p for p in points if p.section == section]
        if chosen:
            lines += [f"## {title}", "", *_TABLES[how](chosen), ""]
    if broken:
        lines += [
            "## Out of bounds",
            "",
            "| what | where | measured | bound |",
            "|---|---|---|---|",
        ]
        lines += [
            f"| {p.section}: {p.row} | {p.column} | {p.measured:.4f} | {p.bound} |" for p in broken
        ]
        lines += [""]
    return "\n".join(lines)


def _requirements(points: list[Point]) -> list[str]:
    lines = []
    for section, title, _ in _ORDER:
        chosen = [p for p in points if p.section == section and p.bound]
        if not chosen:
            continue
        low, high = (worst(p.measured for p in chosen) for worst in (min, max))
        kept = sum(p.is_kept for p in chosen)
        bounds = sorted({p.bound for p in chosen})
        bound = bounds[0] if len(bounds) == 1 else "see table"
        mark = "passed" if kept == len(chosen) else f"**failed at {len(chosen) - kept}**"
        lines.append(
            f"| {title} | {bound} | {low:.4f} to {high:.4f} over {len(chosen)} points | {mark} |"
        )
    return lines


def _all(points: list[Point]) -> list[str]:
    """Every number: one row per row name, one column per column name."""
    columns = list(dict.fromkeys(p.column for p in points))
    rows: dict[str, dict[str, Point]] = defaultdict(dict)
    for p in points:
        rows[p.row][p.column] = p
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name, found in rows.items():
        cells = []
        for column in columns:
            one = found.get(column)
            if one is None:
                cells.append("")
                continue
            note = f" ({one.note})" if one.note else ""
            cells.append(f"{_shown(one.measured)}{note}{'' if one.is_kept else ' ✗'}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _lowest(points: list[Point]) -> list[str]:
    """Per column the least and the mean, then the worst points by name."""
    by_column: dict[str, list[Point]] = defaultdict(list)
    for p in points:
        by_column[p.column].append(p)
    lines = ["| | points | least | mean | where the least |", "|---|---|---|---|---|"]
    for column, found in by_column.items():
        least = min(found, key=lambda p: p.measured)
        mean = sum(p.measured for p in found) / len(found)
        lines.append(
            f"| {column} | {len(found)} | {least.measured:.4f} | {mean:.4f} | {least.row} |"
        )
    by_row: dict[str, list[Point]] = defaultdict(list)
    for p in points:
        by_row[p.row].append(p)
    lines += ["", "Least per law:", "", "| law | least | at |", "|---|---|---|"]
    ranked = sorted(
        (min(f, key=lambda p: p.measured) for f in by_row.values()), key=lambda p: p.measured
    )
    lines += [f"| {p.row} | {p.measured:.4f} | {p.column} |" for p in ranked[:24]]
    return lines


def _highest(points: list[Point]) -> list[str]:
    """Per row the largest number and its place, worst first."""
    by_row: dict[tuple[str, str], list[Point]] = defaultdict(list)
    is_rule = points[0].section == "family-wise error"
    for p in points:
        by_row[(p.row.split(", k =")[0], p.column) if is_rule else (p.row, "")].append(p)
    lines = ["| | largest | at | points |", "|---|---|---|---|"]
    for (name, rule), found in by_row.items():
        worst = max(found, key=lambda p: p.measured)
        where = worst.row.removeprefix(name).strip(", ") if is_rule else worst.column
        mark = "" if all(p.is_kept for p in found) else " ✗"
        label = f"{name}: {rule}" if rule else name
        lines.append(f"| {label} | {worst.measured:.4f}{mark} | {where} | {len(found)} |")
    return lines


def _shown(value: float) -> str:
    return f"{value:.0f}" if value > 2 else f"{value:.4f}"


_TABLES = {"min": _lowest, "max": _highest, "all": _all}
