"""What a model is asked that translates a chunk, in each mode of terminology."""

from collections.abc import Sequence

from equipoise.records.term_files import ChunkLine
from equipoise.terms.injection import Disposition, Injected
from equipoise.terms.modes import Mode

CHECK = "⟨проверить⟩"
"""Stands behind a term whose key may be another word here."""

HEADINGS = (
    "Glossary (render these names and terms as given, in the case that the sentence needs):",
    "What came before:",
    "Text to translate:",
)

_TASK = "Translate the text into literary Russian. Answer with the translation alone."
REINFORCED = (
    "Do not repeat the glossary, any heading or the source. Begin with the first word of the "
    "translation."
)
"""Is added when a model is asked again because it repeated the prompt."""


def line_of(one: Injected) -> str:
    """A line of the glossary as it stands in a prompt."""
    mark = f" {CHECK}" if one.disposition is Disposition.AMBIGUOUS else ""
    return f"{one.term.keys[0]} → {one.term.target}{mark}"


def prompt_of(
    mode: Mode, line: ChunkLine, injected: Sequence[Injected], *, is_again: bool = False
) -> str:
    """The whole question; M2 tells what came before, where the chunk has a summary."""
    glossary, before, text = HEADINGS
    parts = [f"{_TASK} {REINFORCED}" if is_again else _TASK]
    if injected:
        parts.append("\n".join([glossary, *map(line_of, injected)]))
    if mode is Mode.WHOLE and line.summary:
        parts.append(f"{before}\n{line.summary}")
    parts.append(f"{text}\n{line.source}")
    return "\n\n".join(parts)
