"""What the service knows of languages: cue words for routing, rules of the house, replies."""

CUES: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "refund": ("refund", "money back", "reimburs"),
        "invoice": ("invoice", "accountant"),
        "password": ("password", "log in", "locked out"),
        "delivery": ("deliver", "parcel"),
        "cancel": ("cancel", "no longer need"),
    },
    "de": {
        "refund": ("erstatt", "geld zurück"),
        "invoice": ("rechnung", "buchhaltung"),
        "password": ("passwort", "anmelden", "ausgesperrt"),
        "delivery": ("liefer", "paket"),
        "cancel": ("stornier", "nicht mehr brauch"),
    },
    "ru": {
        "refund": ("возврат", "вернуть деньги", "возместит"),
        "invoice": ("счёт", "бухгалтер"),
        "password": ("парол", "войти"),
        "delivery": ("доставк", "посылк"),
        "cancel": ("отмен", "больше не нуж"),
    },
}
"""Stems that speak for an intent, by language; each that occurs counts one."""

GERMAN_WORDS = frozenset(
    [
        "ich",
        "bitte",
        "und",
        "der",
        "die",
        "das",
        "den",
        "ist",
        "nicht",
        "mein",
        "meine",
        "mir",
        "für",
        "mit",
        "guten",
        "hallo",
    ]
)
"""Words that tell German from English."""

POLICIES: dict[str, str] = {
    "refund": "R-2: a part of the price may be paid back, never more than the price",
    "invoice": "I-1: an invoice goes only to the customer it was issued to",
    "password": "P-3: a reset link is valid for one hour",
    "delivery": "D-1: the date in the tracker counts",
    "cancel": "C-4: an order can be cancelled until it is handed over",
}

REPLIES: dict[str, dict[str, str]] = {
    "en": {
        "refund": "We are paying you back {fact} {currency} for order {subject}.",
        "invoice": "We have just sent you invoice {fact}.",
        "password": "A reset link is on its way to {fact}.",
        "delivery": "Order {subject} will reach you on {fact}.",
        "cancel": "Order {fact} has been cancelled.",
        "hello": "Hello {name},",
        "closing": "Kind regards, your help desk",
    },
    "de": {
        "refund": "wir zahlen Ihnen {fact} {currency} zur Bestellung {subject} zurück.",
        "invoice": "wir haben Ihnen soeben die Rechnung {fact} geschickt.",
        "password": "ein Link zum Zurücksetzen ist unterwegs an {fact}.",
        "delivery": "die Bestellung {subject} kommt am {fact} bei Ihnen an.",
        "cancel": "die Bestellung {fact} ist storniert.",
        "hello": "Guten Tag {name},",
        "closing": "Mit freundlichen Grüßen, Ihr Kundendienst",
    },
    "ru": {
        "refund": "мы возвращаем вам {fact} {currency} за заказ {subject}.",
        "invoice": "мы только что отправили вам счёт {fact}.",
        "password": "ссылка для сброса отправлена на {fact}.",
        "delivery": "заказ {subject} прибудет {fact}.",
        "cancel": "заказ {fact} отменён.",
        "hello": "Здравствуйте, {name}!",
        "closing": "С уважением, служба поддержки",
    },
}
