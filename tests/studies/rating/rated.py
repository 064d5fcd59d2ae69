"""Makes small rating studies with answers: planted worth of arms, raters of known reliability."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from equipoise.archive.manifest import PLAN, Manifest
from equipoise.archive.store import Archive
from equipoise.blind.keys import write_keys
from equipoise.blind.packets import make_packet
from equipoise.records.answer import Answer, AnswerKind
from equipoise.records.codec import digest, encode, pretty
from equipoise.records.judgement import Judgement, ReadState
from equipoise.records.packet import Packet, PacketKey
from equipoise.records.rating_plan import (
    AxisPlan,
    JudgePlan,
    Output,
    PanelPlan,
    Policy,
    RatingPlan,
    RatingSet,
    SetKind,
)
from equipoise.stages.grade.judges.policies import orders

JudgeTeller = Callable[[np.random.Generator, RatingSet, tuple[str, ...]], Mapping[str, object]]
"""From the set and the arms at its places to the fields of a judgement."""

SECRET = b"a secret of thirty-two bytes ..."
ARMS = ("C0", "C1", "C2", "C3")

Teller = Callable[[np.random.Generator, RatingSet, tuple[str, ...]], tuple[int, int]]
"""From the set and the arms at its places to the places of best and worst."""


@dataclass(kw_only=True)
class Rated:
    """A study under way: its plan's parts, keys and answers; `write` puts it on disk."""

    arms: tuple[str, ...] = ARMS
    axes: tuple[str, ...] = ("style",)
    n_units: int = 30
    size: int = 4
    cluster_of: int = 1
    seed: int = 7
    plan: Mapping[str, object] = field(default_factory=dict)
    sets: list[RatingSet] = field(default_factory=list)
    keys: list[PacketKey] = field(default_factory=list)
    packets: list[Packet] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    texts: Callable[[str, str], str] = lambda unit, arm: f"text of {unit} by {arm}"
    langs: Callable[[str], str] = lambda _unit: "en"

    def __post_init__(self) -> None:
        """Makes one set a unit and axis, all arms in it."""
        self.rng = np.random.default_rng(self.seed)
        self.sets += [
            RatingSet(
                id=f"{axis}-{unit:03d}",
                axis=axis,
                unit=f"u{unit:03d}",
                cluster=f"chapter {unit // self.cluster_of}" if self.cluster_of > 1 else "",
                arms=tuple(self.arms[(unit + k) % len(self.arms)] for k in range(self.size)),
            )
            for axis in self.axes
            for unit in range(self.n_units)
        ]

    def outputs(self) -> list[Output]:
        """Gives every arm's output of every unit."""
        return [
            Output(unit=name, arm=arm, text=self.texts(name, arm), lang=self.langs(name))
            for name in (f"u{unit:03d}" for unit in range(self.n_units))
            for arm in self.arms
        ]

    def asks(self, who: str, tell: Teller, sets: Sequence[RatingSet] | None = None) -> None:
        """Lets one annotator answer sets, each in an order of his own."""
        outputs = {(o.unit, o.arm): o for o in self.outputs()}
        for one in self.sets if sets is None else sets:
            texts = {arm: outputs[one.unit, arm] for arm in one.arms}
            hidden = {arm for group in one.same for arm in group[1:]}
            n_shown = len([arm for arm in one.arms if arm not in hidden])
            places = tuple(self.rng.permutation(n_shown).tolist())
            axis = AxisPlan(name=one.axis, ask="Which is best, which is worst?")
            packet, key = make_packet(one, texts, axis, places, who=who, secret=SECRET)
            best, worst = tell(self.rng, one, key.arms)
            self.keys.append(key)
            self.packets.append(packet)
            self.says(who, packet.id, best=best, worst=worst, seconds=20.0 + best)

    def judges(
        self,
        judge: str,
        tell: JudgeTeller,
        sets: Sequence[RatingSet] | None = None,
        repeats: int = 12,
    ) -> None:
        """Lets a judge give its verdicts on sets, in every order equally often."""
        outputs = {(o.unit, o.arm): o for o in self.outputs()}
        for one in self.sets if sets is None else sets:
            texts = {arm: outputs[one.unit, arm] for arm in one.arms}
            axis = AxisPlan(name=one.axis, ask="Which is better?")
            rows = orders(len(one.arms))
            for repeat in range(1, repeats + 1):
                order = (repeat - 1) % len(rows)
                packet, key = make_packet(
                    one,
                    texts,
                    axis,
                    rows[order],
                    who=judge,
                    repeat=repeat,
                    order=order,
                    secret=SECRET,
                )
                said = {"state": ReadState.READ} | dict(tell(self.rng, one, key.arms))
                self.keys.append(key)
                self.judgements.append(
                    Judgement(
                        packet=packet.id,
                        judge=judge,
                        repeat=repeat,
                        order=order,
                        model_asked=f"model of {judge}",
                        at="2026-01-01T00:00:00Z",
                        request=f"{judge}-{packet.id}",
                        is_simulated=True,
                        **said,  # type: ignore[arg-type]  # the fields are those of the record
                    )
                )

    def says(self, who: str, packet: str, **more: object) -> None:
        """Appends one answer."""
        fields = {"kind": AnswerKind.GIVEN, "is_simulated": True} | more
        seq = len(self.answers) + 1
        self.answers.append(Answer(seq=seq, annotator=who, packet=packet, **fields))  # type: ignore[arg-type]  # the fields are those of the record

    def rating_plan(self) -> RatingPlan:
        """Gives the plan as it would be sealed."""
        fields: dict[str, object] = {
            "kind": "rating",
            "title": "Which pipeline writes best",
            "question": "Which of four pipelines do readers prefer?",
            "seed": self.seed,
            "arms": self.arms,
            "baseline": self.arms[0],
            "axes": tuple(AxisPlan(name=a, ask=f"Which is best in {a}?") for a in self.axes),
            "sets": tuple(self.sets),
            "outputs_file": "outputs.jsonl",
            "outputs_sha256": digest(self._outputs_bytes()),
            "set_size": self.size,
            "mde": 0.3,
        }
        return RatingPlan(**(fields | dict(self.plan)))  # type: ignore[arg-type]  # the fields are those of the record

    def write(self, study: Path) -> Path:
        """Writes the study's folder: plan, outputs, keys, and an archive with all that was said."""
        study.mkdir(parents=True, exist_ok=True)
        content = pretty(self.rating_plan())
        study.joinpath(PLAN).write_bytes(content)
        study.joinpath("outputs.jsonl").write_bytes(self._outputs_bytes())
        study.joinpath("campaign").mkdir(exist_ok=True)
        write_keys(study / "campaign" / "keys.jsonl", self.keys)
        manifest = Manifest(run_id="rating-1", kind="rating", tool_version="0", is_simulated=True)
        with Archive.create(study / "archive" / "rating-1", manifest, is_durable=False) as archive:
            archive.path.joinpath(PLAN).write_bytes(content)
            for one in (*self.answers, *self.judgements):
                archive.append(one)
        return study

    def _outputs_bytes(self) -> bytes:
        return b"".join(encode(one) + b"\n" for one in self.outputs())


