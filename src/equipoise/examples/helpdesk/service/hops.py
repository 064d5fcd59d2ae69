"""The hops of one conversation as functions: language, intent, policy, tool, reply, ticket.

Where a desk of today would ask a language model, this one rolls seeded dice: the router weighs
cue words with some noise, the composer now and then falls back to English. The dice are named by
the conversation and by what they decide.
"""

import re
from dataclasses import dataclass

from equipoise.examples.helpdesk.chance import chance
from equipoise.examples.helpdesk.service.phrases import CUES, GERMAN_WORDS, REPLIES
from equipoise.examples.helpdesk.service.releases import Release
from equipoise.examples.helpdesk.service.store import Action, Customer, Order

_NOISE = 0.6
_ENGLISH_INSTEAD = 0.025
_STALE_TRACKER = 0.02
_TICKET_LOST = 0.015
_ORDER = re.compile(r"\bA-\d{5,}\b")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dice:
    """The dice of one conversation: what is decided by chance is decided by its name.

    ``owner`` is empty for dice that all releases share, else the name of the release.
    """

    seed: int
    conversation: str
    owner: str = ""

    def roll(self, *names: object) -> float:
        """A number in [0, 1)."""
        return chance(self.seed, self.owner, self.conversation, *names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call, what was asked for before policy, and the fact the reply will state."""

    action: Action
    asked_cents: int | None
    fact: str
    currency: str


def detect_language(text: str) -> str:
    """``ru`` for Cyrillic letters, ``de`` for German words, else ``en``."""
    if len(re.findall(r"[а-яё]", text.lower())) > len(text) // 5:
        return "ru"
    words = re.findall(r"\w+", text.lower())
    german = sum(word in GERMAN_WORDS for word in words)
    return "de" if german >= 2 else "en"


def route(text: str, language: str, dice: Dice) -> dict[str, float]:
    """The intents with their scores, best first: cue words found, plus noise of ±0.6."""
    lowered = text.lower()
    scores = {
        intent: sum(cue in lowered for cue in cues) + _NOISE * (2 * dice.roll("intent", intent) - 1)
        for intent, cues in CUES[language].items()
    }
    return {k: round(v, 3) for k, v in sorted(scores.items(), key=lambda pair: -pair[1])}


def call_tool(intent: str, text: str, customer: Customer, release: Release, dice: Dice) -> ToolCall:
    """The tool call for an intent, its arguments read from the text; policy caps a refund."""
    order = _order_meant(text, customer)
    asked: int | None = None
    if intent == "refund":
        asked = release.read_amount(text)
        paid = order.total_cents if asked is None else min(asked, order.total_cents)
        action = Action(tool="pay_back", subject=order.id, amount_cents=paid)
        fact = f"{paid // 100}.{paid % 100:02d}"
    elif intent == "invoice":
        numbers = tuple(number for number, _ in customer.invoices)
        fact = release.find_invoice(text, numbers)
        action = Action(tool="send_invoice", subject=fact)
    elif intent == "password":
        named = _EMAIL.findall(text)
        fact = named[0] if named else customer.email
        action = Action(tool="send_reset_link", subject=fact)
    elif intent == "delivery":
        fact = order.first_date if dice.roll("tracker") < _STALE_TRACKER else order.due_date
        action = Action(tool="look_up_parcel", subject=order.id)
    else:
        fact = order.id
        action = Action(tool="cancel_order", subject=order.id)
    return ToolCall(action=action, asked_cents=asked, fact=fact, currency=order.currency)


def compose(
    intent: str, language: str, call: ToolCall, customer: Customer, dice: Dice
) -> tuple[str, str]:
    """The language of the reply and the reply; now and then in English whatever was asked."""
    if dice.roll("reply language") < _ENGLISH_INSTEAD:
        language = "en"
    words = REPLIES[language]
    middle = words[intent].format(
        fact=call.fact, subject=call.action.subject, currency=call.currency
    )
    hello = words["hello"].format(name=customer.name)
    return language, f"{hello}\n{middle}\n{words['closing']}"


def ticket_is_lost(dice: Dice) -> bool:
    """Whether the queue before the ticket store drops this ticket."""
    return dice.roll("ticket") < _TICKET_LOST


def _order_meant(text: str, customer: Customer) -> Order:
    """The first of the customer's orders named in the text; the newest when none is."""
    known = {order.id: order for order in customer.orders}
    named = [known[number] for number in _ORDER.findall(text) if number in known]
    return named[0] if named else customer.orders[0]
