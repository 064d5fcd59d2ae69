"""What a task asks of any harness: its prompt, its skills, an explicit model, its given files."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from equipoise.adapters.agents.layout import GIVEN, OWN
from equipoise.adapters.transcripts.files import Astray, read_whole
from equipoise.errors import InputError
from equipoise.ports.agents import Task

ALIASES = frozenset(
    {"default", "auto", "latest", "sonnet", "opus", "haiku", "opusplan", "best", "gpt", "claude"}
)
"""Names that stand for whatever model is current."""


def check_task(task: Task, harness: str, *, has_hooks: bool = True) -> None:
    """Refuses a task that no run of it could answer.

    Raises:
        InputError: the model is not named exactly, a skill has no ``SKILL.md``, or the harness
            lacks a switch that is asked for.
    """
    name = task.model.strip()
    if not name or name.lower() in ALIASES or name.lower().endswith(("-latest", ":latest")):
        raise InputError(
            f"the model is {task.model!r}",
            wanted="the exact id of a model; an alias means another model another day",
            mend="name the model with its version",
            code="no_model_id",
        )
    for skill in task.skills:
        if not skill.joinpath("SKILL.md").is_file():
            raise InputError(
                f"the skill {skill.name!r} has no SKILL.md", wanted="a skill", code="no_skill"
            )
    if task.hooks and not has_hooks:
        mend = "take claude-code or codex for this arm"
        raise no_switch(f"{harness} has no hooks", "an arm without hooks", mend)


def no_switch(what: str, wanted: str, mend: str = "") -> InputError:
    """Gives the error for a switch that a harness lacks: left out silently, arms would be equal."""
    return InputError(what, wanted=wanted, mend=mend, code="no_switch")


def prompt_of(task: Task) -> str:
    """Gives the prompt as the harness is given it; forced skills stand in front of it."""
    if not task.is_skill_forced:
        return task.prompt
    bodies = [
        f'<skill name="{skill.name}">\n{skill_text(skill).strip()}\n</skill>'
        for skill in task.skills
    ]
    return "\n\n".join([*bodies, task.prompt])


def skill_text(skill: Path) -> str:
    """Gives what stands in a skill's file, without its head."""
    text = skill.joinpath("SKILL.md").read_text(encoding="utf-8")
    if text.startswith("---"):
        _, _, rest = text[3:].partition("\n---")
        return rest
    return text


def skill_description(skill: Path) -> str:
    """Gives the description from the head of a skill's file; empty where it has none."""
    text = skill.joinpath("SKILL.md").read_text(encoding="utf-8")
    head = text[3:].partition("\n---")[0] if text.startswith("---") else ""
    lines = [line.partition(":") for line in head.splitlines()]
    return next((value.strip() for key, _, value in lines if key.strip() == "description"), "")


def sha256(text: str) -> str:
    """Gives the hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def skills_sha256(task: Task) -> str:
    """Gives the hash of all files of the task's skills; what cannot be read counts as empty."""
    digest = hashlib.sha256()
    for skill in sorted(task.skills):
        for path in sorted(path for path in skill.rglob("*") if path.is_file()):
            digest.update(f"{skill.name}/{path.relative_to(skill)}\0".encode())
            try:
                digest.update(hashlib.sha256(path.read_bytes()).digest())
            except OSError:
                digest.update(b"\0")
    return digest.hexdigest()


def write_given(task: Task, files: Mapping[str, bytes]) -> None:
    """Writes what we give to a cell, and makes the folder that is the harness's own."""
    given, own = task.home / GIVEN, task.home / OWN
    own.joinpath("tmp").mkdir(parents=True, exist_ok=True)
    given.mkdir(exist_ok=True)
    for name, content in files.items():
        path = given / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def touched(task: Task, files: Mapping[str, bytes]) -> list[str]:
    """Gives the names of given files that are not any more what they were."""
    return [name for name, content in files.items() if _read(task, name, len(content)) != content]


def _read(task: Task, name: str, n_bytes: int) -> bytes | None:
    """Reads a given file, one byte further than it was; None where it is no plain file any more."""
    given = task.home / GIVEN
    try:
        return read_whole(given / name, given, n_bytes + 1)[0]
    except (OSError, Astray):
        return None
