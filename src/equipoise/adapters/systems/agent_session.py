"""What one session of an agent leaves: its answer and the documents that are kept of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from msgspec.structs import replace

from equipoise.adapters.systems.endings import infrastructure
from equipoise.adapters.systems.witnessing import witnessed
from equipoise.ports import Answer
from equipoise.ports.agents import Ended, Frozen, Told
from equipoise.records.call import ModelCall
from equipoise.records.codec import encode
from equipoise.records.trial import Ending, EndingKind, Fault, Reason, Usage

_OUTCOMES = (EndingKind.COMPLETED, EndingKind.BUDGET, EndingKind.REFUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that has ended: how its job ended, its calls, what it says, what it did.

    `model` is the one that the study names for it; what its calls asked for is believed first.
    `exchanges` are the calls as they went over the wire, by document name; `seed` is what the study
    says of the seed, with its hash; `took_s` the seconds of each step, in the order in which they
    happened. `frozen` is an ending where nobody can say what it did. `limit_s` is the time that the
    session had. `turns` says of its turns what is to be said, `between` what stood after each.
    """

    model: str
    ended: Ended
    calls: Sequence[ModelCall]
    exchanges: Mapping[str, bytes]
    told: Told
    frozen: Frozen | Ending
    limit_s: float
    seed: Mapping[str, Any]
    took_s: Mapping[str, float]
    turns: Mapping[str, Any]
    between: Mapping[str, bytes]

    def answer(self, versions: Mapping[str, str]) -> Answer:
        """Gives the answer; `versions` are those of the surroundings."""
        told = self.told
        stops = [call.stop_reason for call in self.calls if call.stop_reason]
        return Answer(
            ending=self._ending(),
            output=told.output,
            documents=self._documents(),
            duration_ms=self.ended.duration_ms,
            exit_code=self.ended.exit_code,
            usage=told.usage,
            cost_usd=cost_of(self.calls),
            model=next((call.model_asked for call in self.calls if call.model_asked), self.model),
            model_answered=told.model_answered,
            stop_reason=stops[-1] if stops else None,
            counts=told.counts,
            versions={**versions, **told.versions},
        )

    def _ending(self) -> Ending:
        """Gives how it ended; a workspace that cannot be frozen takes an outcome away."""
        said, unfrozen = self.told.ending, self.frozen
        if isinstance(unfrozen, Frozen):
            return said
        if said.kind in _OUTCOMES:
            return unfrozen
        return replace(said, detail=f"{said.detail}; {unfrozen.detail}".removeprefix("; "))

    def _documents(self) -> dict[str, bytes]:
        frozen = self.frozen if isinstance(self.frozen, Frozen) else None
        documents = dict(self.between)
        documents |= {name: kept for name, kept in self.told.documents.items() if kept}
        documents |= {**self.exchanges, **documents_of(self.calls)}
        documents["witness.jsonl"] = witnessed(self.told, self.exchanges)
        told: dict[str, Any] = {}
        if frozen is not None:
            documents["diff.patch"] = frozen.diff
            documents["tree.json"] = encode(dict(frozen.tree))
            artifacts = frozen.artifacts.items()
            documents |= {f"artifacts/{path}": content for path, content in artifacts}
            told["escapes"] = frozen.escapes
            told["commits"] = frozen.commits
            told["is_listed"] = frozen.is_listed
        documents["session.json"] = encode(
            {
                **told,
                "steps": [{"step": name, "took_s": round(s, 3)} for name, s in self.took_s.items()],
                "seed": dict(self.seed),
                **self.turns,
                "how": self.ended.how.value,
                "limit_s": self.limit_s,
                "ran_s": round(self.ended.duration_ms / 1000, 3),
                "exceeded": self.ended.exceeded,
                "unbounded": self.ended.unbounded,
                "offered": self.told.offered,
                "selected": self.told.selected,
                "is_whole": frozen is not None and frozen.is_whole,
            }
        )
        return documents


def failed(
    why: str,
    model: str,
    calls: Sequence[ModelCall],
    exchanges: Mapping[str, bytes],
    versions: Mapping[str, str],
) -> Answer:
    """Gives the answer of a session that did not come to its end, with what was paid for it."""
    return Answer(
        ending=infrastructure(why, is_retriable=False),
        documents={**exchanges, **documents_of(calls)},
        usage=_usage_of(calls),
        cost_usd=cost_of(calls),
        model=model,
        model_answered=next((c.model_answered for c in reversed(calls) if c.model_answered), None),
        versions=versions,
    )


def unread(why: str, ended: Ended, calls: Sequence[ModelCall]) -> Told:
    """Gives what is told of a session whose files nobody could read."""
    return Told(
        ending=Ending(
            kind=EndingKind.HARNESS_ERROR,
            fault=Fault.HARNESS,
            reason=Reason.ENVIRONMENT,
            detail=why[:300],
        ),
        usage=_usage_of(calls),
        documents={"stdout": ended.stdout, "stderr": ended.stderr},
    )


def documents_of(calls: Sequence[ModelCall]) -> dict[str, bytes]:
    """Gives the calls of a session as they are kept; nothing where none was made."""
    if not calls:
        return {}
    return {"calls.jsonl": b"".join(encode(call) + b"\n" for call in calls)}


def _usage_of(calls: Sequence[ModelCall]) -> Usage | None:
    told = [call.usage for call in calls if call.usage is not None]
    return reduce(Usage.plus, told) if told else None


def cost_of(calls: Sequence[ModelCall]) -> float | None:
    """Gives what calls cost together, in US dollars.

    Null where one has no known price, or none was made: what nobody knows is not 0.
    """
    if not calls or any(call.cost is None for call in calls):
        return None
    return sum(call.cost.usd for call in calls if call.cost)
