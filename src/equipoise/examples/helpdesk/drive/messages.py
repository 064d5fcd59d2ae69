"""What the invented customers say, by language and intent; every person and order is made up."""

INTENTS = ("refund", "invoice", "password", "delivery", "cancel")
LANGUAGES = ("en", "de", "ru")
CHANNELS = ("mail", "chat", "phone")

PLAIN: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "refund": (
            (
                "“{product}” from order {order} came with a crack. I want part of my money back:"
                " a refund of {amount}."
            ),
            (
                "On order {order} you charged the wrapping twice. Please refund {amount};"
                " I only want that bit of my money back."
            ),
            (
                "“{product}” (order {order}) has a scratch. Would you reimburse me {amount}?"
                " A partial refund is enough."
            ),
        ),
        "invoice": (
            "Please send me invoice {invoice} again, my accountant asks for it.",
            "My accountant says one is missing: invoice {invoice}. Can I have a copy?",
        ),
        "password": (
            "I forgot my password and cannot log in. My account is {email}.",
            "I am locked out since yesterday. Please send a new password to {email}.",
        ),
        "delivery": (
            "Where is my parcel? Order {order} was to be delivered days ago.",
            (
                "Nobody delivered “{product}”, and the page of the parcel is blank. It is order"
                " {order}."
            ),
        ),
        "cancel": (
            "Please cancel order {order}, I no longer need “{product}”.",
            "I no longer need “{product}”. Can you cancel {order} for me?",
        ),
    },
    "de": {
        "refund": (
            (
                "„{product}“ aus Bestellung {order} kam mit einem Sprung an. Ich möchte einen Teil"
                " vom Geld zurück, bitte erstatten Sie {amount}."
            ),
            (
                "Bei Bestellung {order} wurde die Verpackung doppelt berechnet. Bitte erstatten Sie"
                " mir {amount}, nur dieses Geld zurück reicht."
            ),
            (
                "Ich bin mit „{product}“ (Bestellung {order}) nicht zufrieden, da ist ein Kratzer."
                " Erstatten Sie mir {amount}? Mehr Geld zurück muss nicht sein."
            ),
        ),
        "invoice": (
            (
                "Bitte schicken Sie mir die Rechnung {invoice} noch einmal, die Buchhaltung fragt"
                " danach."
            ),
            "Der Buchhaltung fehlt die Rechnung {invoice}. Kann ich bitte eine Kopie haben?",
        ),
        "password": (
            "Ich habe mein Passwort vergessen und kann mich nicht anmelden. Das Konto ist {email}.",
            "Ich bin seit gestern ausgesperrt. Bitte schicken Sie ein neues Passwort an {email}.",
        ),
        "delivery": (
            "Wo ist mein Paket? Die Bestellung {order} sollte längst geliefert sein.",
            (
                "„{product}“ wurde nicht geliefert, und die Seite zum Paket ist leer. Es ist die"
                " Bestellung {order}."
            ),
        ),
        "cancel": (
            (
                "Bitte stornieren Sie die Bestellung {order}, ich werde „{product}“ nicht mehr"
                " brauchen."
            ),
            "„{product}“ werde ich nicht mehr brauchen. Können Sie {order} für mich stornieren?",
        ),
    },
    "ru": {
        "refund": (
            (
                "«{product}» из заказа {order} пришёл с трещиной. Хочу вернуть деньги частично:"
                " прошу возврат {amount}."
            ),
            (
                "В заказе {order} упаковку посчитали дважды. Прошу вернуть деньги, {amount},"
                " возврат можно на карту."
            ),
            (
                "На «{product}» (заказ {order}) царапина. Возместите мне {amount}, полный возврат"
                " не прошу."
            ),
        ),
        "invoice": (
            "Пришлите, пожалуйста, счёт {invoice} ещё раз, его просит бухгалтер.",
            "Бухгалтер не нашёл счёт {invoice}. Можно мне копию?",
        ),
        "password": (
            "Я забыл пароль и не могу войти. Моя учётная запись {email}.",
            "Не могу войти со вчерашнего дня. Пришлите новый пароль на {email}.",
        ),
        "delivery": (
            "Где моя посылка? Доставка заказа {order} давно должна была состояться.",
            "«{product}» так и не принесли, посылка не находится. Когда доставка заказа {order}?",
        ),
        "cancel": (
            "Отмените, пожалуйста, заказ {order}, «{product}» мне больше не нужен.",
            "«{product}» мне больше не нужен. Можно отменить {order}?",
        ),
    },
}
"""Clear messages: each speaks for its intent in two ways."""

