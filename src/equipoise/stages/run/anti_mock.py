"""The anti-mock preflight: the system must react to what it is asked, as no canned answer can."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
from msgspec import structs

from equipoise.errors import InputError
from equipoise.ports import Answer, Probe, System
from equipoise.records.brief import Brief, Request
from equipoise.records.codec import digest, identity_of
from equipoise.records.trial import EndingKind
from equipoise.stages.run.schedule import is_worth_another

KEYS = ("canary", "labels", "differs", "echoes", "state_changes", "probe_sees")
_MARK = "{nonce}"
_N_CANARIES = 2
_N_UNITS = 3
_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0
_EXAMPLE = "anti_mock: {canary: {text: 'hello {nonce}'}, echoes: true}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """What is sent to the system, and what that must bring about.

    `briefs` are sent one after another, with chance in place of ``{nonce}``. `differs`: the answers
    must not all be the same; `echoes`: each answer must hold its nonce; `state_changes`: the state
    must be another afterwards; `probe_sees`: this probe must find something of each.
    """

    briefs: tuple[Brief, ...]
    differs: bool = False
    echoes: bool = False
    state_changes: bool = False
    probe_sees: str = ""
    is_declared: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What canaries are tried on; `state` gives the state's hash, or is null without a state.

    A canary that a passing fault keeps from its answer is sent again with another nonce, as a cell
    is: `max_attempts` times in all.
    """

    system: System
    probes: Sequence[Probe]
    state: Callable[[], Awaitable[str]] | None
    nonce: Callable[[], str]
    arm: str
    timeout_s: float
    workspace: Callable[[str], str]
    max_attempts: int = 1


def canary_of(spec: Mapping[str, Any], briefs: Sequence[Brief]) -> Canary:
    """Reads the plan's `anti_mock`; without one, a few units of the study are sent as canaries.

    Raises:
        InputError: there is no canary, a key is not known, or nothing is expected of it.
    """
    if not spec:
        return Canary(briefs=_spread(briefs), differs=True, is_declared=False)
    if unknown := sorted(spec.keys() - set(KEYS)):
        raise InputError(
            f"anti_mock has the key {unknown[0]!r}", wanted=f"some of {', '.join(KEYS)}"
        )
    if not isinstance(spec.get("canary"), Mapping):
        raise InputError("anti_mock has no canary", wanted="a brief", mend=_EXAMPLE)
    content, labels = spec["canary"], dict(spec.get("labels", {}))
    canary = Canary(
        briefs=tuple(
            Brief(unit=f"canary-{n}", content=content, labels=labels)
            for n in range(1, _N_CANARIES + 1)
        ),
        differs=_truth(spec, "differs", default=not spec.keys() & set(KEYS[3:])),
        echoes=_truth(spec, "echoes"),
        state_changes=_truth(spec, "state_changes"),
        probe_sees=str(spec.get("probe_sees", "")),
    )
    if not (canary.differs or canary.echoes or canary.state_changes or canary.probe_sees):
        wanted = f"at least one of {', '.join(KEYS[2:])}"
        raise InputError("anti_mock expects nothing of its canary", wanted=wanted, mend=_EXAMPLE)
    if (canary.differs or canary.echoes) and _MARK not in str(content):
        raise InputError(
            "anti_mock.canary holds no {nonce}",
            wanted="a place for what is drawn by chance",
            mend=_EXAMPLE,
        )
    return canary


async def anti_mock_faults(canary: Canary, bench: Bench) -> list[str]:
    """Sends the canaries and gives what shows that nothing real answered; empty = passed."""
    if canary.probe_sees and canary.probe_sees not in {p.name for p in bench.probes}:
        return [f"anti_mock.probe_sees names {canary.probe_sees!r}, and there is no such probe"]
    if canary.state_changes and bench.state is None:
        return ["anti_mock.state_changes is wanted, and the plan has no state"]
    answers: list[Answer] = []
    faults: list[str] = []
    for brief in canary.briefs:
        before = await bench.state() if bench.state and canary.state_changes else ""
        nonce, request, answer = await _answered(brief, bench)
        if answer.ending.kind is not EndingKind.COMPLETED or answer.output is None:
            mend = "see that what answers is up, and reached from here"
            if answer.ending.kind is EndingKind.COMPLETED:
                mend = "have it answer; a command that is an agent says in `result` where it does"
            times = f" in {request.attempt} attempts" if request.attempt > 1 else ""
            told = f"got no answer{times}: {_told(answer)}"
            return [f"canary {brief.unit} {told}; mend: {mend}"]
        answers.append(answer)
        if canary.echoes and nonce.encode() not in answer.output:
            faults.append(f"the answer to {brief.unit} does not hold what it was asked with")
        if bench.state and canary.state_changes and await bench.state() == before:
            faults.append(f"{brief.unit} changed nothing in the state")
        faults += await _unseen(canary, bench, request)
    if canary.differs and len({digest(answer.output or b"") for answer in answers}) == 1:
        faults.append(_same(canary, answers))
    return faults


