"""Puts together what is told of a cell: the gateway's calls, the harness's files, how it ended."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from equipoise.adapters.agents.asked import prompt_of, sha256, skills_sha256, touched
from equipoise.adapters.agents.transcripts import Transcript
from equipoise.adapters.transcripts.acts import united
from equipoise.adapters.transcripts.classifying import classified
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.usage import added
from equipoise.gateway.truncation import is_void
from equipoise.ports.agents import Ended, HowEnded, Task, Told
from equipoise.records.call import ModelCall
from equipoise.records.codec import encode
from equipoise.records.conduct import Act
from equipoise.records.trial import Usage

_OK = range(200, 300)
_SPENT = "spending_cap"
_OTHER_MODEL = frozenset({"wrong_model", "no_model"})
_OURS = frozenset({"closed", "client_gone"})
"""Faults of a call that nobody answered because the session ended first."""
_MAX_STREAM = 16 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a harness's own files gave.

    `facts`: of the transcript. `stream`: of what it printed, where that says what the transcript
    does not (how it ended, what was offered). `given`: what we wrote for the cell, as it was.
    `must_call` = it cannot work without calling its model. `own_tools` are those that it offers
    beside any that are asked for. `acts` are calls of tools that stand in neither. `witness` names
    who else than the agent knows its calls, and which they were.
    """

    harness: str
    facts: Facts | None = None
    stream: Facts | None = None
    signs: tuple[Sign, ...] = ()
    n_bad_lines: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    documents: Mapping[str, bytes] = field(default_factory=dict)
    output: bytes | None = None
    given: Mapping[str, bytes] = field(default_factory=dict)
    version: str = ""
    must_call: bool = True
    offered_skills: tuple[str, ...] | None = None
    own_tools: frozenset[str] = frozenset()
    acts: tuple[Act, ...] = ()
    witness: tuple[str, tuple[Act, ...]] | None = None


def found_in(read: Transcript, harness: str, document: str) -> Found:
    """Gives what a transcript says; it is kept as `document` where there is one."""
    return Found(
        harness=harness,
        facts=read.facts,
        signs=read.signs,
        n_bad_lines=read.n_bad_lines,
        documents={} if read.content is None else {document: read.content},
    )


def told(task: Task, ended: Ended, calls: Sequence[ModelCall], found: Found) -> Told:
    """Gives what is told of a cell; the calls of the gateway have authority."""
    facts = found.facts or found.stream or Facts(harness=found.harness)
    stream = found.stream or facts
    offered = _offered(calls, facts, stream, found)
    signs = [
        *(_explained(sign, ended) for sign in found.signs),
        *(Sign("tampered", f"({name} was changed)") for name in touched(task, found.given)),
        *_signs_of_end(ended, calls, found),
        *_signs_of_calls(task, calls),
        *_signs_of_offer(task, offered, found),
        *_signs_of_version(facts, stream, found),
        *_signs_of_record(facts, found),
        *_signs_of_forgery(facts, calls, found),
    ]
    usage = _usage(calls)
    versions = _versions(task, facts, stream, offered, found)
    output = stream.output if stream.output is not None else facts.output
    return Told(
        ending=classified(signs),
        output=found.output if found.output is not None or output is None else output.encode(),
        usage=usage or facts.usage or stream.usage,
        counts=_counts(facts, stream, calls, found, is_measured=usage is not None),
        offered=offered,
        selected=facts.selected,
        documents=_documents(ended, found)
        | _acts(found)
        | {"identity.json": _identity(task, calls, versions, offered)},
        versions=versions,
        model_answered=_last_answered(calls) or facts.model,
        witness=found.witness,
    )


def _explained(sign: Sign, ended: Ended) -> Sign:
    """Adds the harness's last words, where it left nothing else that could say why."""
    if sign.word != "no_transcript":
        return sign
    lines = ended.stderr[-4000:].decode(errors="replace").strip().splitlines()
    words = "".join(one if one.isprintable() else " " for one in lines[-1][:200]) if lines else ""
    return Sign(sign.word, f"{sign.detail}: {words}" if words else sign.detail)


def _signs_of_end(ended: Ended, calls: Sequence[ModelCall], found: Found) -> Iterable[Sign]:
    if ended.how is HowEnded.NOT_STARTED:
        word = "not_started" if ended.signal is None else "start_killed"
        yield Sign(word, ended.detail and f"({ended.detail})")
    elif ended.how is HowEnded.OUTPUT_LIMIT:
        yield Sign("output_limit")
    elif ended.how is HowEnded.TIMED_OUT:
        is_silent = found.must_call and not calls
        yield Sign("silent" if is_silent else "timed_out", f"({ended.duration_ms / 1000:.1f} s)")
    elif ended.how is HowEnded.SIGNALLED:
        yield Sign("signalled", str(ended.signal))


def _signs_of_calls(task: Task, calls: Sequence[ModelCall]) -> Iterable[Sign]:
    if is_void(calls):
        yield Sign("truncated", "(at the gateway)")
    others = {call.model_asked for call in calls if call.model_asked not in {task.model, ""}}
    for name in sorted(others):
        yield Sign("other_model", f"({name})")
    if not calls:
        return
    last = calls[-1]
    if last.fault in _OTHER_MODEL:
        yield Sign("other_model", f"({last.model_asked or 'none was named'})")
    if last.is_refusal:
        yield Sign("refused", "(at the gateway)")
    if last.fault == _SPENT:
        yield Sign("spending_cap")
    elif last.fault not in _OURS and (last.status not in _OK or last.fault):
        status = "" if last.status is None or last.status in _OK else str(last.status)
        yield Sign("api_error", f"{status} {last.fault}".strip() or "no answer")


