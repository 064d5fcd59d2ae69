import pytest

from equipoise.adapters.logs.options import Options
from equipoise.errors import InputError
from equipoise.records.terms import Direction
from equipoise.wiring import reader
from every import for_every


def test_what_was_said_is_checked_and_texts_of_the_command_line_are_understood() -> None:
    said = {"keep": "false", "scale": "0, 10", "labels": "a,b", "direction": "lower"}
    options = Options(said, ("keep", "scale"))
    assert options.flag("keep", default=True) is False
    assert options.scale() == (0.0, 10.0)
    assert options.names("labels") == {"a": "a", "b": "b"}
    assert options.directions() == {"outcome": Direction.LOWER}


@for_every(
    "said, wanted",
    [
        ({"keeb": "true"}, "did you mean 'keep'"),
        ({"keep": "maybe"}, "true or false"),
        ({"scale": "1,0"}, "two numbers"),
        ({"scale": 3}, "two numbers"),
        ({"labels": 3}, "a list of names"),
        ({"direction": "up"}, "higher or"),
    ],
)
def test_what_is_wrong_is_named(said: dict[str, object], wanted: str) -> None:
    with pytest.raises(InputError, match=wanted):
        _read_all(said)


def _read_all(said: dict[str, object]) -> None:
    options = Options(said, ("keep", "scale"))
    options.flag("keep", default=True)
    options.scale()
    options.names("labels")
    options.directions()


def test_a_form_of_a_table_names_the_reader_of_tables() -> None:
    assert reader("jsonl").name == reader("table").name == "table"
    with pytest.raises(InputError, match="did you mean 'inspect'"):
        reader("inspct")
