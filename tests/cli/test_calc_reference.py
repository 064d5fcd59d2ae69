"""The reference page of ``calc`` is the registry's, and its examples run as printed."""

import re
from pathlib import Path

import msgspec

from equipoise.cli.calc_cases import shipped_cases
from equipoise.cli.calc_reference import reference
from equipoise.cli.topics import load_topics
from every import for_every
from typed import typed

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "calc.md"


def test_the_page_is_up_to_date() -> None:
    wanted = reference(load_topics(), shipped_cases())
    assert _PAGE.read_text(encoding="utf-8") == wanted, (
        "write it anew: equipoise calc --reference > docs/reference/calc.md"
    )


@for_every("name", sorted(load_topics()))
def test_every_topic_and_key_is_documented(name: str) -> None:
    page = _PAGE.read_text(encoding="utf-8")
    section = page.partition(f"### `{name}`\n")[2].partition("\n### ")[0]
    topic = load_topics()[name]
    keys = [field.encode_name for field in msgspec.structs.fields(topic.takes)]
    assert [key for key in [*keys, *topic.gives] if f"| `{key}` |" not in section] == []
    assert topic.says.endswith(".")
    assert topic.takes.__doc__
    assert "\nExample: `{" in section


def test_the_examples_print_what_the_page_says() -> None:
    page = _PAGE.read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"```console\n(.*?)```", page, flags=re.DOTALL))
    examples = re.findall(
        r"^\$ echo '(.*?)' \| equipoise (.*)\n((?:[^$].*\n)+)", blocks, re.MULTILINE
    )
    assert len(examples) == 4
    for given, args, wanted in examples:
        told = typed(*args.split(), given=given)
        assert told.out == wanted.replace(" \\\n", " ")
