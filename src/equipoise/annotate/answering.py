"""What annotators do: look at a set, choose, take back, guess; each act kept before the next."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from equipoise.annotate.campaign import Campaign
from equipoise.annotate.checks import passed
from equipoise.annotate.choosing import Refused, chosen, complete
from equipoise.annotate.pages import GUESSES, Pages
from equipoise.annotate.stamps import Stamp, code, read_stamp
from equipoise.annotate.standing import Standing, stand
from equipoise.annotate.store import Draft, Overtaken, Store
from equipoise.annotate.texts import is_too_fast
from equipoise.records.answer import Answer, AnswerKind, standing
from equipoise.records.packet import Packet

_OVERTAKEN = "This set was answered already, on another device or in another tab. Here you go on."
_EXPIRED = "This page was made for another set. Here you go on."
_MOST_WORDS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What to answer: a page, or where to go."""

    page: str = ""
    to: str = ""
    status: Literal[200, 303, 400, 409] = 200
    says: str = ""


class Answering:
    """The acts of annotators in a campaign."""

    def __init__(
        self, campaign: Campaign, store: Store, pages: Pages, clock: Callable[[], datetime]
    ) -> None:
        """Takes what is served, where answers go, and the clock."""
        self._campaign, self._store, self._pages, self._clock = campaign, store, pages, clock

    def welcome(self, who: str, here: str) -> Outcome:
        """Gives the first page; who has begun goes on where he was."""
        stands = self._stands(who)
        if stands.turn:
            return Outcome(to=f"{here}/set", status=303)
        self._store.note(self._clock(), who, "opened")
        sample = self._campaign.packets[stands.packet] if stands.packet else None
        return Outcome(page=self._pages.welcome(here, stands, sample))

    def shows(self, who: str, here: str) -> Outcome:
        """Gives the set to judge now, or the page after the last one."""
        stands = self._stands(who)
        if stands.is_closed:
            return Outcome(to=f"{here}/done", status=303)
        if stands.packet is None:
            return Outcome(page=self._pages.finished(here, who, stands, now_ms=self._now_ms()))
        return Outcome(page=self._set(who, here, stands, stands.packet))

    def done(self, who: str, here: str) -> Outcome:
        """Gives the last page with the code, once all is handed in."""
        answers = self._store.of(who)
        stands = stand(self._campaign, who, answers)
        if not stands.is_closed:
            return Outcome(to=f"{here}/set", status=303)
        is_passed = passed(self._campaign, who, answers)
        return Outcome(
            page=self._pages.done(here, stands, code(self._store.secret, who, passed=is_passed))
        )

    def review(self, who: str, here: str, place: int) -> Outcome:
        """Gives a set as it was answered; only once all is handed in."""
        answers = self._store.of(who)
        mine = self._campaign.lists.get(who, ())
        if not stand(self._campaign, who, answers).is_closed or not 1 <= place <= len(mine):
            return Outcome(to=f"{here}/set", status=303)
        packet = mine[place - 1]
        held = standing(answers).get((who, packet))
        shown = self._campaign.packets[packet]
        return Outcome(page=self._pages.review(here, shown, held, place, len(mine)))

    def answer(self, who: str, here: str, form: dict[str, str]) -> Outcome:
        """Keeps the choice in a form; it is on the disk when this comes back."""
        stamp, packet = self._asked(who, form)
        if stamp is None or packet is None:
            return self._goes_on(who, here, _EXPIRED)
        draft = chosen(packet, form, stamp, self._now_ms())
        is_skip = form.get("act") == "skip"
        given = (
            Draft(seconds=draft.seconds, n_actions=draft.n_actions)
            if is_skip
            else complete(packet, draft)
        )
        if isinstance(given, Refused):
            return self._refuses(who, here, stamp, packet, draft, given)
        answer = self._made(
            who,
            packet.id,
            AnswerKind.SKIPPED if is_skip else AnswerKind.GIVEN,
            given,
            is_fast=not is_skip and is_too_fast(packet, given.seconds),
        )
        return self._append(who, here, stamp, answer, needs=packet.id)

    def draft(self, who: str, here: str, form: dict[str, str]) -> Outcome:
        """Keeps what was chosen so far."""
        stamp, packet = self._asked(who, form)
        if stamp is None or packet is None:
            return self._goes_on(who, here, _EXPIRED)
        draft = chosen(packet, form, stamp, self._now_ms())
        try:
            self._store.keep_draft(stamp.turn, who, packet.id, draft)
        except Overtaken:
            return self._goes_on(who, here, _OVERTAKEN)
        _, _, place = form.get("pick", "").partition(":")
        at = f"#o{int(place) + 1}" if place.isdigit() and len(place) < 3 else ""
        return Outcome(to=f"{here}/set{at}", status=303)

    def undo(self, who: str, here: str, form: dict[str, str]) -> Outcome:
        """Takes back the last answer: one more record, nothing is deleted."""
        packet = form.get("packet", "")
        stamp = self._stamp(who, f"undo:{packet}", form)
        if stamp is None:
            return self._goes_on(who, here, _EXPIRED)
        answer = self._made(who, packet, AnswerKind.UNDONE, Draft())
        return self._append(who, here, stamp, answer)

    def guess(self, who: str, here: str, form: dict[str, str]) -> Outcome:
        """Keeps who the annotator thinks wrote the texts; it closes the list."""
        stamp = self._stamp(who, "guess", form)
        stands = self._stands(who)
        if stamp is None or stands.packet is not None:
            return self._goes_on(who, here, _EXPIRED)
        picked = form.get("guess", "")
        words = " ".join(form.get("words", "").split())[:_MOST_WORDS]
        guess = ": ".join(part for part in (picked if picked in GUESSES else "", words) if part)
        answer = self._made(who, "", AnswerKind.GUESSED, Draft(), guess=guess)
        return self._append(who, f"{here}", stamp, answer)

    def _append(
        self, who: str, here: str, stamp: Stamp, answer: Answer, *, needs: str = ""
    ) -> Outcome:
        """Appends an answer to what the page was made from; sent twice, it is there once."""
        stands = self._stands(who)
        if stands.turn == stamp.turn and (stands.is_closed or (needs and needs != stands.packet)):
            return self._goes_on(who, here, _OVERTAKEN)
        try:
            self._store.append(stamp.turn, answer)
        except Overtaken:
            self._store.note(self._clock(), who, "refused: overtaken by another answer")
            return self._goes_on(who, here, _OVERTAKEN)
        return Outcome(to=f"{here}/set", status=303)

    def _refuses(
        self, who: str, here: str, stamp: Stamp, packet: Packet, draft: Draft, why: Refused
    ) -> Outcome:
        stands = self._stands(who)
        if stands.packet != packet.id or stands.turn != stamp.turn:
            return self._goes_on(who, here, _OVERTAKEN)
        self._store.note(self._clock(), who, f"refused: {why.code}")
        page = self._set(who, here, stands, packet.id, draft=draft, error=why.says)
        return Outcome(page=page, status=400, says=why.says)

    def _set(
        self,
        who: str,
        here: str,
        stands: Standing,
        packet: str,
        *,
        draft: Draft | None = None,
        error: str = "",
    ) -> str:
        kept = draft or self._store.draft(who, packet)
        if kept == Draft() and stands.before:
            kept = Draft(best=stands.before.best, worst=stands.before.worst)
        check = self._campaign.checks.get(packet)
        return self._pages.set(
            here,
            who,
            self._campaign.packets[packet],
            stands,
            kept,
            now_ms=self._now_ms(),
            is_practice=check is not None and check.kind == "tutorial",
            error=error,
        )

    def _goes_on(self, who: str, here: str, why: str) -> Outcome:
        """Leads to where the annotator stands, and says why."""
        stands = self._stands(who)
        if stands.packet is None:
            return Outcome(to=f"{here}/set", status=303, says=why)
        page = self._set(who, here, stands, stands.packet, error=why)
        return Outcome(page=page, status=409, says=why)

    def _made(
        self,
        who: str,
        packet: str,
        kind: AnswerKind,
        draft: Draft,
        *,
        is_fast: bool = False,
        guess: str | None = None,
    ) -> Answer:
        is_timed = kind in {AnswerKind.GIVEN, AnswerKind.SKIPPED}
        tries = [
            one
            for one in self._store.of(who)
            if one.packet == packet and one.kind is AnswerKind.GIVEN
        ]
        return Answer(
            seq=0,
            annotator=who,
            packet=packet,
            kind=kind,
            best=draft.best,
            worst=draft.worst,
            at=self._clock().isoformat(timespec="milliseconds"),
            seconds=draft.seconds if is_timed else None,
            n_actions=draft.n_actions if is_timed else None,
            attempt=len(tries) + 1 if is_timed else 1,
            is_fast=is_fast,
            guess=guess,
            source="app",
        )

    def _asked(self, who: str, form: dict[str, str]) -> tuple[Stamp | None, Packet | None]:
        """Gives the stamp and packet of a form that was made for this annotator."""
        packet = form.get("packet", "")
        if packet not in self._campaign.lists.get(who, ()):
            return None, None
        return self._stamp(who, packet, form), self._campaign.packets[packet]

    def _stamp(self, who: str, packet: str, form: dict[str, str]) -> Stamp | None:
        found = read_stamp(self._store.secret, who, packet, form.get("stamp", ""))
        if found is None:
            self._store.note(self._clock(), who, "refused: a form that this server did not make")
        return found

    def _stands(self, who: str) -> Standing:
        return stand(self._campaign, who, self._store.of(who))

    def _now_ms(self) -> int:
        return int(self._clock().timestamp() * 1000)