def feeling(worth: Mapping[str, float], noise: float = 1.0, local: float = 0.0) -> Teller:
    """Gives a rater who feels each arm's worth with noise, and what the unit adds for everybody."""

    def tell(rng: np.random.Generator, one: RatingSet, arms: tuple[str, ...]) -> tuple[int, int]:
        if one.best is not None and one.worst is not None and one.kind is not SetKind.STUDY:
            return arms.index(one.best), arms.index(one.worst)
        own = np.random.default_rng([ord(c) for c in one.unit])
        added = dict(zip(sorted(worth), own.normal(0.0, local, len(worth)), strict=True))
        felt = [worth[a] + added[a] + rng.gumbel(scale=noise) for a in arms]
        return int(np.argmax(felt)), int(np.argmin(felt))

    return tell


def always(best: str, worst: str) -> Teller:
    """Gives a rater who always names the same two arms."""
    return lambda _rng, _one, arms: (arms.index(best), arms.index(worst))


def first_and_second() -> Teller:
    """Gives a rater who looks at places only."""
    return lambda _rng, _one, _arms: (0, 1)


def panel(*names: str, **more: object) -> PanelPlan:
    """Gives a panel of judges by name, each of a family of its own."""
    return PanelPlan(
        policy=Policy.PANEL,
        judges=tuple(JudgePlan(name=n, model={}, family=f"family of {n}") for n in names),
        **more,  # type: ignore[arg-type]  # the fields are those of the record
    )


def preferring(worth: Mapping[str, float], place: float = 0.0, local: float = 0.0) -> JudgeTeller:
    """Gives a judge who feels each arm's worth with noise, and leans to the first place."""
    felt = feeling(worth, local=local)

    def tell(
        rng: np.random.Generator, one: RatingSet, arms: tuple[str, ...]
    ) -> Mapping[str, object]:
        if rng.random() < place:
            return {"best": 0, "worst": len(arms) - 1}
        best, worst = felt(rng, one, arms)
        return {"best": best, "worst": worst if len(arms) > 2 else None}

    return tell


def checks(n: int, kind: SetKind = SetKind.SILENT, axis: str = "style") -> list[RatingSet]:
    """Gives check sets whose best is C3 and whose worst is C0."""
    return [
        RatingSet(
            id=f"check-{kind.value}-{i}",
            axis=axis,
            unit=f"u{i:03d}",
            arms=ARMS,
            kind=kind,
            best="C3",
            worst="C0",
        )
        for i in range(n)
    ]