async def _answered(brief: Brief, bench: Bench) -> tuple[str, Request, Answer]:
    """Sends a canary, again where what failed may pass; gives its last nonce, request, answer."""
    attempt = 1
    while True:
        nonce = bench.nonce()
        request = _request(brief, bench, nonce, attempt)
        answer = await bench.system.canary(request)
        if attempt >= bench.max_attempts or not is_worth_another(answer.ending):
            return nonce, request, answer
        await anyio.sleep(min(answer.retry_after_s or _PAUSE_S, _LONGEST_PAUSE_S))
        attempt += 1


def _same(canary: Canary, answers: Sequence[Answer]) -> str:
    codes = {answer.exit_code for answer in answers}
    if not codes & {0, None}:
        ended = ", ".join(str(code) for code in sorted(codes - {None}, key=str))
        said = _last_line(answers[-1].documents.get("stderr", b""))
        return (
            f"all {len(answers)} requests ended with exit code {ended} and the same output, so "
            f"that nothing shows what the system does{f'; it said: {said}' if said else ''}"
        )
    told = (
        f"{len(canary.briefs)} requests with different content got the same answer, byte for byte, "
        "as a stub with canned answers gives it"
    )
    return told if canary.is_declared else f"{told}; a canary of your own says more: {_EXAMPLE}"


def _spread(briefs: Sequence[Brief]) -> tuple[Brief, ...]:
    """Gives a few units with different content, of different labels where there are any."""
    found: dict[str, Brief] = {}
    ordered = sorted(briefs, key=lambda b: (identity_of("canary", b.unit), b.unit))
    for key in ("labels", "content"):
        for brief in ordered:
            same = brief.labels if key == "labels" else brief.content
            seen = [b.labels if key == "labels" else b.content for b in found.values()]
            if len(found) < _N_UNITS and brief.unit not in found and same not in seen:
                found[brief.unit] = brief
    return tuple(found.values())


async def _unseen(canary: Canary, bench: Bench, request: Request) -> list[str]:
    faults = []
    for probe in bench.probes:
        if probe.name == canary.probe_sees:
            found = await probe.collect(request)
            if not any(found.documents.values()):
                why = found.unavailable or "it found nothing"
                faults.append(f"probe {probe.name} saw nothing of {request.brief.unit}: {why}")
    return faults


def _request(brief: Brief, bench: Bench, nonce: str, attempt: int) -> Request:
    trial = identity_of("canary", bench.arm, brief.unit, nonce)
    return Request(
        trial=trial,
        brief=structs.replace(brief, content=_with(brief.content, nonce)),
        arm=bench.arm,
        repetition=1,
        attempt=attempt,
        seed=int(identity_of("canary seed", nonce), 16) >> 1,
        timeout_s=bench.timeout_s,
        workspace=bench.workspace(trial),
    )


def _with(content: Any, nonce: str) -> Any:
    if isinstance(content, str):
        return content.replace(_MARK, nonce)
    if isinstance(content, Mapping):
        return {key: _with(value, nonce) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_with(item, nonce) for item in content]
    return content


def _last_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip()[:200] if lines else ""


def _told(answer: Answer) -> str:
    return answer.ending.detail or answer.ending.kind.value


def _truth(spec: Mapping[str, Any], key: str, *, default: bool = False) -> bool:
    value = spec.get(key, default)
    if value in {True, "true"}:
        return True
    if value in {False, "false"}:
        return False
    raise InputError(f"anti_mock.{key} is {value!r}", wanted="true or false")
