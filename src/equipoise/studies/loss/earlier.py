"""What an earlier run says: spreads between units for sizing, time and money of a trial."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from equipoise.archive.manifest import MANIFEST
from equipoise.archive.store import Archive
from equipoise.errors import Blocked
from equipoise.records.codec import decode
from equipoise.records.plan import SpreadSource
from equipoise.records.suite import PartitionScore, Suite
from equipoise.records.trial import Trial
from equipoise.stages.plan.draft import StudyDraft
from equipoise.stages.plan.faults import Faults, refuse
from equipoise.stages.plan.outlook import Measured, SpreadOfCategory
from equipoise.stages.plan.sizing import DEFAULT_S, Spread, spread_with_zero_and_one


def spreads_of(
    draft: StudyDraft, faults: Faults, study: Path
) -> tuple[tuple[Spread, ...], tuple[SpreadOfCategory, ...]]:
    """Gives the spread of each partition with its source, and those of categories that are known.

    Raises:
        Blocked: a suite that is named is not there.
        InputError: it is no suite, or has no spread for a partition.
    """
    spreads: list[Spread] = []
    by_category: list[SpreadOfCategory] = []
    told: list[str] = []
    for place, one in enumerate(draft.partitions.of):
        path = one.s_from or (draft.partitions.s_from if one.s is None else None)
        if path is None:
            source = one.s_source or SpreadSource.DEFAULT
            spreads.append(Spread(s=one.s or DEFAULT_S, source=source))
            continue
        labels = dict(sorted(one.labels.items()))
        score = _score(read_suite(study / path), labels)
        s = _measured(score)
        if score is None or s is None:
            text = ", ".join(f"{key}={value}" for key, value in labels.items())
            told.append(
                faults.at(
                    ("partitions", "of", place),
                    f"takes its spread from {path}, which has none for {text}",
                    mend="write s and s_source, or leave s_from out for the default of 0.3",
                )
            )
            continue
        spreads.append(Spread(s=s, source=SpreadSource.PREVIOUS))
        by_category += _of_categories(score, labels)
    refuse(told)
    return tuple(spreads), tuple(by_category)


def read_suite(path: Path) -> Suite:
    """Reads a `suite.json`.

    Raises:
        Blocked: it is not there.
        InputError: it is no suite.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Blocked(
            f"missing: the suite of an earlier run, {path} ({error.strerror}); mend: mend its "
            "path, or leave s_from out"
        ) from error
    return decode(content, Suite, where=path.name)


def measured_in(draft: StudyDraft, study: Path) -> Measured | None:
    """Gives what trials of an earlier run took on average; null where no such run is named.

    Looked for: the archive that the baseline names or its suite is in, and those of `s_from`.
    """
    named = [draft.baseline, draft.partitions.s_from, *(one.s_from for one in draft.partitions.of)]
    for name in named:
        archive = _archive_of(study / name) if name else None
        if archive is not None:
            return _measured_trials(archive)
    return None


def _archive_of(path: Path) -> Path | None:
    for folder in (path, *list(path.parents)[:3]):
        if folder.joinpath(MANIFEST).is_file():
            return folder
    return None


def _measured_trials(path: Path) -> Measured:
    n, times, costs = 0, [], []
    with Archive.open(path) as archive:
        for trial in archive.read(Trial):
            n += 1
            if trial.duration_ms is not None:
                times.append(trial.duration_ms)
            if trial.cost_usd is not None:
                costs.append(trial.cost_usd)
    return Measured(source=path.name, n_trials=n, mean_ms=_mean(times), mean_usd=_mean(costs))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _score(suite: Suite, labels: dict[str, str]) -> PartitionScore | None:
    found = [one for one in suite.partitions if one.labels == labels and not one.is_adversarial]
    return found[0] if found else None


def _measured(score: PartitionScore | None) -> float | None:
    """Gives the spread between units; where all were equal, the one with a 0 and a 1 added."""
    if score is None or score.stddev_between is None or score.loss is None or score.n < 2:
        return None
    if score.stddev_between > 0.0:
        return score.stddev_between
    return spread_with_zero_and_one(score.loss, score.n)


def _of_categories(score: PartitionScore, labels: dict[str, str]) -> Iterator[SpreadOfCategory]:
    text = " × ".join(f"{key}={value}" for key, value in labels.items())
    for category, stats in score.by_category_stats.items():
        if stats.stddev_between:
            yield SpreadOfCategory(partition=text, category=category, s=stats.stddev_between)
