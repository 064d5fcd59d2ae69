"""A page read back as a tree, so that tests can ask it what a reader would."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "br", "wbr", "link", "img", "input", "hr"}


@dataclass
class Node:
    tag: str
    attrs: dict[str, str]
    parent: "Node | None" = None
    children: "list[Node]" = field(default_factory=list)
    text: str = ""

    def all(self, *tags: str) -> "list[Node]":
        found = [self] if self.tag in tags else []
        return found + [node for child in self.children for node in child.all(*tags)]

    def words(self) -> str:
        return self.text + "".join(child.words() for child in self.children)


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("root", {})
        self.at = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.children.append(node)
        if tag not in _VOID:
            self.at = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.children.append(Node(tag, {n: v or "" for n, v in attrs}, self.at))

    def handle_endtag(self, tag: str) -> None:
        assert self.at.tag == tag, f"</{tag}> closes <{self.at.tag}>"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(Node("#text", {}, self.at, text=data))


def page_of(data: bytes) -> Node:
    """The tree of a page; every tag must be closed in its place."""
    tree = _Tree()
    tree.feed(data.decode())
    assert tree.at is tree.root, f"<{tree.at.tag}> is left open"
    return tree.root
