"""What `doctor` looks for on behalf of agents: sandboxes and harnesses, each tried for real."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from equipoise.cli.doctor_checks import Finding
from equipoise.errors import EquipoiseError
from equipoise.ports.agents import Available, Isolation

_COSTS = {
    "bubblewrap": "agents run in a weaker sandbox that the study has to allow, or not at all",
    "landlock": "one fallback less: it denies paths, where bubblewrap has none to see",
    "container": "one fallback less: agents in Docker or Podman",
    "process": "a study that allows it runs its agents in the open",
}
_PROGRAMS = ("claude-code", "codex", "mini-swe")
"""Harnesses that are programs of others; the rest needs nothing but the study's own."""


SEEDS, TESTS = "seeds of agents (git)", "hidden tests (pytest)"


def of_agents() -> Iterator[Finding]:
    """Yields one finding for each sandbox, each harness, and what seeds and hidden tests need."""
    import anyio

    from equipoise.wiring import agent
    from equipoise.wiring.agents import seeds_available, surveyed
    from equipoise.wiring.suites import tests_available

    costs = "no agent gets a workspace: every cell of its arm is an infrastructure error"
    yield _finding(SEEDS, seeds_available(), costs=costs)
    costs = "the check `suite` with Python tests grades nothing: `grade` ends with exit code 3"
    yield _finding(TESTS, tests_available(), costs=costs)

    for name, found in anyio.run(surveyed).items():
        yield _finding(f"sandbox {name}", found, costs=_COSTS.get(name, "one sandbox less"))
    for name in _PROGRAMS:
        harness = agent(name, {}, Path(), Isolation.NAMESPACES)
        costs = f"cells of the harness {name} give no outcome"
        yield _finding(f"harness {name}", anyio.run(harness.probe), costs=costs)


def of_judges(models: Mapping[str, Mapping[str, Any]], study: Path) -> Iterator[Finding]:
    """Yields for each judge of a study whether its model can be asked, now that nobody is asked."""
    from equipoise.wiring.providers import usable

    for name, model in models.items():
        why = usable(model.get("provider"), study)
        yield Finding(
            name=f"judge {name}",
            is_there=not why,
            found=why or "its provider can be asked",
            costs="it cannot judge: the judged categories are not evaluable",
            mend="as said",
            is_needed=True,
        )


def of_arms(systems: Mapping[str, Mapping[str, Any]], study: Path) -> Iterator[Finding]:
    """Yields what the agents of a study need: who answers, and the study's own harness options.

    `systems` are the specifications by arm. Nobody is asked anything: a key is looked for, and
    neither shown nor sent.
    """
    import anyio

    from equipoise.wiring import agent
    from equipoise.wiring.providers import usable

    for arm, system in systems.items():
        spec = system.get("agent", system.get("model"))
        if not isinstance(spec, Mapping):
            continue
        why = usable(spec.get("provider"), study)
        yield Finding(
            name=f"models of arm {arm}",
            is_there=not why,
            found=why or "its provider can be asked",
            costs="the arm cannot be run",
            mend="as said",
            is_needed=True,
        )
        harness = spec.get("harness")
        named = {harness: {}} if isinstance(harness, str) else dict(harness or {})
        for name, options in named.items():
            try:
                made = agent(name, options, study, Isolation.NAMESPACES)
                found = anyio.run(made.probe)
            except EquipoiseError as error:
                found = Available(is_available=False, why_not=str(error), mend="as said")
            costs = "every cell of the arm is an infrastructure error"
            yield _finding(f"harness of arm {arm}", found, costs=costs).needed()


def needed(systems: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Gives the names of the findings without which an arm with an agent cannot be run."""
    specs = [s["agent"] for s in systems.values() if isinstance(s.get("agent"), Mapping)]
    asked = [spec.get("sandbox") or "bubblewrap" for spec in specs]
    only = [[one] if isinstance(one, str) else list(one) for one in asked]
    found = {f"sandbox {names[0]}" for names in only if len(names) == 1}
    return found | {SEEDS} if specs else found


def _finding(name: str, found: Available, *, costs: str) -> Finding:
    version = found.version or "works"
    return Finding(
        name=name,
        is_there=found.is_available,
        found=version if found.is_available else found.why_not or "does not work here",
        costs=costs,
        mend=found.mend or "none is known",
    )
