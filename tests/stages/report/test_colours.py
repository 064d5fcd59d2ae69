"""The page's colours: text and drawings stand out enough, in light, in dark and on paper."""

import re
from importlib.resources import files
from itertools import combinations

import pytest

_CSS = files("equipoise.stages.report").joinpath("templates", "page.css").read_text("utf-8")
_WORDS = ("better", "worse", "equivalent", "cannot-tell", "not-evaluable")


def _scheme(number: int) -> dict[str, str]:
    """The colours of one scheme: 0 light, 1 dark, 2 paper."""
    blocks = re.findall(r":root \{(.*?)\}", _CSS, re.DOTALL)
    assert len(blocks) == 3
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", blocks[number]))


def _luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_yardstick_is_right() -> None:
    assert _contrast("#000", "#ffffff") == pytest.approx(21.0)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", [0, 1, 2], ids=["light", "dark", "paper"])
def test_every_text_reads_at_4_5_to_1(scheme: int) -> None:
    colours = _scheme(scheme)
    for text in ("ink", "soft", "link", *_WORDS):
        for ground in ("paper", "panel"):
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


@pytest.mark.parametrize("scheme", [0, 1, 2], ids=["light", "dark", "paper"])
def test_every_mark_shows_at_3_to_1_even_on_the_band(scheme: int) -> None:
    colours = _scheme(scheme)
    for mark in ("zero", *_WORDS):
        assert _contrast(colours[mark], colours["band"]) >= 3, mark
    assert _contrast(colours["edge"], colours["panel"]) >= 3


def test_a_verdict_is_told_by_word_and_shape_and_not_by_colour_alone() -> None:
    page = (
        files("equipoise.stages.report").joinpath("templates", "frame.html.j2").read_text("utf-8")
    )
    for kind in ("g", "p"):
        shapes = {
            word: re.search(rf'id="{kind}-{word}"[^>]*>(<path[^>]*/>)', page) for word in _WORDS
        }
        drawn = {word: found.group(1) for word, found in shapes.items() if found}
        assert set(drawn) == set(_WORDS)
        assert all(drawn[one] != drawn[other] for one, other in combinations(_WORDS, 2))
