"""Links between the documents lead somewhere."""

import re
from pathlib import Path

from every import for_every
from house.documents import ROOT, documents

_LINK = re.compile(r"\]\((?P<to>[^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_NOT_A_WORD = re.compile(r"[^\w\- ]")


@for_every("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path: Path) -> None:
    text = _FENCED.sub("", path.read_text(encoding="utf-8"))
    lost = [link for link in _LINK.findall(text) if not _leads(path, link)]
    assert lost == []


def _leads(path: Path, link: str) -> bool:
    if link.startswith(("https://", "http://")):
        return True
    name, _, anchor = link.partition("#")
    target = path.parent / name if name else path
    if not target.exists():
        return False
    return not anchor or anchor in _anchors(target)


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {_NOT_A_WORD.sub("", h.lower()).replace(" ", "-") for h in headings}
