"""Chooses the two runs that are compared, and refuses those that are not on one scale."""

import re
from dataclasses import dataclass
from pathlib import Path

import duckdb

from equipoise.archive.manifest import MANIFEST
from equipoise.errors import Blocked, InputError, as_word, nearest
from equipoise.pipeline.study_files import PLAN
from equipoise.records.suite import LossComparison
from equipoise.studies.loss.scoring import (
    ARCHIVES,
    LossRun,
    open_run,
    read_suite,
    refuse_edited,
    runs_of,
    score_run,
)
from equipoise.studies.loss.sealed import refuse_edited_study

COMPARISONS = "comparisons"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two runs that are to be compared under one catalog; `home` is where results go."""

    new: LossRun
    base: LossRun
    version: str
    home: Path

    @property
    def name(self) -> str:
        """Gives the comparison's folder, relative to its home."""
        plain = f"{COMPARISONS}/{self.new.run_id}-against-{self.base.run_id}"
        return plain if self.version == self.new.plan.catalog_version else f"{plain}-{self.version}"


_CATALOG = re.compile(r"loss-catalog\.(v[0-9]+)\.json$")


def study_of(path: Path) -> Path | None:
    """Gives the study that an archive is part of; None for an archive by itself."""
    home = path.resolve().parent.parent
    return home if path.resolve().parent.name == ARCHIVES and (home / PLAN).is_file() else None


def pair_in(
    study: Path, *, base: str | None = None, new: str | None = None, version: str | None = None
) -> Pair:
    """Chooses the two runs of a study; by default the other arm's last against the baseline's.

    Args:
        study: the study's folder.
        base: an arm, a run id, or a path to an archive or a suite; null = the plan's baseline.
        new: an arm or a run id; null = the only other arm.
        version: of the catalog; null = the plan's where both runs are graded under it.

    Raises:
        Blocked: there is no run, or none of the baseline.
        InputError: an arm is unknown, or the two cannot be compared.
        Tampered: the study is not as it was sealed.
    """
    refuse_edited_study(study)
    runs = runs_of(study)
    if not runs:
        raise Blocked(
            f"{study} has no run; mend: `equipoise run "
            f"{as_word(study)}`, then `equipoise grade {as_word(study)}`"
        )
    plan = runs[-1].plan
    wanted = base or plan.baseline
    if not wanted:
        raise Blocked(
            f"{study} names no baseline; mend: compare with --base ARM, RUN or a path to an archive"
        )
    chosen_base = _named(wanted, runs) or run_at(wanted, study)
    if chosen_base is None:
        raise Blocked(
            f"the baseline {wanted!r} has no run; there are runs of "
            f"{', '.join(sorted({run.facts.arm for run in runs}))}; "
            f"mend: `equipoise run {as_word(study)} "
            f"--arm {wanted}`, or name another with --base"
        )
    chosen_new = _new(new, runs, chosen_base)
    return matched(chosen_new, chosen_base, study, version)


def pair_of(study: Path, told: LossComparison) -> Pair:
    """Gives the two runs of a stored comparison, under the amendments that there were by then.

    Raises:
        InputError: an archive is gone.
        Tampered: an archive, a plan or an amendment is not what it was.
    """
    base_path = study / (told.base_archive or f"{ARCHIVES}/{told.base_run_id}")
    new_path = study / ARCHIVES / told.run_id
    home, base_home = study_of(new_path), study_of(base_path)
    new = open_run(new_path, home, n_amendments=told.n_amendments)
    is_own = home == base_home
    base = open_run(base_path, base_home, n_amendments=told.n_amendments if is_own else None)
    return matched(new, base, study, told.catalog_version)


def matched(new: LossRun, base: LossRun, home: Path, version: str | None = None) -> Pair:
    """Gives the pair, refused where the two are not on one scale.

    Raises:
        InputError: the same run twice; another mode or provenance; no catalog in common.
    """
    if new.run_id == base.run_id:
        raise InputError(
            f"{new.run_id} is compared with itself",
            wanted="two runs",
            mend="name the other with --base or --new",
            code="same_run",
        )
    for what, one, two in (
        ("mode", new.facts.mode, base.facts.mode),
        ("provenance", new.facts.provenance, base.facts.provenance),
    ):
        if one != two:
            raise InputError(
                f"{new.run_id} has {what} {one}, {base.run_id} has {what} {two}",
                wanted="runs of one mode and one provenance: no figure mixes them",
                mend="compare runs of the same kind; the suites of both stand side by side",
                code=f"mixed_{what}",
            )
    return Pair(new=new, base=base, version=_version(new, base, version), home=home)


