"""From the text of `study.yaml` to a checked draft, or to every fault in it at once."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from equipoise.errors import InputError
from equipoise.records.yaml_text import parse
from equipoise.stages.plan.crosschecks import crosschecks
from equipoise.stages.plan.draft import StudyDraft
from equipoise.stages.plan.faults import Faults, refuse


def read_study(text: bytes, *, name: str = "study.yaml") -> tuple[StudyDraft, Faults]:
    """Gives the draft, and where its values stand for what is found out later.

    Args:
        text: the bytes of the file.
        name: its name, for messages.

    Raises:
        InputError: lists every fault, one a line, each with line and column, what was wanted, and
            the mend.
    """
    yaml = parse(text, name=name)
    if not isinstance(yaml.value, dict):
        raise InputError(
            "no keys", wanted="lines such as 'kind: loss'", where=name, mend="see `init loss`"
        )
    faults = Faults(yaml=yaml, name=name)
    try:
        draft = StudyDraft.model_validate(yaml.value)
    except ValidationError as error:
        partial, known = _readable(yaml.value)
        refuse([*faults.of(error), *crosschecks(partial, known, faults)])
        raise  # unreachable: an error has at least one fault
    refuse(crosschecks(draft, frozenset(StudyDraft.model_fields), faults))
    return draft, faults


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
