"""Blocks are found in a document as a reader sees them."""

from house.documents import Block, blocks, documents


def test_a_block_knows_what_it_prints_and_how_it_ends() -> None:
    text = "<!-- run: exit 1 -->\n```sh\nfalse\n```\n\n```text\nsaid ...\n```\n"
    assert blocks(text) == [Block(commands="false\n", prints="said ...\n", exit_code=1)]


def test_text_further_down_is_no_output() -> None:
    assert blocks("```sh\ntrue\n```\n\nA tree:\n\n```text\na/\n```\n") == [Block(commands="true\n")]


def test_a_session_is_split_at_its_prompts() -> None:
    text = "```console\n$ echo one \\\n>   two\none two\n$ true\n```\n"
    assert blocks(text) == [
        Block(commands="echo one \\\n  two", prints="one two\n"),
        Block(commands="true"),
    ]


def test_a_block_that_cannot_be_run_says_why() -> None:
    assert blocks("<!-- run: no, needs the network -->\n```sh\nmake\n```\n") == [
        Block(commands="make\n", not_run="needs the network")
    ]


def test_the_documents_speak_plain_commands() -> None:
    reasons = {b.not_run for path in documents() for b in blocks(path.read_text("utf-8"))} - {""}
    assert all(len(reason.split()) >= 3 for reason in reasons), reasons
