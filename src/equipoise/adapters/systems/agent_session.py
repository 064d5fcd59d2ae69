"""What one session of an agent leaves: its answer and the documents that are kept of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.ports import Answer
from equipoise.ports.agents import Ended, Frozen, Told
from equipoise.records.call import ModelCall
from equipoise.records.codec import encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that has ended: how its job ended, its calls, what it says, what it did.

    `exchanges` are the calls as they went over the wire, by document name; `seed` is what the study
    says of the seed, with its hash; `took_s` the seconds of each step, in the order in which they
    happened.
    """

    ended: Ended
    calls: Sequence[ModelCall]
    exchanges: Mapping[str, bytes]
    told: Told
    frozen: Frozen
    seed: Mapping[str, Any]
    took_s: Mapping[str, float]

    def answer(self, versions: Mapping[str, str]) -> Answer:
        """Gives the answer; `versions` are those of the surroundings."""
        told = self.told
        stops = [call.stop_reason for call in self.calls if call.stop_reason]
        return Answer(
            ending=told.ending,
            output=told.output,
            documents=self._documents(),
            duration_ms=self.ended.duration_ms,
            exit_code=self.ended.exit_code,
            usage=told.usage,
            cost_usd=cost_of(self.calls),
            model_answered=told.model_answered,
            stop_reason=stops[-1] if stops else None,
            counts=told.counts,
            versions={**versions, **told.versions},
        )

    def _documents(self) -> dict[str, bytes]:
        frozen = self.frozen
        documents = {name: kept for name, kept in self.told.documents.items() if kept}
        documents |= self.exchanges
        documents["diff.patch"] = frozen.diff
        documents["tree.json"] = encode(dict(frozen.tree))
        documents |= {f"artifacts/{path}": content for path, content in frozen.artifacts.items()}
        if self.calls:
            documents["calls.jsonl"] = b"".join(encode(call) + b"\n" for call in self.calls)
        documents["session.json"] = encode(
            {
                "steps": [{"step": name, "took_s": round(s, 3)} for name, s in self.took_s.items()],
                "seed": dict(self.seed),
                "how": self.ended.how.value,
                "unbounded": self.ended.unbounded,
                "offered": self.told.offered,
                "selected": self.told.selected,
                "escapes": frozen.escapes,
                "is_whole": frozen.is_whole,
                "commits": frozen.commits,
            }
        )
        return documents


def cost_of(calls: Sequence[ModelCall]) -> float | None:
    """Gives what calls cost together, in US dollars.

    Null where one has no known price, or none was made: what nobody knows is not 0.
    """
    if not calls or any(call.cost is None for call in calls):
        return None
    return sum(call.cost.usd for call in calls if call.cost)
