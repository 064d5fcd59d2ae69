"""Sealed rating studies whose judges are stand-ins."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from equipoise.archive.manifest import PLAN
from equipoise.archive.store import Archive
from equipoise.blind.families import read_families
from equipoise.blind.keys import read_keys
from equipoise.blind.private_files import write_private
from equipoise.pipeline.sealing import Promise, seal_promise
from equipoise.records.codec import digest, encode, pretty
from equipoise.records.judgement import Judgement
from equipoise.records.packet import PacketKey
from equipoise.records.rating_plan import (
    AxisPlan,
    JudgePlan,
    Output,
    PanelPlan,
    Policy,
    RatingPlan,
    RatingSet,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MODELS = {
    "openai": "gpt-5-mini-2025-08-07",
    "google": "gemini-3.1-pro-2026-01-15",
    "xai": "grok-4.3",
    "anthropic": "claude-haiku-4-5-20251001",
}


def judge(family: str = "openai", name: str = "", **rule: Any) -> JudgePlan:
    """A stand-in of a family, judging by `rule`."""
    script = {key: str(value) for key, value in ({"acts": "first"} | rule).items()}
    model = {"model": MODELS[family], "provider": {"scripted_judge": script}}
    return JudgePlan(name=name or family, family=family, model=model)


def judged_study(
    study: Path,
    *judges: JudgePlan,
    text: Callable[[str, str], str] = lambda _unit, arm: f"a text of {arm}",
    arms: tuple[str, ...] = ("one", "two"),
    n_units: int = 4,
    models: Mapping[str, tuple[str, ...] | None] | None = None,
    **panel: Any,
) -> Path:
    """Writes and seals a rating study; `models` says whose models made each arm's outputs."""
    study.mkdir(parents=True)
    made = models or {}
    outputs = [
        Output(unit=f"u{unit}", arm=arm, text=text(f"u{unit}", arm), models=made.get(arm, ()))
        for unit in range(n_units)
        for arm in arms
    ]
    lines = b"".join(encode(one) + b"\n" for one in outputs)
    study.joinpath("outputs.jsonl").write_bytes(lines)
    draft = b"kind: rating\n"
    study.joinpath("study.yaml").write_bytes(draft)
    plan = RatingPlan(
        kind="rating",
        title="Which writes better",
        question="Which pipeline do readers prefer?",
        seed=3,
        arms=arms,
        baseline=arms[0],
        axes=(AxisPlan(name="style", ask="Which text reads better?"),),
        sets=tuple(
            RatingSet(id=f"s{unit}", axis="style", unit=f"u{unit}", arms=arms)
            for unit in range(n_units)
        ),
        outputs_file="outputs.jsonl",
        outputs_sha256=digest(lines),
        set_size=len(arms),
        longest=2_000_000,
        mde=0.3,
        decides="panel",
        panel=PanelPlan(
            **(
                {
                    "policy": Policy.PANEL,
                    "judges": judges,
                    "families_sha256": read_families().sha256,
                }
                | panel
            )
        ),
        study_sha256=digest(draft),
        is_simulated=True,
    )
    content = pretty(plan)
    study.joinpath(PLAN).write_bytes(content)
    study.joinpath("RATING-PLAN.md").write_bytes(b"")
    promise = Promise(content=content, page=b"", page_name="RATING-PLAN.md")
    seal_promise(study, promise, now=NOW, proofs=None)
    study.joinpath("campaign").mkdir(mode=0o700)
    write_private(study / "campaign" / "secret", b"5" * 64)  # what is drawn hangs on it
    return study


def judgements(study: Path) -> list[Judgement]:
    """Gives what the judges of a study said, in order."""
    (path,) = study.joinpath("archive").glob("judges-*")
    return list(Archive.open(path).read(Judgement))


def keys(study: Path) -> dict[str, PacketKey]:
    """Gives packet -> key of the judges' packets."""
    return {key.packet: key for key in read_keys(study / "campaign" / "judge_keys.jsonl")}


def shown(study: Path, said: Sequence[Judgement]) -> list[tuple[str, ...]]:
    """Gives the arms at the places of each judgement's packet."""
    known = keys(study)
    return [known[one.packet].arms for one in said]
