"""The pages that annotators see, made on the server; they need no script."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from equipoise.annotate.stamps import Stamp, signed
from equipoise.annotate.standing import Standing
from equipoise.annotate.store import Draft
from equipoise.annotate.texts import direction, language, shown
from equipoise.records.answer import Answer
from equipoise.records.packet import Packet

GUESSES = {
    "people": "People",
    "machines": "Machines",
    "both": "Some by people, some by machines",
    "same": "All by the same author",
    "unknown": "I have no idea",
}
"""What an annotator may think of where the texts came from, and its words on the page."""

WORST_KEYS = "qwertyuio"


class Pages:
    """Renders pages with what one server knows."""

    def __init__(self, secret: bytes, *, is_simulated: bool, version: str) -> None:
        """Takes the secret that signs what pages carry back; a browser keeps files of a version."""
        self._secret = secret
        environment = Environment(
            loader=PackageLoader("equipoise.annotate"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals |= {"is_simulated": is_simulated, "version": version}
        self._environment = environment

    def render(self, name: str, **values: Any) -> str:
        """Gives a page by the name of its template."""
        return self._environment.get_template(f"{name}.html.j2").render(**values)

    def stamp(self, annotator: str, packet: str, stamp: Stamp) -> str:
        """Gives the signed stamp that a form carries."""
        return signed(self._secret, annotator, packet, stamp)

    def welcome(self, here: str, stands: Standing, sample: Packet | None) -> str:
        """Gives the first page: what is asked, and the keys."""
        return self.render(
            "welcome",
            here=here,
            n_all=stands.n_all,
            n_options=len(sample.options) if sample else 4,
            worst_keys=WORST_KEYS,
        )

    def set(
        self,
        here: str,
        annotator: str,
        packet: Packet,
        stands: Standing,
        draft: Draft,
        *,
        now_ms: int,
        is_practice: bool,
        error: str = "",
    ) -> str:
        """Gives the page on which a set is judged."""
        stamp = Stamp(
            turn=stands.turn, shown_ms=now_ms, spent_ms=max(0, round(draft.seconds * 1000))
        )
        undo = f"undo:{stands.last.packet}" if stands.last else ""
        return self.render(
            "set",
            here=here,
            **_packet(packet, draft.best, draft.worst),
            place=stands.n_done + 1,
            n_all=stands.n_all,
            stamp=self.stamp(annotator, packet.id, stamp),
            undo_stamp=self.stamp(annotator, undo, stamp) if undo else "",
            undo_packet=stands.last.packet if stands.last else "",
            spent=draft.seconds,
            n_actions=draft.n_actions,
            is_practice=is_practice,
            told=stands.told,
            praised=stands.praised,
            error=error,
            worst_keys=WORST_KEYS,
        )

    def finished(self, here: str, annotator: str, stands: Standing, *, now_ms: int) -> str:
        """Gives the page after the last set: one question, and still a way back."""
        stamp = Stamp(turn=stands.turn, shown_ms=now_ms, spent_ms=0)
        undo = f"undo:{stands.last.packet}" if stands.last else ""
        return self.render(
            "guess",
            here=here,
            n_all=stands.n_all,
            guesses=GUESSES,
            stamp=self.stamp(annotator, "guess", stamp),
            undo_stamp=self.stamp(annotator, undo, stamp) if undo else "",
            undo_packet=stands.last.packet if stands.last else "",
        )

    def done(self, here: str, stands: Standing, code: str) -> str:
        """Gives the last page, with the code that says that the work is done."""
        return self.render("done", here=here, n_all=stands.n_all, code=code)

    def review(self, here: str, packet: Packet, answer: Answer | None, place: int, n: int) -> str:
        """Gives one set as it was answered, read-only."""
        best, worst = (answer.best, answer.worst) if answer else (None, None)
        return self.render(
            "review", here=here, **_packet(packet, best, worst), place=place, n_all=n
        )


def _packet(packet: Packet, best: int | None, worst: int | None) -> dict[str, Any]:
    """Gives what a page shows of a packet; nothing else of it leaves the server."""
    return {
        "packet": packet.id,
        "ask": packet.ask,
        "axis": packet.axis,
        "prompt": _text(packet.prompt, "") if packet.prompt else None,
        "docs": [_text(doc.text, doc.lang) | {"name": doc.name} for doc in packet.docs],
        "options": [
            _text(option.text, option.lang) | {"is_best": at == best, "is_worst": at == worst}
            for at, option in enumerate(packet.options)
        ],
        "best": best,
        "worst": worst,
    }


def _text(text: str, lang: str) -> dict[str, Any]:
    return {"html": shown(text), "lang": language(lang), "dir": direction(text, lang)}
