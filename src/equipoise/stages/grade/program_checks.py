"""The checks `callable` and `command`: the study's own code says what was lost and quotes it."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from equipoise.errors import NotEstimable
from equipoise.records.codec import digest
from equipoise.records.grade import Evidence
from equipoise.stages.grade.check_specs import CallableSpec, CommandSpec, ScriptSpec
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.material import OUTPUT, Material, page, values
from equipoise.stages.grade.programs import ProgramFailed, Programs
from equipoise.stages.grade.quoting import MOST_QUOTES, find_quote, last_line

_KEYS = {"raw", "quotes", "not_evaluable"}


def check_callable(spec: CallableSpec, material: Material) -> Found:
    """Gives what the function says of the trial.

    Raises:
        NotEstimable: it says so, fails, takes too long, or names quotes that do not stand.
    """
    return _asked(
        material, lambda programs, trial: programs.call(spec.function, trial, spec.timeout_s)
    )


def check_command(spec: CommandSpec, material: Material) -> Found:
    """Gives what the program says of the trial.

    Raises:
        NotEstimable: it says so, fails, takes too long, or names quotes that do not stand.
    """
    return _asked(material, lambda programs, trial: programs.run(spec.argv, trial, spec.timeout_s))


def check_script(spec: ScriptSpec, material: Material) -> Found:
    """Gives whether the script says that the criterion is met.

    Where it is lost, the first line that it printed is quoted if it stands in the document, else
    the document's last line.

    Raises:
        NotEstimable: it failed, or took too long.
    """
    if material.programs is None:
        raise NotEstimable("the study's own checks cannot be executed here", code="no_programs")
    seen = page(material, spec.document)
    code = material.trial.exit_code
    try:
        ended, printed = material.programs.script(
            spec.script,
            seen.content,
            {"EXIT_CODE": "" if code is None else str(code)},
            spec.timeout_s,
        )
    except ProgramFailed as error:
        raise NotEstimable(f"the check failed: {error}"[:500], code="check_failed") from error
    if (ended == 0) is not (spec.lost_when == "found"):
        return Found(raw=0.0)
    line = next((line for line in printed.decode("utf-8", "replace").splitlines() if line), "")
    place = find_quote(seen, line.strip(), None) if line.strip() else None
    return Found(raw=1.0, places=(place,) if place else last_line(seen))


def code_of(spec: object, root: Path | None) -> str:
    """Gives ``:name@hash`` of the study's code that a check executes; empty for other checks."""
    if isinstance(spec, CallableSpec):
        name = spec.function
        places = [f"{spec.function.partition(':')[0].replace('.', '/')}.py"]
    elif isinstance(spec, CommandSpec):
        name, places = spec.argv[0], list(spec.argv)
    else:
        return ""
    files = [root / place for place in places] if root is not None else []
    held = [digest(file.read_bytes())[:12] for file in files if file.is_file()]
    return f":{name}" + "".join(f"@{one}" for one in held)


def question(material: Material) -> dict[str, Any]:
    """Gives the trial as a program gets it: who, what was expected, the text of each document."""
    trial = material.trial
    documents = {name: _text(material, name) for name in sorted(material.documents)}
    about = {"exit_code": trial.exit_code, "ending": trial.ending.kind.value}
    return values(material) | about | {"documents": documents}


def _text(material: Material, name: str) -> str:
    return page(material, name).text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _asked(material: Material, ask: Callable[[Programs, dict[str, Any]], Any]) -> Found:
    if material.programs is None:
        raise NotEstimable("the study's own checks cannot be executed here", code="no_programs")
    try:
        said = ask(material.programs, question(material))
    except ProgramFailed as error:
        raise NotEstimable(f"the check failed: {error}"[:500], code="check_failed") from error
    return _found(said, material)


def _found(said: Any, material: Material) -> Found:
    answer = {"raw": said} if isinstance(said, int | float) else said
    if not isinstance(answer, dict) or not answer or answer.keys() - _KEYS:
        raise NotEstimable(
            f"the check answered {said!r}"[:200]
            + '; wanted {"raw": number, "quotes": [...]} or {"not_evaluable": why}',
            code="check_failed",
        )
    if answer.get("not_evaluable"):
        raise NotEstimable(str(answer["not_evaluable"])[:500], code="said")
    raw: Any = answer.get("raw")
    is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
    if not is_number or not math.isfinite(raw) or raw < 0:
        raise NotEstimable(
            f"the check answered raw {raw!r}"[:200] + "; wanted 0 or more", code="check_failed"
        )
    places, lost = _places(answer.get("quotes") or [], material)
    if raw > 0 and not places:
        told = f"; {lost[0]}" if lost else ""
        raise NotEstimable(f"invalid: lost, and no quote shows it{told}", code="no_citation")
    return Found(raw=float(raw), places=places)


def _places(quotes: Any, material: Material) -> tuple[tuple[Evidence, ...], list[str]]:
    found: list[Evidence] = []
    lost: list[str] = []
    for one in quotes if isinstance(quotes, list) else []:
        quote = one if isinstance(one, dict) else {"quote": one}
        name, text, line = quote.get("document", OUTPUT), quote.get("quote"), quote.get("line")
        if not isinstance(name, str) or not isinstance(text, str):
            lost.append(f"{one!r} is no quote"[:200])
            continue
        try:
            place = find_quote(page(material, name), text, line if isinstance(line, int) else None)
        except NotEstimable:
            place = None
        if place is None:
            at = f":{line}" if line else ""
            lost.append(f"{text[:80]!r} does not stand in {name}{at}")
        else:
            found.append(place)
    return tuple(found[:MOST_QUOTES]), lost
