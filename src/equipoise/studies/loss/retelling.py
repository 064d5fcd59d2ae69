"""Writes again what a study has found: comparisons from their archives, and the trend page."""

from pathlib import Path

from equipoise import __version__
from equipoise.archive.durable import replace_file
from equipoise.errors import EquipoiseError
from equipoise.pipeline.study_files import PLAN
from equipoise.records.codec import decode
from equipoise.records.plan import Plan
from equipoise.records.suite import LossComparison, Suite
from equipoise.stages.report.loss.trend import TrendPoint, to_trend_page
from equipoise.studies.loss.comparing import RESULT, derive
from equipoise.studies.loss.history import read_history
from equipoise.studies.loss.pairing import pair_of
from equipoise.studies.loss.scoring import read_suite

TREND = "history.html"


def retell(study: Path, folder: Path) -> dict[str, bytes]:
    """Gives the files of a comparison, derived from its archives.

    Raises:
        InputError: the folder holds no comparison, or an archive is gone.
        Tampered: an archive, a plan or the history was altered.
    """
    stored = decode(
        folder.joinpath(RESULT).read_bytes(), LossComparison, where=str(folder / RESULT)
    )
    pair = pair_of(study, stored)
    return derive(pair, read_history(study).looks(pair.name)).files


def retell_trend(study: Path) -> None:
    """Writes history.html again where it stands, so that it never lags behind the history.

    Raises:
        Tampered: the history was altered.
        StorageFull: the disk took no more.
    """
    if study.joinpath(TREND).is_file() and study.joinpath(PLAN).is_file():
        replace_file(study / TREND, trend(study))


def trend(study: Path, n_rows: int | None = None) -> bytes:
    """Gives history.html: the suites over time, broken where they are not comparable.

    Args:
        study: the study's folder.
        n_rows: of the history, from the first; null = all.

    Raises:
        Tampered: the history was altered.
    """
    plan = decode(study.joinpath(PLAN).read_bytes(), Plan, where=PLAN)
    points = []
    for row in read_history(study).rows[:n_rows]:
        suite = _suite(study / row.suite)
        points.append(
            TrendPoint(
                date=row.datum,
                run_id=suite.run_id if suite else row.suite,
                arm=suite.arm if suite else "",
                catalog=row.catalog_version,
                mode=row.mode.value,
                provenance=row.provenance.value,
                harness=suite.harness_version if suite else "",
                score=row.suite_score,
                se=suite.se if suite else None,
                completion=row.completion,
                n_listed=row.befunde,
            )
        )
    return to_trend_page(plan.title, points, __version__)


def _suite(path: Path) -> Suite | None:
    """Gives the suite at the path; None where it is gone or no suite any more."""
    try:
        return read_suite(path.read_bytes(), str(path))
    except (OSError, EquipoiseError):
        return None
