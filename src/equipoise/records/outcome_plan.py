"""What the plan of an outcome study promises beside what every plan does."""

import msgspec

from equipoise.records.hypothesis import Hypothesis


class ScenarioPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One scenario that is run: its kind, its tier, what it can be scored by, and its proof.

    `main` is the main metric of its kind. `proof_sha256` names the stored proof that it is fair.
    """

    id: str
    kind: str
    tier: str
    main: str
    metrics: tuple[str, ...]
    proof_sha256: str
    held_out: bool = False


class OutcomePlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The part `outcome` of a plan: the pack's scenarios and what is claimed of them.

    Without `hypotheses` the study is exploratory: it describes, and decides nothing.
    """

    pack: str
    pack_version: str
    origin: str
    scenarios: tuple[ScenarioPlan, ...]
    hypotheses: tuple[Hypothesis, ...] = ()

    @property
    def is_exploratory(self) -> bool:
        """Says whether nothing was claimed beforehand."""
        return not self.hypotheses
