"""One desk: takes a message through all hops, writes each into the journal, files a ticket."""

import hashlib
import threading
from dataclasses import dataclass

from equipoise.examples.helpdesk.chance import chance
from equipoise.examples.helpdesk.service import hops
from equipoise.examples.helpdesk.service.journal import Journal
from equipoise.examples.helpdesk.service.phrases import POLICIES
from equipoise.examples.helpdesk.service.releases import Release
from equipoise.examples.helpdesk.service.store import Store

_CRASH_ONCE = 0.006
_CONVERSATION_LOST = 0.0008
_CUSTOMER_LOST = 0.0008


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a customer says; ``trace`` names this try, ``conversation`` all tries of it.

    Who asks for a study says with ``seed`` on what the chance of this conversation depends, and
    with ``attempt`` which try this is: then it matters neither what was asked before nor whether
    the service was started anew in between.
    """

    conversation: str
    trace: str
    customer: str
    channel: str
    text: str
    seed: int | None = None
    attempt: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the customer gets; ``ticket`` is None when none was filed."""

    text: str
    language: str
    ticket: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskRules:
    """What all desks of a service work by; own dice fall differently in each release."""

    release: Release
    seed: int
    own_dice: bool = False


class UnknownCustomer(Exception):
    """Nobody of that id is in the store."""


class WorkerCrashed(Exception):
    """The worker at this desk fell over; no reply will come, the connection breaks."""


class Desk:
    """Works on one message at a time and remembers which conversations it has seen."""

    def __init__(self, store: Store, journal: Journal, rules: DeskRules) -> None:
        """Takes the store it shares with other desks and the journal that is its own."""
        self._store = store
        self._journal = journal
        self._release = rules.release
        self._seed = rules.seed
        self._owner = f"release {rules.release.number}" if rules.own_dice else ""
        self._lock = threading.Lock()
        self._seen: set[str] = set()

    def answer(self, message: Message) -> Reply:
        """Answers the message.

        Raises:
            UnknownCustomer: the customer is not in the store.
            WorkerCrashed: the worker fell over, before anything was done or after all of it.
        """
        with self._lock:
            first_try = message.conversation not in self._seen
            self._seen.add(message.conversation)
            if message.attempt is not None:
                first_try = message.attempt == 1
            crashes = self._crashes(message, first_try=first_try)
            early = chance(self._seed_of(message), message.conversation, "crash early") < 0.5
            self._note(message, "gateway", "received", channel=message.channel, text=message.text)
            if crashes and early:
                self._note(message, "gateway", "worker_crashed", done="nothing")
                raise WorkerCrashed
            reply = self._work(message)
            if crashes:
                self._note(message, "gateway", "worker_crashed", done="all but the reply")
                raise WorkerCrashed
            self._note(message, "gateway", "answered", ticket=reply.ticket)
            return reply

    def _work(self, message: Message) -> Reply:
        customer = self._store.customer(message.customer)
        if customer is None:
            raise UnknownCustomer(message.customer)
        self._store.note_try(message.trace, message.conversation)
        seed = self._seed_of(message)
        dice = hops.Dice(seed=seed, conversation=message.conversation, owner=self._owner)
        language = hops.detect_language(message.text)
        scores = hops.route(message.text, language, dice)
        intent = next(iter(scores))
        self._note(message, "router", "routed", intent=intent, language=language, scores=scores)
        self._note(message, "policy", "looked_up", rule=POLICIES[intent])
        call = hops.call_tool(intent, message.text, customer, self._release, dice)
        action = call.action
        self._note(
            message,
            "tools",
            "called",
            tool=action.tool,
            subject=action.subject,
            asked_cents=call.asked_cents,
            amount_cents=action.amount_cents,
        )
        self._store.act(message.conversation, action)
        spoken, text = hops.compose(intent, language, call, customer, dice)
        self._note(message, "composer", "composed", language=spoken, reply=text)
        ticket = self._file_ticket(message, intent, dice)
        return Reply(text=text, language=spoken, ticket=ticket)

    def _file_ticket(self, message: Message, intent: str, dice: hops.Dice) -> str | None:
        if hops.ticket_is_lost(dice):
            self._note(message, "tickets", "lost", why="queue full")
            return None
        ticket = "T-" + hashlib.sha256(message.conversation.encode()).hexdigest()[:10]
        self._store.open_ticket(ticket, message.conversation, intent)
        self._note(message, "tickets", "stored", ticket=ticket, intent=intent)
        return ticket

    def _crashes(self, message: Message, *, first_try: bool) -> bool:
        """A few first tries crash; a few conversations and customers crash every worker."""
        desks = (self._seed, self._release.number)
        if chance(*desks, "customer breaks the worker", message.customer) < _CUSTOMER_LOST:
            return True
        named = (self._seed_of(message), self._release.number)
        if chance(*named, "lost conversation", message.conversation) < _CONVERSATION_LOST:
            return True
        return first_try and chance(*named, "crash", message.conversation) < _CRASH_ONCE

    def _seed_of(self, message: Message) -> int:
        return self._seed if message.seed is None else message.seed

    def _note(self, message: Message, hop: str, event: str, **fields: object) -> None:
        self._journal.write(message.trace, hop, event, **fields)