def _signs_of_offer(
    task: Task, offered: Mapping[str, tuple[str, ...]], found: Found
) -> Iterable[Sign]:
    tools = set(offered.get("tools", ())) - found.own_tools
    if tools and task.tools:
        missing, more = set(task.tools) - tools, tools - set(task.tools)
        yield from (Sign("not_offered", f"(tool {name})") for name in sorted(missing))
        yield from (Sign("offered_too", f"(tool {name})") for name in sorted(more))
    if "skills" in offered and not task.is_skill_forced:
        names = {name.rpartition(":")[2] for name in offered["skills"]}
        wanted = {skill.name for skill in task.skills}
        yield from (Sign("not_offered", f"(skill {name})") for name in sorted(wanted - names))


def _signs_of_version(facts: Facts, stream: Facts, found: Found) -> Iterable[Sign]:
    seen = {*facts.all_versions, *stream.all_versions}
    if found.version and seen:
        seen.add(found.version)
    if len(seen) > 1:
        yield Sign("other_version", f"({', '.join(sorted(seen))})")


def _signs_of_record(facts: Facts, found: Found) -> Iterable[Sign]:
    if found.stream is not None:
        yield from found.stream.signs
        yield from (sign for sign in facts.signs if sign.word not in {"no_end", "done"})
    elif found.facts is not None:
        yield from facts.signs


def _signs_of_forgery(facts: Facts, calls: Sequence[ModelCall], found: Found) -> Iterable[Sign]:
    """A transcript cannot have more answers than were asked for on the only way to a model."""
    n_answers = facts.n_answers or 0
    if found.must_call and found.facts is not None and n_answers > len(calls):
        yield Sign("tampered", f"(the transcript has {n_answers} answers to {len(calls)} calls)")


def _offered(
    calls: Sequence[ModelCall], facts: Facts, stream: Facts, found: Found
) -> dict[str, tuple[str, ...]]:
    by_call = sorted({tool for call in calls for tool in call.tools_offered})
    offered = {"tools": tuple(by_call)} if by_call else {}
    listed = dict(facts.offered) | dict(stream.offered)
    if found.offered_skills is not None:
        listed["skills"] = found.offered_skills
    return listed | offered


def _usage(calls: Sequence[ModelCall]) -> Usage | None:
    total: Usage | None = None
    for call in calls:
        total = added(total, call.usage)
    return total


def _counts(
    facts: Facts,
    stream: Facts,
    calls: Sequence[ModelCall],
    found: Found,
    *,
    is_measured: bool,
) -> dict[str, int]:
    unknown = sum(facts.unknown.values())
    if found.facts is not None and found.stream is not None:
        unknown += sum(stream.unknown.values())
    counts = {"tool_calls": 0, "handoffs": 0} | dict(facts.counts) | dict(found.counts)
    counts |= {"unknown_events": unknown, "model_calls": len(calls)}
    counts |= {"bad_lines": found.n_bad_lines} if found.n_bad_lines else {}
    if found.facts is not None and found.stream is not None:
        lost = facts.counts.get("tool_calls", 0) - stream.counts.get("tool_calls", 0)
        counts |= {"lost_events": lost} if lost > 0 else {}
    if calls:
        counts["turns"] = sum(1 for call in calls if call.status in _OK and not call.fault)
    return counts | {"usage_by_gateway": int(is_measured)}


def _documents(ended: Ended, found: Found) -> dict[str, bytes]:
    documents = dict(found.documents)
    if ended.stdout:
        documents["stdout"] = ended.stdout[:_MAX_STREAM]
    if ended.stderr:
        documents["stderr"] = ended.stderr[:_MAX_STREAM]
    return documents


def _acts(found: Found) -> dict[str, bytes]:
    """What tools were asked to do; no document where nothing says it."""
    if found.facts is None and found.stream is None:
        return {}
    told_of = (*(found.facts.acts if found.facts else ()), *found.acts)
    printed = found.stream.acts if found.stream else ()
    acts = united(told_of, printed) if found.facts else (*printed, *found.acts)
    if not acts and not any(
        "tool_calls" in one.counts for one in (found.facts, found.stream) if one
    ):
        return {}
    return {"acts.jsonl": b"".join(encode(one) + b"\n" for one in acts) or b"\n"}


def _versions(
    task: Task,
    facts: Facts,
    stream: Facts,
    offered: Mapping[str, tuple[str, ...]],
    found: Found,
) -> dict[str, str]:
    versions = dict(stream.versions) | dict(facts.versions)
    if found.version and not versions:
        versions[found.harness.replace("-", "_")] = found.version
    if task.system_prompt:
        versions["system_prompt_sha256"] = sha256(task.system_prompt)
    if task.skills:
        versions["skills_sha256"] = skills_sha256(task)
    if offered.get("tools"):
        versions["tools"] = ",".join(sorted(offered["tools"]))
    return versions


def _identity(
    task: Task,
    calls: Sequence[ModelCall],
    versions: Mapping[str, str],
    offered: Mapping[str, tuple[str, ...]],
) -> bytes:
    """What this one session was given: hashes that differ from cell to cell are no versions."""
    known = {
        "versions": versions,
        "model": task.model,
        "model_answered": _last_answered(calls),
        "prompt_sha256": sha256(prompt_of(task)),
        "first_request_sha256": calls[0].request_sha256 if calls else None,
        "tools": sorted(offered.get("tools", ())),
        "skills": sorted(offered.get("skills", ())),
    }
    return json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False).encode()


def _last_answered(calls: Sequence[ModelCall]) -> str | None:
    return next((c.model_answered for c in reversed(calls) if c.model_answered), None)


def with_signs(found: Found, *signs: Sign) -> Found:
    """Gives the same with further signs."""
    return replace(found, signs=(*found.signs, *signs))
