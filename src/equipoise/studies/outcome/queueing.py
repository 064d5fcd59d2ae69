"""What of a comparison waits for a label, and whose scores are stale."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from equipoise.ports.suites import hash_of
from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import Item, OutcomeFile
from equipoise.records.triage import Flagged, Triaged
from equipoise.stages.decide.triage import stale_by_label, waiting
from equipoise.stages.estimate.outcome.flags import flagged_of, oracle_of
from equipoise.studies.loss.pairing import Pair
from equipoise.studies.outcome.packs import HIDDEN, ReadPack
from equipoise.studies.outcome.triage import read_labels

GROUPS = ("explicit", "implicit")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedAt:
    """What stands against a verdict of one comparison; see `OutcomeFile`."""

    waiting: tuple[Flagged, ...]
    labels: tuple[Triaged, ...]
    n_labels: int
    stale: dict[str, str]
    hidden_now: dict[str, str]

    @property
    def barred(self) -> dict[str, dict[str, str]]:
        """Gives the scenarios that decide nothing as things stand: arm -> scenario -> why.

        What holds for every arm stands under "".
        """
        found: dict[str, dict[str, str]] = {}
        for one in self.waiting:
            found.setdefault(one.arm, {})[one.scenario] = "flagged, and no label was given"
        return found | {"": found.get("", {}) | self.stale}

    def barred_for(self, arms: Collection[str]) -> dict[str, str]:
        """Gives the scenarios that decide nothing about these arms: scenario -> why."""
        return {name: why for arm in ("", *arms) for name, why in self.barred.get(arm, {}).items()}

    def waiting_for(self, arms: Collection[str]) -> tuple[Flagged, ...]:
        """Gives what a verdict about these arms waits for: their cells, and whole scenarios."""
        return tuple(one for one in self.waiting if not one.arm or one.arm in arms)


def looked_at(
    results: Sequence[OutcomeResult],
    items: Sequence[Item],
    pair: Pair,
    pack: ReadPack,
    stored: OutcomeFile | None,
) -> LookedAt:
    """Gives what waits and what is stale.

    Args:
        results: every cell that is looked at.
        items: their hidden tests.
        pair: the two runs that are compared.
        pack: the study's pack, whose hidden tests may have been changed since.
        stored: the file as it was written: labels and hidden tests are those of then.

    Raises:
        Tampered: a label was altered.
    """
    labels = read_labels(pair.home, stored.n_labels if stored else None)
    hidden_now = stored.hidden_now if stored else hidden_hashes(pack)
    scenarios = dict.fromkeys(one.scenario for one in results)
    kept = {name: [one for one in results if one.scenario == name] for name in scenarios}
    oracles = {name: oracle_of(ones) for name, ones in kept.items()}
    stale = stale_by_label(labels, oracles)
    stale |= {name: why for name, ones in kept.items() if (why := _changed(name, ones, hidden_now))}
    flagged = flagged_of(results, items, pair.new.plan.limits.cell_timeout_s * 1000)
    return LookedAt(
        waiting=waiting(flagged, labels),
        labels=tuple(one for one in labels if one.scenario in scenarios),
        n_labels=len(labels),
        stale=dict(sorted(stale.items())),
        hidden_now=hidden_now,
    )


def hidden_hashes(pack: ReadPack) -> dict[str, str]:
    """Gives the hashes of a pack's hidden tests as they are now: scenario/group -> sha256."""
    found = {}
    for scenario in pack.scenarios:
        for group in GROUPS:
            folder = pack.folder / pack.place(scenario) / HIDDEN / group
            if folder.is_dir():
                found[f"{scenario.id}/{group}"] = hash_of(folder)
    return found


def _changed(name: str, results: Sequence[OutcomeResult], hidden_now: Mapping[str, str]) -> str:
    """Says why a scenario's scores are not those of the pack's tests; empty where they are."""
    for group in GROUPS:
        seen = {
            found.suite_sha256
            for one in results
            if (found := getattr(one, f"hidden_{group}")) is not None
        }
        if len(seen) > 1:
            return f"stale: cells were judged by different {group} tests"
        now = hidden_now.get(f"{name}/{group}")
        if seen and now not in seen:
            what = "changed" if now else "removed"
            return f"stale: its {group} hidden tests were {what} after these cells were scored"
    return ""
