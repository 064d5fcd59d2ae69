"""The verb `compare`: a baseline against one arm or more, from archives or from runs files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from equipoise.errors import InputError
from equipoise.records.terms import Pairing, Rule

_RULES = [rule.value for rule in Rule]


@click.command("compare")
@click.argument("sources", nargs=-1, required=True, metavar="BASE [NEW]...")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="folder for the result")
@click.option("--baseline", help="which arm is the baseline, where one source holds several")
@click.option("--arm", "arms", multiple=True, help="compare only this arm (repeatable)")
@click.option("--map", "mapping", type=click.Path(path_type=Path), help="mapping of runs files")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="one mapping entry")
@click.option("--unit", help="column that names the unit (short for --set unit=...)")
@click.option("--cluster", help="column that names what units share (--set cluster=...)")
@click.option(
    "--no-cluster", is_flag=True, help="take units for independent even if clusters exist"
)
@click.option("--criterion", help="which graded criterion decides")
@click.option("--partition", multiple=True, help="label whose values are compared apart")
@click.option("--where", multiple=True, metavar="LABEL=VALUE", help="only units with this label")
@click.option("--pair/--unpair", default=None, help="force or forbid pairing by unit id")
@click.option(
    "--margin", type=float, help="smallest change that counts (default 0; rule seed 0.05)"
)
@click.option("--equivalence", type=float, help="half-width of the equivalence band (default 0.05)")
@click.option("--rule", type=click.Choice(_RULES), help="multiplicity rule (default maxt)")
@click.option("--level", type=float, help="confidence level (default 0.95)")
@click.option("--max-missing", type=float, help="largest share without outcome (default 0.10)")
@click.option("--family-size", type=int, help="number of planned comparison cells")
@click.option("--strict", is_flag=True, help="exit 4 when nobody can tell")
@click.option("--json", "as_json", is_flag=True, help="print report.json")
def command(**options: Any) -> None:
    """Compare a baseline with one arm or more and say better, worse, equivalent or cannot tell.

    BASE and NEW are archives (see `import`) or files of runs; `PATH::ARM` picks one arm of a
    source that holds several. With one source, --baseline names the arm the others are compared
    with.
    """
    from equipoise.cli.comparing import run_compare

    raise SystemExit(run_compare(Asked.from_options(options)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user asked for, as typed; null = not said."""

    sources: tuple[str, ...]
    out: Path | None
    baseline: str | None
    arms: tuple[str, ...]
    mapping: Path | None
    settings: dict[str, str]
    criterion: str | None
    terms: dict[str, Any]
    is_strict: bool
    as_json: bool

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> "Asked":
        """Reads the options of the command line.

        Raises:
            InputError: an option is out of its range or not of the form KEY=VALUE.
        """
        settings = _pairs(options["settings"], "--set")
        settings |= {k: options[k] for k in ("unit", "cluster") if options[k]}
        terms = {
            "partitions": tuple(options["partition"]) or None,
            "where": _pairs(options["where"], "--where") or None,
            "pairing": {None: None, True: Pairing.PAIRED, False: Pairing.UNPAIRED}[options["pair"]],
            "margin": _within(options, "margin", 0.0, 1.0),
            "equivalence": _within(options, "equivalence", 1e-9, 1.0),
            "rule": Rule(options["rule"]) if options["rule"] else None,
            "level": _within(options, "level", 0.5, 0.999999),
            "max_missing": _within(options, "max_missing", 0.0, 1.0),
            "family_size": options["family_size"],
            "use_clusters": False if options["no_cluster"] else None,
        }
        return cls(
            sources=options["sources"],
            out=options["out"],
            baseline=options["baseline"],
            arms=options["arms"],
            mapping=options["mapping"],
            settings=settings,
            criterion=options["criterion"],
            terms={name: value for name, value in terms.items() if value is not None},
            is_strict=options["strict"],
            as_json=options["as_json"],
        )


def _pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(
                f"{option} {text!r}", wanted="KEY=VALUE", mend=f"write {option} {key or 'key'}=..."
            )
        found[key] = value
    return found


def _within(options: dict[str, Any], name: str, least: float, most: float) -> float | None:
    value: float | None = options[name]
    if value is not None and not least <= value <= most:
        raise InputError(
            f"--{name.replace('_', '-')} {value:g}", wanted=f"a number from {least:g} to {most:g}"
        )
    return value
