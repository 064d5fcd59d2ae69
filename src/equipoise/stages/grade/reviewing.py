"""Turns the findings of raters into ratings and grades; what is not quoted right does not count."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import msgspec

from equipoise.errors import NotEstimable
from equipoise.records.catalog import MODEL_JUDGED, Catalog, Category
from equipoise.records.event import Rating
from equipoise.records.grade import Evidence, Grade, How
from equipoise.records.plan import Mode
from equipoise.stages.grade.checking import graded, hinder, noted, record_quoted
from equipoise.stages.grade.findings import Finding
from equipoise.stages.grade.material import OUTPUT, Material, page
from equipoise.stages.grade.quoting import MOST_QUOTES, find_quote

NO_FINDING = "no rater has looked at it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalid:
    """A finding that does not count, and why."""

    finding: Finding
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many of the rated units were rated twice or more under a category; `wanted` is exact."""

    n_units: int
    n_doubly: int
    wanted: Fraction

    @property
    def is_enough(self) -> bool:
        """Says whether the share is reached: exactly the wanted share is enough."""
        return self.n_units > 0 and self.n_doubly >= self.wanted * self.n_units

    @property
    def text(self) -> str:
        """Gives the share in words."""
        shown = 100 * self.n_doubly / self.n_units if self.n_units else 0.0
        wanted = float(100 * self.wanted)
        return (
            f"{self.n_doubly} of {self.n_units} rated units ({shown:.4g} %) were rated twice; "
            f"wanted at least {wanted:g} %"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """What raters say of the trials of one arm.

    `grades` is by trial and category id. `shares` has each model-judged category with findings.
    `unread` is why a judge that was asked gave no verdict, by trial and category id; `made` the
    documents that say more of what judges found, by trial and name.
    """

    grades: Mapping[tuple[str, str], Grade]
    ratings: tuple[Rating, ...]
    invalid: tuple[Invalid, ...]
    shares: Mapping[str, Share]
    unread: Mapping[tuple[str, str], str] = field(default_factory=dict)
    made: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)


def review(
    findings: Iterable[Finding],
    catalog: Catalog,
    material_of: Callable[[str], Material],
    mode: Mode,
    double_rating: Fraction,
) -> Reviewed:
    """Gives ratings and grades from findings: the mean over the raters of a trial and category.

    A model-judged category of which fewer than the share `double_rating` of its rated units were
    rated by two raters is not evaluable, for every trial.

    Args:
        findings: what was found in this arm's trials.
        catalog: the catalog.
        material_of: trial id -> what its checks see.
        mode: the run's mode.
        double_rating: smallest share of doubly rated units, exact.
    """
    by_trial: dict[tuple[str, str], list[Finding]] = {}
    invalid: list[Invalid] = []
    quotes: dict[str, Evidence] = {}
    materials: dict[str, Material] = {}
    for finding in findings:
        made = materials.get(finding.trial) or material_of(finding.trial)
        materials[finding.trial] = made
        place = _place(finding, made)
        if finding.raw > 0 and place is None:
            invalid.append(Invalid(finding=finding, why=_told(finding)))
            continue
        if place is not None:
            quotes[finding.where] = place
        by_trial.setdefault((finding.trial, finding.category), []).append(finding)
    categories = {category.id: category for category in catalog.categories}
    shares = _shares(by_trial, categories, materials, double_rating)
    grades = {}
    for (trial, name), said in by_trial.items():
        share = shares.get(name)
        why = "" if share is None or share.is_enough else f"unbewertbar: {share.text}"
        grades[trial, name] = _grade(categories[name], materials[trial], said, quotes, (mode, why))
    for one in invalid:
        key = (one.finding.trial, one.finding.category)
        if key not in grades:
            grades[key] = Grade(
                trial=key[0],
                criterion=key[1],
                not_evaluable=f"invalid: {one.why}",
                how=How.SOFT,
                by=f"rater:{one.finding.rater}",
            )
    ratings = tuple(
        Rating(
            trial=trial,
            criterion=catalog.criterion(name),
            rater=one.rater,
            value=min(one.raw, categories[name].max) / categories[name].max,
            source=one.where,
        )
        for (trial, name), said in by_trial.items()
        for one in said
    )
    return Reviewed(grades=grades, ratings=ratings, invalid=tuple(invalid), shares=shares)


def settled(category: Category, made: Material, why: str) -> Grade:
    """Gives the grade of what is lost in full without a rater: it was to be left, and was not."""
    by = "check:deliverable"
    places = record_quoted(made, "output")
    return noted(graded(category, made, category.max, places, by=by), why)


def not_reviewed(category: Category, trial: str, unread: str = "") -> Grade:
    """Gives the grade of a trial in a category that only raters can find, where none has.

    `unread` says why a judge that was asked gave no verdict.
    """
    why = unread or NO_FINDING
    return Grade(trial=trial, criterion=category.id, not_evaluable=why, how=How.SOFT)


def _place(finding: Finding, made: Material) -> Evidence | None:
    if not finding.quote:
        return None
    log = finding.log or OUTPUT
    log = log.removeprefix(f"{finding.trial}/")
    try:
        return find_quote(page(made, log), finding.quote, finding.line)
    except NotEstimable:
        return None


def _told(finding: Finding) -> str:
    line = f":{finding.line}" if finding.line else ""
    return f"the quote of {finding.rater} does not stand in {finding.log}{line} ({finding.where})"


def _shares(
    by_trial: Mapping[tuple[str, str], list[Finding]],
    categories: Mapping[str, Category],
    materials: Mapping[str, Material],
    wanted: Fraction,
) -> dict[str, Share]:
    rated: dict[str, dict[str, bool]] = {}
    for (trial, name), said in by_trial.items():
        if categories[name].type == MODEL_JUDGED:
            units = rated.setdefault(name, {})
            unit = materials[trial].trial.unit
            is_doubly = len({one.rater for one in said}) > 1
            units[unit] = units.get(unit, False) or is_doubly
    return {
        name: Share(n_units=len(units), n_doubly=sum(units.values()), wanted=wanted)
        for name, units in rated.items()
    }


def _grade(
    category: Category,
    made: Material,
    said: list[Finding],
    quotes: Mapping[str, Evidence],
    against: tuple[Mode, str],
) -> Grade:
    by = f"rater:{','.join(sorted({one.rater for one in said}))}"
    mode, why = against
    try:
        hinder(category, made, mode)
        if not why:
            shown = [one for one in said if one.where in quotes]
            lost = [one for one in shown if one.raw > 0]
            places = dict.fromkeys(quotes[one.where] for one in lost or shown)
            raw = sum(min(one.raw, category.max) for one in said) / len(said)
            few = tuple(places)[:MOST_QUOTES]
            notes = dict.fromkeys(one.note for one in said if one.note)
            found = noted(graded(category, made, raw, few, by=by, how=How.SOFT), "; ".join(notes))
            is_simulated = any(one.is_simulated for one in said)
            return msgspec.structs.replace(found, is_simulated=is_simulated)
    except NotEstimable as error:
        why = error.why
    return Grade(trial=made.trial.id, criterion=category.id, not_evaluable=why, how=How.SOFT, by=by)
