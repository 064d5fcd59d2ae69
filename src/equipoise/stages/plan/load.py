"""From the text of `study.yaml` to a checked draft, or to every fault in it at once."""

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from equipoise.errors import InputError
from equipoise.records.yaml_text import parse
from equipoise.stages.plan.crosschecks import crosschecks
from equipoise.stages.plan.draft import StudyDraft
from equipoise.stages.plan.faults import Faults, refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a study file says: the draft, of which only the fields in `known` are to be trusted."""

    draft: StudyDraft
    known: frozenset[str]
    faults: Faults
    found: tuple[str, ...]


def look_at(text: bytes, *, name: str = "study.yaml") -> Looked:
    """Gives what can be read of a study file, and every fault in it.

    Args:
        text: the bytes of the file.
        name: its name, for messages.

    Raises:
        InputError: it is no YAML, or holds no keys.
    """
    yaml = parse(text, name=name)
    if not isinstance(yaml.value, dict):
        raise InputError(
            "no keys", wanted="lines such as 'kind: loss'", where=name, mend="see `init loss`"
        )
    faults = Faults(yaml=yaml, name=name)
    found: list[str] = []
    try:
        draft, known = StudyDraft.model_validate(yaml.value), frozenset(StudyDraft.model_fields)
    except ValidationError as error:
        draft, known = _readable(yaml.value)
        found = faults.of(error)
    found += crosschecks(draft, known, faults)
    return Looked(draft=draft, known=known, faults=faults, found=tuple(found))


def read_study(text: bytes, *, name: str = "study.yaml") -> tuple[StudyDraft, Faults]:
    """Gives the draft, and where its values stand for what is found out later.

    Raises:
        InputError: lists every fault, one a line, each with line and column, what was wanted, and
            the mend.
    """
    looked = look_at(text, name=name)
    refuse(looked.found)
    return looked.draft, looked.faults


def _readable(value: dict[str, Any]) -> tuple[StudyDraft, frozenset[str]]:
    """Gives what can be read in a faulty file, and the names of these keys."""
    found: dict[str, Any] = {}
    for name, field in StudyDraft.model_fields.items():
        if name not in value:
            if not field.is_required():
                found[name] = field.default
            continue
        try:
            found[name] = TypeAdapter(field.rebuild_annotation()).validate_python(value[name])
        except ValidationError:
            continue
    return StudyDraft.model_construct(**found), frozenset(found)