VAGUE: dict[str, dict[str, str]] = {
    "en": {
        "refund": "About order {order}: “{product}” is damaged, a refund of {amount} would do.",
        "invoice": "It is about invoice {invoice}.",
        "password": "My password for {email} again.",
        "delivery": "When will order {order} be delivered?",
        "cancel": "Can I still cancel order {order}?",
    },
    "de": {
        "refund": "Zur Bestellung {order}: „{product}“ ist beschädigt, erstatten Sie bitte"
        " {amount}, das ist mir recht.",
        "invoice": "Es geht bitte um die Rechnung {invoice}.",
        "password": "Mein Passwort für {email} ist wieder weg.",
        "delivery": "Wann wird die Bestellung {order} bitte geliefert?",
        "cancel": "Kann ich die Bestellung {order} noch stornieren?",
    },
    "ru": {
        "refund": "По заказу {order}: «{product}» повреждён, подойдёт возврат {amount}.",
        "invoice": "Мне нужен счёт {invoice}.",
        "password": "Опять пароль для {email}.",
        "delivery": "Когда будет доставка заказа {order}?",
        "cancel": "Можно ли ещё отменить заказ {order}?",
    },
}
"""Short messages: each speaks for its intent in one way only."""

ASIDES: dict[str, dict[str, str]] = {
    "en": {
        "refund": "The refund for my mother was quick, thanks.",
        "invoice": "The last invoice was fine, by the way.",
        "password": "I have changed my password as you asked.",
        "delivery": "Your man with the parcel was very kind.",
        "cancel": "My neighbour wants to cancel hers, but that is her affair.",
    },
    "de": {
        "refund": "Meiner Mutter haben Sie neulich schnell etwas erstattet, danke.",
        "invoice": "Die letzte Rechnung war übrigens in Ordnung.",
        "password": "Mein Passwort habe ich geändert, wie Sie wollten.",
        "delivery": "Der Mann mit dem Paket war sehr nett.",
        "cancel": "Meine Nachbarin will ihre stornieren, aber das ist ihre Sache.",
    },
    "ru": {
        "refund": "Маме возврат сделали быстро, спасибо.",
        "invoice": "Прошлый счёт, кстати, был в порядке.",
        "password": "Пароль я сменил, как вы просили.",
        "delivery": "Курьер, который принёс посылку соседям, очень вежлив.",
        "cancel": "Соседка хочет отменить свой, но это её дело.",
    },
}
"""Remarks beside the point: each speaks in one way for an intent that is not meant."""

SLIPS: dict[str, dict[str, str]] = {
    "en": {
        "refund": "{message} The whole order was {total}.",
        "password": "{old_email} is my old address, it is gone. {message}",
        "delivery": "{other_order} is here already, thank you. {message}",
        "cancel": "{other_order} stays as it is. {message}",
    },
    "de": {
        "refund": "{message} Die ganze Bestellung kostete {total}.",
        "password": "{old_email} ist meine alte Adresse, die gibt es nicht mehr. {message}",
        "delivery": "{other_order} ist schon da, danke. {message}",
        "cancel": "{other_order} bleibt, wie es ist. {message}",
    },
    "ru": {
        "refund": "{message} Весь заказ стоил {total}.",
        "password": "{old_email} это мой старый адрес, его больше нет. {message}",
        "delivery": "{other_order} уже у меня, спасибо. {message}",
        "cancel": "{other_order} оставьте как есть. {message}",
    },
}
"""Messages that name two amounts, orders or addresses, the wrong one where the service looks."""

FRAMES: dict[str, dict[str, str]] = {
    "mail": {
        "en": "Dear help desk,\n\n{message}\n\nBest wishes\n{name}",
        "de": "Guten Tag,\n\n{message}\n\nMit besten Grüßen\n{name}",
        "ru": "Добрый день!\n\n{message}\n\nВсего доброго,\n{name}",
    },
    "chat": {"en": "hi 👋 {message}", "de": "hallo 👋 {message}", "ru": "привет 👋 {message}"},
    "phone": {
        "en": "[call, written down] Hello? Yes, {name} speaking. {message} … That is all.",
        "de": "[Anruf, mitgeschrieben] Hallo? Ja, {name} hier. {message} … Das war es.",
        "ru": "[звонок, запись] Алло? Да, говорит {name}. {message} … Это всё.",
    },
}
"""How a message is wrapped on each channel."""

NAMES: dict[str, tuple[str, ...]] = {
    "en": ("Ada Finch", "Bob O'Hare", "Cleo Marsh", "Dev Patel", "Elsie Wood", "林 美咲"),
    "de": ("Änne Weiß", "Björn Kühl", "Jörg Schäfer", "Käthe Groß", "Mia Özdemir", "王 小明"),
    "ru": ("Анна Лисина", "Борис Ёжиков", "Вера Чайкина", "Глеб Щукин", "Инна Юрьева"),
}
PRODUCTS = (
    "日本茶セット 🍵",
    "Lampe Füßchen",
    "Kettle No. 5",
    "Самовар «Вьюга»",
    "絵文字 sticker 😀",
    "小熊枕头",
    "Crème brûlée set",
)
