"""What `compare` does with an outcome study: writes and tells it in the words of outcomes."""

from typing import TYPE_CHECKING, Any

from equipoise.cli.outcome_told import told
from equipoise.cli.screen import write, write_json
from equipoise.records.outcome_report import OUTCOME
from equipoise.records.verdict import Word
from equipoise.studies.outcome.retelling import pack_of
from equipoise.studies.outcome.telling import tell
from equipoise.studies.outcome.telling import write as write_files

if TYPE_CHECKING:
    from equipoise.studies.loss.comparing import Compared
    from equipoise.studies.loss.pairing import Pair

_UNTOLD = 4
_UNUSABLE = 5


def compare_outcome(pair: "Pair", found: "Compared", options: dict[str, Any]) -> int:
    """Writes what an outcome comparison says, prints it, and gives the exit code.

    Raises:
        InputError: a run was not graded under the catalog, or the pack has faults.
        Tampered: an archive was altered.
    """
    folder = pair.home / pair.name
    outcome = tell(pair, found, pack_of(pair.new.study or pair.home))
    write_files(folder, outcome)
    if options["as_json"]:
        write_json(outcome.files[OUTCOME].decode())
    else:
        study = pair.new.study or pair.home
        shown = pair.home if study.resolve() == pair.home.resolve() else study
        write(told(outcome.file, folder, shown, found.comparison.notes, outcome.moved))
    return exit_code(outcome.file.verdict.word, is_strict=bool(options["strict"]))


def exit_code(word: Word, *, is_strict: bool) -> int:
    """Gives 1 for worse, 5 for what cannot be evaluated, 4 for untold where strict, else 0."""
    if word is Word.CANNOT_TELL:
        return _UNTOLD if is_strict else 0
    return {Word.WORSE: 1, Word.NOT_EVALUABLE: _UNUSABLE}.get(word, 0)
