"""Finds the skills that a model was told of in words, and those whose file it asked for."""

import re

_LISTED = re.compile(r"^- ([\w.-]+): .*\((?:file: )?[^)\n]*SKILL\.md\)", re.MULTILINE)
_FILE = re.compile(r"([\w.-]+)/SKILL\.md")
_MOST = 100_000


def listed(text: str) -> tuple[str, ...]:
    """Gives the names of a list of skills: ``- name: what it is for (.../name/SKILL.md)``."""
    return tuple(dict.fromkeys(_LISTED.findall(text[:_MOST])))


def asked_for(command: str) -> tuple[str, ...]:
    """Gives the skills whose file a command names."""
    return tuple(dict.fromkeys(_FILE.findall(command[:_MOST])))