def _version(new: LossRun, base: LossRun, wanted: str | None) -> str:
    both = [name for name in new.versions if name in base.versions]
    named = _CATALOG.search(wanted or "")
    wanted = named[1] if named else wanted
    if wanted is None and new.plan.catalog_version in both:
        return new.plan.catalog_version
    if wanted is None and both:
        return both[-1]
    if wanted is not None and wanted in both:
        return wanted
    if wanted is None and (bare := [run for run in (new, base) if not run.versions]):
        studies = dict.fromkeys(as_word(run.study) if run.study else "STUDY" for run in bare)
        raise InputError(
            f"{' and '.join(run.run_id for run in bare)} {'was' if len(bare) == 1 else 'were'} "
            "never graded",
            wanted="runs that were graded: nothing is executed for it",
            mend=", then ".join(f"equipoise grade {study}" for study in studies),
            code="not_graded",
        )
    asked = wanted or new.plan.catalog_version
    held = [f"{run.run_id}: {', '.join(run.versions) or 'no grades'}" for run in (new, base)]
    raise InputError(
        f"the runs are not both graded under {asked} ({'; '.join(held)})",
        wanted="one catalog for both: losses under different catalogs are not on one scale",
        mend=(f"name one that both have ({', '.join(both)}); or " if both else "")
        + "grade both archives under that catalog, nothing is executed for it "
        "(`equipoise grade STUDY --catalog FILE`); or compare both on a frozen reference set",
        code="mixed_catalogs",
    )


def _new(wanted: str | None, runs: list[LossRun], base: LossRun) -> LossRun:
    if wanted is not None:
        found = _named(wanted, runs)
        if found is None:
            names = sorted({run.facts.arm for run in runs})
            raise InputError(
                f"there is no run of {wanted!r}",
                wanted=f"one of {', '.join(names)}",
                mend=nearest(wanted, names),
                code="unknown_arm",
            )
        return found
    others = sorted({run.facts.arm for run in runs} - {base.facts.arm})
    if not others:
        raise Blocked(
            f"there is only the baseline {base.facts.arm!r}; mend: run another arm, or name a "
            "second run of it with --new"
        )
    if len(others) > 1:
        raise InputError(
            f"there are runs of {len(others)} other arms: {', '.join(others)}",
            wanted="to know which is compared",
            mend="name it with --new",
            code="several_arms",
        )
    found = _named(others[0], runs)
    assert found is not None
    return found


def _named(name: str, runs: list[LossRun]) -> LossRun | None:
    """Gives the last run of an arm, or the run with this id."""
    found = [run for run in runs if name in (run.facts.arm, run.run_id)]
    return found[-1] if found else None


def run_at(wanted: str, study: Path) -> LossRun | None:
    """Gives the run at a path: an archive, or a suite inside one (which is derived again)."""
    for path in (study / wanted, Path(wanted)):
        if path.is_file():
            return _run_of_suite(path)
        if path.is_dir():
            inside = [place for place in (path, *path.parents) if (place / MANIFEST).is_file()]
            if inside:
                return open_run(inside[0], study_of(inside[0]))
            runs = runs_of(path)
            if runs:
                return runs[-1]
    return None


def _run_of_suite(path: Path) -> LossRun:
    """Gives the run whose suite this is.

    Raises:
        InputError: the file is no suite, or stands in no archive that bears it out.
        Tampered: it was edited.
    """
    suite = read_suite(path.read_bytes(), str(path))
    inside = [place for place in path.resolve().parents if (place / MANIFEST).is_file()]
    if not inside:
        raise InputError(
            f"{path} stands in no archive, so nothing bears it out",
            wanted="the suite of a run, inside the run's archive",
            mend="name the archive instead",
            code="suite_alone",
        )
    run = open_run(inside[0], study_of(inside[0]))
    with duckdb.connect() as con:
        refuse_edited(path, score_run(con, run, suite.catalog_version).suite)
    return run
