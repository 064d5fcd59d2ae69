"""What `compare` does: sources to arms, options to terms, and what is printed."""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from equipoise.archive.manifest import MANIFEST
from equipoise.archive.store import Archive
from equipoise.cli.asked import Asked
from equipoise.cli.told import told
from equipoise.errors import InputError, nearest
from equipoise.pipeline.comparing import COMPARISON, derive, new_comparison, sources_of, write
from equipoise.pipeline.importing import archive_runs
from equipoise.pipeline.options import read_options
from equipoise.pipeline.source import describe, run_id
from equipoise.records.codec import decode, identity_of
from equipoise.records.estimate import CellKey
from equipoise.records.result import ComparisonFile, Result
from equipoise.records.terms import Direction, Rule, Terms
from equipoise.records.verdict import Word
from equipoise.wiring import detect, reader

_PREFERRED = ("outcome", "loss")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """One arm of one archive that may be compared."""

    name: str
    archive: Path
    arm: str


def run_compare(asked: Asked) -> int:
    """Compares as asked, writes the result, prints the verdicts and gives the exit code."""
    out = asked.out or _default_out(asked)
    choices = _choices(asked, out)
    baseline, arms = _sides(asked, choices)
    terms = _terms(asked, baseline, arms)
    chosen = [(c.name, c.archive, c.arm) for c in (baseline, *arms)]
    file = new_comparison(terms, sources_of(terms, chosen, out))
    _refuse_other(out)
    _tell_replaced(out, file)
    derived = derive(file, out)
    write(derived, out)
    if asked.as_json:
        sys.stdout.write(derived.files["report/report.json"].decode())
    else:
        sys.stdout.write(told(derived.result, out))
    return exit_code(derived.result, is_strict=asked.is_strict)


def exit_code(result: Result, *, is_strict: bool) -> int:
    """Gives 1 for a regression, 5 for unusable runs, 4 (strict) for cannot tell, else 0."""
    words = dict(zip(result.estimates.comparisons, result.verdicts, strict=True))
    if any(
        v.word is Word.WORSE and (v.is_listed or c.family == "headline") for c, v in words.items()
    ):
        return 1
    headline = [v.word for c, v in words.items() if c.cell == CellKey()]
    if Word.NOT_EVALUABLE in headline:
        return 5
    return 4 if is_strict and Word.CANNOT_TELL in headline else 0


def _default_out(asked: Asked) -> Path:
    stems = [re.sub(r"[^\w.-]+", "-", Path(s.split("::")[0]).stem) for s in asked.sources[:2]]
    mark = identity_of(
        [list(asked.sources), asked.baseline, list(asked.arms), asked.criterion],
        sorted((key, str(value)) for key, value in asked.terms.items()),
        sorted(asked.settings.items()),
        str(asked.mapping),
    )[:6]
    return Path("comparisons") / f"{'-vs-'.join(stems)}-{mark}"


def _choices(asked: Asked, out: Path) -> list[list[_Choice]]:
    """Gives, per source, the arms that it offers; names are unique over all sources."""
    offered = []
    for text in asked.sources:
        _must_exist(Path(text.partition("::")[0]))
    for text in asked.sources:
        path, _, wanted = text.partition("::")
        archive = _archive(Path(path), asked, out)
        arms = Archive.open(archive).columns().facts.arms
        if wanted and wanted not in arms:
            raise InputError(
                f"{path} has no arm {wanted!r}",
                wanted=f"one of {', '.join(map(repr, arms))}",
                mend=nearest(wanted, list(arms)),
                code="unknown_arm",
            )
        offered.append(
            [
                _Choice(name=path, archive=archive, arm=arm)
                for arm in ((wanted,) if wanted else arms)
            ]
        )
    return _with_clear_names(offered)


def _with_clear_names(offered: list[list[_Choice]]) -> list[list[_Choice]]:
    """Names every arm by its own name, else by its file's, else by its path, to be unique."""
    for name in (_by_arm, _by_stem, _by_path):
        named = [
            [replace(choice, name=name(choice, len(source))) for choice in source]
            for source in offered
        ]
        names = [choice.name for source in named for choice in source]
        if len(set(names)) == len(names):
            return named
    doubled = sorted({n for n in names if names.count(n) > 1})
    raise InputError(
        f"{', '.join(map(repr, doubled))} is given twice",
        wanted="every arm once",
        mend="a comparison of a source with itself shows nothing",
        code="same_source",
    )


def _by_arm(choice: _Choice, n_arms: int) -> str:  # noqa: ARG001  one of three with one signature
    return choice.arm


def _by_stem(choice: _Choice, n_arms: int) -> str:
    stem = Path(choice.name).name.split(".")[0]
    return stem if n_arms == 1 else f"{stem}/{choice.arm}"


def _by_path(choice: _Choice, n_arms: int) -> str:
    return choice.name if n_arms == 1 else f"{choice.name}/{choice.arm}"


def _must_exist(path: Path) -> None:
    """Checks a source before anything is imported, so that a slip leaves no folder behind."""
    if path.exists():
        return
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise InputError(
        f"{path} is not there",
        wanted="an archive or a file of runs",
        mend=nearest(path.name, beside),
        code="no_source",
    )


