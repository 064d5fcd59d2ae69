"""A run of commands of a definition of done against what an agent left, with real exit codes."""

import msgspec


class GateResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one command.

    `is_core`: its failure is the gate's. `is_own`: it stands in a checklist of the agent, at `of`,
    and decides nothing. `exit_code` is null where it did not end by itself; `how` says what
    happened then. `said` are its last words.
    """

    id: str
    command: tuple[str, ...]
    how: str
    exit_code: int | None = None
    is_core: bool = True
    is_own: bool = False
    of: str = ""
    duration_ms: float | None = None
    said: str = ""

    @property
    def is_met(self) -> bool:
        """Says whether it ended by itself, with exit code 0."""
        return self.exit_code == 0


class GateRun(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="gate_run",
):
    """One run of a gate, each command on a fresh seed with the agent's diff on top."""

    results: tuple[GateResult, ...]
    isolation: str
    seed_sha256: str
    diff_sha256: str
    started_at: str
