"""Asks model judges, and keeps what each said: resumed after any end, nothing is asked twice."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import msgspec

from equipoise.adapters.models.forms import FORMS
from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.errors import Blocked, EquipoiseError
from equipoise.gateway.exchange import unpack
from equipoise.gateway.wire.facts import Api, mapping
from equipoise.pipeline.judging_terms import Means, Progress, Told, is_settled, spent
from equipoise.ports.models import ChatModel, Prompt, Reply
from equipoise.records.judgement import Judgement, ReadState, standing
from equipoise.records.rating_plan import JudgePlan, PanelPlan
from equipoise.stages.grade.judges.asking import Posed, Question, posed, request_sha256
from equipoise.stages.grade.judges.policies import temperature_of
from equipoise.stages.grade.judges.reading import Unreadable, read, refuse_misquoted

MOST_FAILURES = 5
"""After so many questions in a row that nobody answered, asking stops."""

_CAP = "spending_cap"
_REFUSED_REQUESTS = frozenset({"invalid_request_error", "unsupported_value", "INVALID_ARGUMENT"})


@dataclass(slots=True, kw_only=True)
class _Sitting:
    """One judge being asked.

    `kept` has the answers whose judgement was lost when a process died: document name -> sha256.
    `freed` is set when an answer has come, and with it money that was set aside.
    """

    plan: JudgePlan
    panel: PanelPlan
    archive: Archive
    chat: ChatModel
    means: Means
    told: Told
    before: dict[tuple[str, str, int, int, str], Judgement]
    n_total: int
    kept: Mapping[str, str]
    failures: int = 0
    answered_as: set[str] = field(default_factory=set)
    n_in_flight: int = 0
    freed: anyio.Event = field(default_factory=anyio.Event)


@contextmanager
def appending(place: Path) -> Iterator[Archive]:
    """Gives the archive to be appended to; however that ends, what is durable is taken up.

    What an interruption left half written is given up, and never made good by a commit.
    """
    try:
        with Archive.append_to(place) as archive:
            yield archive
    except BaseException:
        with suppress(EquipoiseError), Archive.append_to(place):
            pass
        raise


def ask_judges(
    archive: Archive, panel: PanelPlan, questions: Iterable[Question], means: Means
) -> Told:
    """Asks what is not answered yet, judge after judge, and appends each answer as it comes.

    Args:
        archive: of kind ``rating``, open for appending.
        panel: the plan of the judges.
        questions: all that are to be answered; those that are, are not asked again.
        means: what it works with.

    Raises:
        Blocked: a judge cannot be asked at all (its key is missing), or another model than before
            answers under its name.
        StorageFull: the disk took no more.
    """
    try:
        told = anyio.run(_ask, archive, panel, list(questions), means)
    except BaseExceptionGroup as group:
        raise _first(group) from group
    archive.commit()
    return told


async def _ask(
    archive: Archive, panel: PanelPlan, questions: Sequence[Question], means: Means
) -> Told:
    every = list(archive.read(Judgement))
    answers = (one for one in every if one.state is not ReadState.FAILED)
    before = {_key(one): one for one in standing(answers)}
    usd, n_unpriced = spent(every)
    told = Told(n_asked=len(questions), usd=usd, n_unpriced=n_unpriced)
    raws = {one.raw for one in every}
    kept = {
        document.name: document.sha256
        for document in archive.read(Document)
        if document.sha256 not in raws
    }
    limits = [limit for limit in (panel.max_usd, means.max_usd) if limit is not None]
    due: dict[str, list[Question]] = {judge.name: [] for judge in panel.judges}
    for question in questions:
        one = before.get(question.key)
        if one is None or not is_settled(one, panel):
            due[question.judge].append(question)
    asked = [judge for judge in panel.judges if due[judge.name]]
    for judge in asked if len(asked) > 1 else ():
        async with means.opened(judge, 0.0):
            pass  # that a judge lacks its key is known before any is paid
    for judge in asked:
        if told.stopped:
            break
        left = max(0.0, min(limits) - (told.usd or 0.0) - means.spent_usd) if limits else None
        async with means.opened(judge, left) as chat:
            sitting = _Sitting(
                plan=judge,
                panel=panel,
                archive=archive,
                chat=chat,
                means=means,
                told=told,
                before=before,
                n_total=len(questions),
                kept=kept,
                answered_as=_answered_as(every, judge.name),
            )
            await _sit(sitting, due[judge.name])
    return told


async def _sit(sitting: _Sitting, todo: Sequence[Question]) -> None:
    send, receive = anyio.create_memory_object_stream[Question](len(todo))
    for question in todo:
        send.send_nowait(question)
    send.close()
    async with receive, anyio.create_task_group() as group:
        for _ in range(max(1, min(sitting.panel.concurrency, len(todo)))):
            group.start_soon(_work, sitting, receive.clone())


async def _work(sitting: _Sitting, questions: Any) -> None:
    async with questions:
        async for question in questions:
            if sitting.told.stopped:
                return
            await _answered(sitting, question)
            _tell(sitting)


async def _answered(sitting: _Sitting, question: Question) -> None:
    """Asks one question until it has an answer that can be read, or enough that cannot."""
    put = posed(question, max_chars=sitting.panel.max_chars)
    plain, before = put, sitting.before.get(question.key)
    if before is not None:
        put = plain.again(before.why)
    n_before = before.attempts if before else 0
    for attempt in range(n_before + 1, sitting.panel.max_attempts + 1):
        if sitting.told.stopped:
            return
        reply = _found(sitting, question, attempt)
        is_kept = reply is not None
        if reply is None:
            reply = await _complete(sitting, _prompt(sitting.plan, question, put))
        judgement = _judged(sitting, question, put, reply, attempt)
        _keep(sitting, question, judgement, b"" if is_kept else reply.document)
        if judgement.state is not ReadState.UNREADABLE:
            return
        put = plain.again(judgement.why)


async def _complete(sitting: _Sitting, prompt: Prompt) -> Reply:
    """Asks; where money is set aside for other questions under way, waits for it to be free."""
    while True:
        sitting.n_in_flight += 1
        try:
            reply = await sitting.chat.complete(prompt)
        finally:
            sitting.n_in_flight -= 1
        if reply.call.fault != _CAP:
            sitting.freed.set()
            sitting.freed = anyio.Event()
            return reply
        if not sitting.n_in_flight or sitting.told.stopped:
            return reply
        await sitting.freed.wait()


def _found(sitting: _Sitting, question: Question, attempt: int) -> Reply | None:
    """Gives the answer that is kept already, though its judgement was lost; null = none is."""
    sha256 = sitting.kept.get(_document(question, attempt))
    if sha256 is None:
        return None
    document = b"".join(sitting.archive.blobs.chunks(sha256))
    exchange = unpack(document, where=question.name)
    call = exchange.call
    text = None
    if not (call.fault or call.is_truncated or call.is_refusal):
        text = FORMS[Api(call.api)].text(mapping(msgspec.json.decode(exchange.answer)))
    return Reply(text=text, call=call, document=document)


def _document(question: Question, attempt: int) -> str:
    return f"{question.name}/calls/{attempt:04d}.json"


def _prompt(judge: JudgePlan, question: Question, put: Posed) -> Prompt:
    model = judge.model
    return Prompt(
        trial=question.name,
        model=str(model["model"]),
        messages=put.messages,
        max_tokens=int(model.get("max_tokens") or 2048),
        temperature=temperature_of(judge),
        seed=int(model["seed"]) + question.repeat if model.get("seed") is not None else None,
        json_schema=put.schema,
    )


def _judged(
    sitting: _Sitting, question: Question, put: Posed, reply: Reply, attempt: int
) -> Judgement:
    call = reply.call
    state, why, verdict = ReadState.READ, "", None
    if call.fault:
        state, why = ReadState.FAILED, call.fault
    elif call.is_refusal:
        state, why = ReadState.REFUSED, call.stop_reason or "it declined"
    elif call.is_truncated:
        state, why = ReadState.TRUNCATED, "the answer met its token limit"
    else:
        try:
            verdict = read(reply.text or "", question.packet)
            if attempt < sitting.panel.max_attempts:
                refuse_misquoted(verdict, question.packet)
        except Unreadable as error:
            verdict, state, why = None, ReadState.UNREADABLE, str(error)
    judge = sitting.plan
    settings = {key: value for key, value in judge.model.items() if key != "provider"}
    return Judgement(
        packet=question.packet.id,
        judge=judge.name,
        repeat=question.repeat,
        order=question.order,
        template=question.template,
        state=state,
        why=why,
        model_asked=call.model_asked,
        model_answered=call.model_answered,
        provider=call.answered_by,
        family=judge.family,
        at=sitting.means.clock().isoformat(timespec="milliseconds"),
        request=request_sha256(question, put, settings),
        attempts=attempt,
        temperature=temperature_of(judge),
        usage=call.usage,
        cost=call.cost,
        is_cached=call.answered_by == "replay",
        is_simulated=call.is_simulated,
        best=verdict.best if verdict else None,
        worst=verdict.worst if verdict else None,
        is_tie=verdict is not None and verdict.is_tie,
        scores=verdict.scores if verdict else {},
        quotes=verdict.quotes if verdict else {},
        covers=verdict.covers if verdict else {},
    )


def _keep(sitting: _Sitting, question: Question, judgement: Judgement, document: bytes) -> None:
    """Appends what came, and makes it durable before anything else is asked.

    `document` is empty where it is kept already.
    """
    told, archive = sitting.told, sitting.archive
    if judgement.state is ReadState.FAILED and judgement.why == _CAP:
        told.stopped = told.stopped or (
            "the next question might exceed what may be spent; mend: raise max_usd and grade again"
        )
        return
    _refuse_other_model(sitting, judgement)
    name = _document(question, judgement.attempts)
    raw = sitting.kept.get(name, "")
    if document and judgement.state is not ReadState.FAILED:
        raw = archive.attach_later(name, document).sha256
    judgement = msgspec.structs.replace(judgement, raw=raw)
    archive.append(judgement)
    archive.sync()
    if judgement.cost is not None:
        told.usd = (told.usd or 0.0) + judgement.cost.usd
    else:
        told.n_unpriced += 1
    if judgement.state is not ReadState.FAILED:
        sitting.before[question.key] = judgement
        told.n_new += 1
        sitting.failures = 0
        return
    sitting.failures += 1
    if sitting.failures >= MOST_FAILURES:
        hint = ""
        if judgement.why in _REFUSED_REQUESTS and judgement.temperature is not None:
            hint = " (a model that takes no temperature wants `temperature: none`, in a new plan)"
        told.stopped = told.stopped or (
            f"judge {sitting.plan.name!r} gave no answer {sitting.failures} times in a row "
            f"({judgement.why}); mend: put that right{hint} and grade again"
        )


def _refuse_other_model(sitting: _Sitting, judgement: Judgement) -> None:
    """Stops where another model answers than before: one judge judges all arms, or none."""
    found = judgement.model_answered
    if judgement.state is ReadState.FAILED or not found:
        return
    sitting.answered_as.add(found)
    if len(sitting.answered_as) > 1:
        names = " and ".join(sorted(sitting.answered_as))
        raise Blocked(
            f"judge {judgement.judge!r} was answered by {names}: a judge must not change within a "
            "study, and nothing of the second is kept; mend: ask for an exact version of the model "
            "in a new study"
        )


def _answered_as(judgements: Iterable[Judgement], judge: str) -> set[str]:
    return {
        one.model_answered
        for one in judgements
        if one.judge == judge and one.model_answered and one.state is not ReadState.FAILED
    }


def _key(one: Judgement) -> tuple[str, str, int, int, str]:
    return one.packet, one.judge, one.repeat, one.order, one.template


def _tell(sitting: _Sitting) -> None:
    told = sitting.told
    if sitting.means.on_progress is None:
        return
    n_done = sum(is_settled(one, sitting.panel) for one in sitting.before.values())
    sitting.means.on_progress(Progress(n_done=n_done, n_total=sitting.n_total, usd=told.usd))


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    known = group.subgroup(EquipoiseError) or group
    found: BaseException = known
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