def _archive(path: Path, asked: Asked, out: Path) -> Path:
    """Gives the archive at the path, or imports the runs there into the comparison's folder."""
    if path.is_dir() and path.joinpath(MANIFEST).is_file():
        return path
    settings = tuple(f"{k}={v}" for k, v in asked.settings.items())
    found = detect(path)
    options = read_options(asked.mapping, settings, format_name=found)
    keys = [part for key in asked.terms.get("partitions", ()) for part in key.split("*")]
    keys = sorted({*keys, *asked.terms.get("where", {})})
    if keys and "labels" not in options:
        options["labels"] = keys
    chosen = reader(str(options.get("format") or found))
    made = out / "archives" / run_id(describe(path, chosen.name, options))
    return archive_runs(chosen, path, made, options)[0]


def _sides(asked: Asked, choices: list[list[_Choice]]) -> tuple[_Choice, list[_Choice]]:
    """Gives the baseline and the arms to compare with it."""
    every = [choice for source in choices for choice in source]
    names = [choice.name for choice in every]
    if len(every) == 1:
        raise _nothing_beside(every[0])
    if asked.baseline is not None:
        baseline = _named(asked.baseline, every)
    elif len(choices) > 1 and len(choices[0]) == 1:
        baseline = choices[0][0]
    else:
        raise InputError(
            f"the first source holds {len(choices[0])} arms: {', '.join(map(repr, names))}",
            wanted="to know which of them is the baseline",
            mend="name it with --baseline",
            code="no_baseline",
        )
    arms = [_named(name, every) for name in asked.arms] if asked.arms else every
    others = [arm for arm in arms if arm != baseline]
    if not others:
        raise _nothing_beside(baseline)
    return baseline, others


def _nothing_beside(only: _Choice) -> InputError:
    return InputError(
        f"there is only {only.name!r}",
        wanted="at least one other arm",
        mend="give a second source, or a source with several arms",
        code="no_arm",
    )


def _named(name: str, every: list[_Choice]) -> _Choice:
    for choice in every:
        if name in (choice.name, choice.arm):
            return choice
    names = [choice.name for choice in every]
    raise InputError(
        f"there is no arm {name!r}",
        wanted=f"one of {', '.join(map(repr, names))}",
        mend=nearest(name, names),
        code="unknown_arm",
    )


def _terms(asked: Asked, baseline: _Choice, arms: list[_Choice]) -> Terms:
    criteria = {}
    for choice in (baseline, *arms):
        criteria[choice.name] = Archive.open(choice.archive).manifest.criteria
    criterion = asked.criterion or _criterion(list(criteria[baseline.name]))
    directions = {
        name: held[criterion].direction for name, held in criteria.items() if criterion in held
    }
    if len(set(directions.values())) > 1:
        raise InputError(
            f"{criterion!r} is better when higher in one source and when lower in another: "
            + ", ".join(f"{name}: {d.value}" for name, d in directions.items()),
            wanted="one direction",
            mend="say `direction` in the mapping of both sources",
            code="mixed_directions",
        )
    given = dict(asked.terms)
    if given.get("rule") is Rule.SEED and "margin" not in given:
        given["margin"] = 0.05
    defaults = [
        name for name in ("margin", "equivalence", "rule", "level") if name not in asked.terms
    ]
    return msgspec.structs.replace(
        Terms(
            baseline=baseline.name,
            arms=tuple(arm.name for arm in arms),
            criterion=criterion,
            direction=directions.get(baseline.name, Direction.HIGHER),
            defaulted=tuple(defaults),
        ),
        **given,
    )


def _criterion(names: list[str]) -> str:
    for name in _PREFERRED:
        if name in names:
            return name
    if len(names) == 1:
        return names[0]
    raise InputError(
        f"the baseline is graded by {len(names)} criteria: {', '.join(names) or '(none)'}",
        wanted="to know which one decides",
        mend="name it with --criterion",
        code="no_criterion",
    )


def _tell_replaced(out: Path, file: ComparisonFile) -> None:
    """Says on stderr when another comparison stood in the folder and is replaced."""
    try:
        before = decode(out.joinpath(COMPARISON).read_bytes(), ComparisonFile)
    except (OSError, InputError):
        return
    if before.sources != file.sources or before.terms != file.terms:
        arms = ", ".join(before.terms.arms)
        sys.stderr.write(
            f"equipoise: {out} held the comparison of {arms} against {before.terms.baseline}; "
            "it is replaced\n"
        )


def _refuse_other(out: Path) -> None:
    """Refuses a folder that holds something else; the same comparison may be written again."""
    if out.joinpath(COMPARISON).exists():
        return
    strange = [p.name for p in out.iterdir() if p.name != "archives"] if out.is_dir() else []
    if strange or out.is_file():
        raise InputError(
            f"{out} is taken by {', '.join(strange[:3]) or 'a file'}",
            wanted="a new folder, or one of a comparison",
            mend="give another with -o",
            code="exists",
        )
