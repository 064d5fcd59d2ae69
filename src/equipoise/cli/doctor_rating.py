"""What `doctor` looks for on behalf of a rating study: its outputs, its app, its judges."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from equipoise.cli.doctor_checks import Finding
from equipoise.records.rating_plan import RatingPlan

_APP = ("starlette", "uvicorn")


def of_rating(study: Path, machine: list[Finding]) -> Iterator[Finding]:
    """Yields the findings of the machine, and the study's own.

    Raises:
        InputError: the study cannot be planned; lists every fault.
        Blocked: something it names is missing.
    """
    from equipoise.studies.rating.planning import plan_rating

    plan = plan_rating(study).plan
    yield from machine
    n = len(plan.sets)
    yield Finding(
        name="outputs of the study",
        is_there=True,
        found=f"{plan.outputs_file}, {n:,} sets can be made of them",
        costs="",
        mend="",
        is_needed=True,
    )
    if plan.annotators:
        yield _app()
    yield from _judges(plan, study)


def _app() -> Finding:
    missing = [name for name in _APP if find_spec(name) is None]
    return Finding(
        name="annotation app",
        is_there=not missing,
        found=f"{', '.join(missing)} not installed" if missing else "can be served",
        costs="people can rate in the terminal or elsewhere, not in their browsers",
        mend="pip install 'equipoise[annotate]'",
    )


def _judges(plan: RatingPlan, study: Path) -> Iterator[Finding]:
    """Yields for each judge whether its model can be asked; a key is neither shown nor sent."""
    from equipoise.wiring.providers import usable

    for judge in plan.panel.judges if plan.panel else ():
        why = usable(judge.model.get("provider"), study)
        yield Finding(
            name=f"judge {judge.name}",
            is_there=not why,
            found=why or "its provider can be asked",
            costs="it cannot judge",
            mend="as said",
            is_needed=True,
        )
