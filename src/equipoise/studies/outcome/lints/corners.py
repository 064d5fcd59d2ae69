"""Shows in what corner of its seed a bug lies: which own tests run the planted lines, if any."""

from collections.abc import Iterator

from equipoise.ports.agents import Seed
from equipoise.ports.probes import Covered, Probes
from equipoise.records.lint import Corner, PlantedLine
from equipoise.studies.outcome.lints.seeds import OWN_TESTS
from equipoise.studies.outcome.lints.sources import Source, parsed
from equipoise.studies.outcome.lints.trees import Tree, differences, tree_of


def corner(seed: Seed, clean: Seed, probes: Probes) -> Corner:
    """Gives the lines that planting the bug changed, and the own tests that run each.

    Where lines were only taken away, the lines beside the gap stand for them.

    Args:
        seed: with the bug.
        clean: without it.
        probes: runs the own suite, each line watched.
    """
    covered = probes.covered(seed, OWN_TESTS)
    if covered.why:
        return Corner(unmeasured=covered.why)
    lines = tuple(_planted(tree_of(clean), tree_of(seed), covered))
    return Corner(lines=lines, n_tests=len(covered.tests))


def _planted(clean: Tree, now: Tree, covered: Covered) -> Iterator[PlantedLine]:
    for hunk in differences(clean, now):
        text = now.get(hunk.file, "")
        here = text.splitlines()
        source = Source(path=hunk.file, text=text, tree=parsed(text))
        runnable = source.runnable() if hunk.file.endswith(".py") else frozenset()
        numbers = range(hunk.line, hunk.line + len(hunk.added))
        for number in numbers or (hunk.line - 1, hunk.line):
            if not 1 <= number <= len(here):
                continue
            tests = tuple(
                name
                for name, by_file in covered.tests.items()
                if number in by_file.get(hunk.file, frozenset())
            )
            yield PlantedLine(
                file=hunk.file,
                line=number,
                text=here[number - 1].strip(),
                tests=tests if number in runnable else None,
            )
