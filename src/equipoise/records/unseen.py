"""Characters that nobody sees and that act all the same: on a terminal, a page, a file's name."""

import re

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control characters, line ends, direction overrides, zero-width characters, lone surrogates."""

MOST_CHARACTERS = 200
"""Longest name that is still read as one."""

_STEP = re.compile(r"[/\\]")


def why_unfit(name: str) -> str:
    """Says why a text is no name that can stand in lists, paths and commands; empty = it is one.

    Separators are allowed inside (``django/django-123``); nothing that leads out of a folder is.
    """
    found = UNSEEN.search(name)
    whys = {
        "is empty": not name,
        f"has the unseen character U+{ord(found.group()):04X}" if found else "": bool(found),
        f"has {len(name):,} characters, more than {MOST_CHARACTERS}": len(name) > MOST_CHARACTERS,
        "begins or ends with a space": name != name.strip(),
        "begins with a dash, which a program would read as an option": name.startswith("-"),
        "would lead out of a folder where it stands in a path": not {"", ".", ".."}.isdisjoint(
            _STEP.split(name)
        ),
    }
    return next((why for why, is_so in whys.items() if is_so), "")
