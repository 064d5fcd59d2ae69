"""The workload: units over intents x languages x channels, each with what ought to happen."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from equipoise.examples.helpdesk.chance import chance, pick
from equipoise.examples.helpdesk.drive.messages import (
    ASIDES,
    CHANNELS,
    FRAMES,
    INTENTS,
    LANGUAGES,
    NAMES,
    PLAIN,
    PRODUCTS,
    SLIPS,
    VAGUE,
)
from equipoise.examples.helpdesk.service.store import Customer, Order

_TOOLS = {
    "refund": "pay_back",
    "invoice": "send_invoice",
    "password": "send_reset_link",
    "delivery": "look_up_parcel",
    "cancel": "cancel_order",
}
_CURRENCIES = {"en": ("EUR", "€"), "de": ("EUR", "Euro"), "ru": ("RUB", "руб.")}
SHARES = {"delivery": 0.3, "invoice": 0.25, "refund": 0.2, "password": 0.15, "cancel": 0.1}
"""How often customers of the mixed workload write about what."""
_LANGUAGE_SHARES = {"de": 0.75, "en": 0.15, "ru": 0.1}
_CHANNEL_SHARES = {"chat": 0.6, "mail": 0.25, "phone": 0.15}
_VAGUE_SHARE = 0.05
_ASIDE_SHARE = 0.20
_SLIP_SHARE = 0.05
_FIRST_DAY = date(2025, 1, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What ought to happen: the tool and its arguments, the fact that the reply must state."""

    tool: str
    subject: str
    amount_cents: int | None
    fact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One unit: one invented customer with one message, on one channel, with labels."""

    unit: str
    intent: str
    language: str
    channel: str
    customer: Customer
    text: str
    expected: Expected
    planted: str | None
    """``regression`` or ``improvement`` where release 2 was made to differ, else None."""


def build(seed: int, units: int) -> list[Case]:
    """The workload of this seed, ``units`` long; the cells are filled in turn, evenly."""
    cells = [(i, lang, ch) for i in INTENTS for lang in LANGUAGES for ch in CHANNELS]
    return _cases(seed, [cells[number % len(cells)] for number in range(units)])


def build_mixed(seed: int, units: int) -> list[Case]:
    """A workload as a German shop has it: few cancel, most write German, most of them by chat.

    Every intent has its share of `SHARES` to the unit; language and channel are drawn.
    """
    cells = []
    for number in range(units):
        unit = ("mixed", number)
        intent = _at(SHARES, (number + 0.5) / units)
        language = _at(_LANGUAGE_SHARES, chance(seed, *unit, "language"))
        cells.append((intent, language, _at(_CHANNEL_SHARES, chance(seed, *unit, "channel"))))
    return _cases(seed, cells)


def _at(shares: dict[str, float], point: float) -> str:
    """The name in whose part of [0, 1) the point lies."""
    for name, share in shares.items():
        if point < share:
            return name
        point -= share
    return name


def _cases(seed: int, cells: list[tuple[str, str, str]]) -> list[Case]:
    places: Counter[tuple[str, str, str]] = Counter()
    cases = []
    for number, cell in enumerate(cells):
        unit = f"u{number + 1:0{max(4, len(str(len(cells))))}d}"
        cases.append(_case(seed, number, unit, cell, places[cell]))
        places[cell] += 1
    return cases


def _case(seed: int, number: int, unit: str, cell: tuple[str, str, str], place: int) -> Case:
    intent, language, channel = cell
    customer = _customer(seed, number, language)
    # 13 of every 20 units of a cell are of the form that the two releases read differently.
    special = place * 13 % 20 < 13
    words = _words(seed, unit, customer, language, special=special, channel=channel)
    slip = intent in SLIPS[language] and chance(seed, unit, "slip") < _SLIP_SHARE
    return Case(
        unit=unit,
        intent=intent,
        language=language,
        channel=channel,
        customer=customer,
        text=_text(seed, unit, (intent, language, channel), words, slip=slip),
        expected=_expected(intent, customer, words),
        planted=_planted(intent, language, channel, special=special and not slip),
    )


def _planted(intent: str, language: str, channel: str, *, special: bool) -> str | None:
    if special and (intent, language) == ("refund", "de"):
        return "regression"
    if special and (intent, channel) == ("invoice", "chat"):
        return "improvement"
    return None


def _customer(seed: int, number: int, language: str) -> Customer:
    currency = _CURRENCIES[language][0]
    scale = 100 if currency == "RUB" else 1
    orders = []
    for nth in (2 * number + 1, 2 * number):
        first = _FIRST_DAY + timedelta(days=int(300 * chance(seed, nth, "first date")))
        wait = timedelta(days=1 + int(9 * chance(seed, nth, "wait")))
        order = Order(
            id=f"A-{10_000 + nth}",
            product=pick(seed, PRODUCTS, nth, "product"),
            total_cents=scale * (4_000 + 100 * int(160 * chance(seed, nth, "total"))),
            currency=currency,
            first_date=first.isoformat(),
            due_date=(first + wait).isoformat(),
        )
        orders.append(order)
    return Customer(
        id=f"c{number + 1:04d}",
        name=pick(seed, NAMES[language], number, "name"),
        email=f"kunde.{number + 1}@example.org",
        orders=tuple(orders),
        invoices=tuple(
            (f"2025-{4_000 + 3 * number + nth:06d}", f"2025-{3 * nth + 2:02d}-11")
            for nth in (2, 1, 0)
        ),
    )


def _words(
    seed: int, unit: str, customer: Customer, language: str, *, special: bool, channel: str
) -> dict[str, str]:
    """The slots of the message; ``cents`` and ``invoice_meant`` are for what is expected."""
    order = customer.orders[int(2 * chance(seed, unit, "order"))]
    other = customer.orders[0] if order is customer.orders[1] else customer.orders[1]
    sign = _CURRENCIES[language][1]
    cents = 500 + 100 * int(20 * chance(seed, unit, "whole"))
    if language == "ru":
        cents *= 20
        total = f"{order.total_cents // 100} {sign}"
        amount = f"{cents // 100} {sign}"
    else:
        point = "," if language == "de" else "."
        cents += 5 * (1 + int(19 * chance(seed, unit, "cents"))) if special else 0
        total = f"{order.total_cents // 100}{point}00 {sign}"
        amount = f"{cents // 100} {sign}"
        if special:
            amount = f"{cents // 100}{point}{cents % 100:02d} {sign}"
    numbers = [number for number, _ in customer.invoices]
    meant = numbers[int(3 * chance(seed, unit, "invoice"))]
    spoken = meant
    if channel == "chat" and special:
        meant = numbers[1 + int(2 * chance(seed, unit, "older invoice"))]
        spoken = f"#{int(meant.partition('-')[2])}"
    return {
        "order": order.id,
        "other_order": other.id,
        "product": order.product,
        "due_date": order.due_date,
        "amount": amount,
        "cents": str(cents),
        "total": total,
        "invoice": spoken,
        "invoice_meant": meant,
        "email": customer.email,
        "old_email": f"alt.{customer.email}",
        "name": customer.name,
    }


def _text(
    seed: int, unit: str, labels: tuple[str, str, str], words: dict[str, str], *, slip: bool
) -> str:
    intent, language, channel = labels
    others = tuple(other for other in INTENTS if other != intent)
    aside = ASIDES[language][pick(seed, others, unit, "aside of")]
    kind = chance(seed, unit, "kind")
    message = pick(seed, PLAIN[language][intent], unit, "wording").format(**words)
    if kind < _VAGUE_SHARE:
        message = f"{VAGUE[language][intent].format(**words)} {aside}"
    elif kind < _VAGUE_SHARE + _ASIDE_SHARE:
        message = f"{message} {aside}"
    if slip:
        message = SLIPS[language][intent].format(**words, message=message)
    return FRAMES[channel][language].format(message=message, name=words["name"])


def _expected(intent: str, customer: Customer, words: dict[str, str]) -> Expected:
    cents = int(words["cents"])
    subjects = {"invoice": words["invoice_meant"], "password": customer.email}
    subject = subjects.get(intent, words["order"])
    facts = {"refund": f"{cents // 100}.{cents % 100:02d}", "delivery": words["due_date"]}
    return Expected(
        tool=_TOOLS[intent],
        subject=subject,
        amount_cents=cents if intent == "refund" else None,
        fact=facts.get(intent, subject),
    )
