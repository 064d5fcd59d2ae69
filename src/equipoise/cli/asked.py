"""What the user asked `compare` for, read from the options of the command line."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.records.terms import Pairing, Rule

_OPTIONS = (
    *("sources", "out", "baseline", "arms", "mapping", "settings", "unit", "cluster", "no_cluster"),
    *(
        "criterion",
        "partition",
        "where",
        "pair",
        "margin",
        "equivalence",
        "rule",
        "level",
        "max_missing",
        "family_size",
        "mixed_versions",
        "strict",
        "as_json",
    ),
)


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
        options = dict.fromkeys(_OPTIONS) | options
        settings = pairs(options["settings"] or (), "--set")
        settings |= {k: options[k] for k in ("unit", "cluster") if options[k]}
        terms = {
            "partitions": tuple(options["partition"] or ()) or None,
            "where": pairs(options["where"] or (), "--where") or None,
            "pairing": {None: None, True: Pairing.PAIRED, False: Pairing.UNPAIRED}[options["pair"]],
            "margin": _within(options, "margin", 0.0, 1.0),
            "equivalence": _within(options, "equivalence", 1e-9, 1.0),
            "rule": Rule(options["rule"]) if options["rule"] else None,
            "level": _within(options, "level", 0.5, 0.999999),
            "max_missing": _within(options, "max_missing", 0.0, 1.0),
            "family_size": options["family_size"],
            "mixed_versions": True if options["mixed_versions"] else None,
            "use_clusters": False if options["no_cluster"] else None,
        }
        return cls(
            sources=options["sources"],
            out=options["out"],
            baseline=options["baseline"],
            arms=options["arms"] or (),
            mapping=options["mapping"],
            settings=settings,
            criterion=options["criterion"],
            terms={name: value for name, value in terms.items() if value is not None},
            is_strict=bool(options["strict"]),
            as_json=bool(options["as_json"]),
        )


def pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    """Gives key -> value of an option that may be repeated.

    Raises:
        InputError: one is not of the form KEY=VALUE.
    """
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
