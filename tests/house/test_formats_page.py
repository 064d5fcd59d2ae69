"""Every format, every key of the mapping and every ending is in ``docs/reference/formats.md``."""

from equipoise.adapters.logs.table.mapping import Graded, Mapping
from equipoise.records.trial import EndingKind
from equipoise.wiring import READERS
from every import for_every
from house.documents import ROOT

_PAGE = ROOT.joinpath("docs", "reference", "formats.md").read_text(encoding="utf-8")
_WORDS = [*READERS, *Mapping.model_fields, *Graded.model_fields, *EndingKind]


@for_every("word", sorted(set(_WORDS)))
def test_it_is_on_the_page(word: str) -> None:
    assert f"`{word}`" in _PAGE
