"""What the commands about terms read: glossaries, chunks, takes, judgements; one JSON a line."""

from typing import Annotated, Literal

import msgspec

from equipoise.terms.declension import Kind
from equipoise.terms.injection import Disposition

_Text = Annotated[str, msgspec.Meta(min_length=1)]
_Chapter = Annotated[int, msgspec.Meta(ge=0)]
_Count = Annotated[int, msgspec.Meta(ge=0)]


class GlossaryLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of a glossary.

    Args:
        src: how the source writes it; a text or a list of texts.
        dst: the approved rendering, in the nominative.
        id: its name; by default the first of `src`.
        kind: ``name``, ``surname``, ``place`` or ``term``.
        gender: ``m``, ``f`` or empty.
        forms: the stored forms of `dst`; where there are any, they decide.
        case: whether a capital of `dst` has to be one in the text; ``auto`` = where it has any.
        disposition: ``CONFIRMED`` or ``AMBIGUOUS``.
        from_ch: first chapter in which it may be told.
        until_ch: last chapter in which it holds.
        priority: the lower one goes first where the budget is short.
    """

    src: _Text | tuple[_Text, ...]
    dst: _Text
    id: str = ""
    kind: Kind = Kind.TERM
    gender: Literal["", "m", "f"] = ""
    forms: tuple[_Text, ...] = ()
    case: Literal["auto", "sensitive", "insensitive"] = "auto"
    disposition: Disposition = Disposition.CONFIRMED
    from_ch: _Chapter | None = None
    until_ch: _Chapter | None = None
    priority: int = 0


class ChunkLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of a chapter.

    Args:
        id: its name.
        chapter: the number of its chapter.
        source: the text to be translated.
        translation: the text as it was translated; empty where there is none.
        summary: what came before, as a prompt of M2 tells it.
    """

    id: _Text
    chapter: _Chapter
    source: _Text
    translation: str = ""
    summary: str = ""


class TakeLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model answered for one chunk in one mode.

    Args:
        chunk: id of the chunk.
        mode: ``M0``, ``M1``, ``M2`` or ``M3``.
        output: all that it answered; empty where it gave nothing.
        tokens_in: tokens of the prompt; null where not counted.
        tokens_out: tokens of the answer; null where not counted.
        model: its exact id.
        attempt: 1, and more where it was asked again because it repeated the prompt.
        is_simulated: nobody answered: a script, a recording, a text made up.
        prompt_sha256: hash of the prompt, where it is known.
    """

    chunk: _Text
    mode: _Text
    output: str
    model: _Text
    tokens_in: _Count | None = None
    tokens_out: _Count | None = None
    attempt: Annotated[int, msgspec.Meta(ge=1)] = 1
    is_simulated: bool = False
    prompt_sha256: str = ""


class Fidelity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a judge has to answer: how faithful from 0 to 100, and what it found, each as a list."""

    fidelity: Annotated[float, msgspec.Meta(ge=0, le=100)]
    mistranslation: tuple[str, ...]
    omission: tuple[str, ...]
    addition: tuple[str, ...]
    wrong_names: tuple[str, ...]


class JudgementLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a judge answered about one take.

    Args:
        chunk: id of the chunk.
        mode: the mode of the take.
        judge: the exact id of the model, or who it was.
        answer: the answer as it came, or the object in it.
        attempt: 1, and more where it was asked again because nobody could read the answer.
        is_simulated: nobody judged: a script, a recording, a number made up.
        output_sha256: hash of the output that was judged, where it is known.
    """

    chunk: _Text
    mode: _Text
    judge: _Text
    answer: str | dict[str, object]
    attempt: Annotated[int, msgspec.Meta(ge=1)] = 1
    is_simulated: bool = False
    output_sha256: str = ""
