"""What `compare` does with a loss study: chooses runs, compares, prints, gives the exit code."""

from pathlib import Path
from typing import Any

from equipoise.cli.kinds import OUTCOME
from equipoise.cli.loss_told import told
from equipoise.cli.outcome_comparing import compare_outcome
from equipoise.cli.screen import write, write_json
from equipoise.errors import InputError
from equipoise.stages.decide.loss import exit_code
from equipoise.studies.loss.comparing import RESULT, compare
from equipoise.studies.loss.pairing import Pair, matched, pair_in, study_of
from equipoise.studies.loss.retelling import retell_trend
from equipoise.studies.loss.scoring import open_run

_MEANT = frozenset(
    {"sources", "base", "baseline", "new", "arms", "catalog", "out", "strict", "as_json"}
)


def run_loss_compare(options: dict[str, Any]) -> int:
    """Compares two runs of a loss study and gives the exit code."""
    _refuse_foreign(options)
    pair = _pair(options)
    found = compare(pair)
    retell_trend(pair.home)
    if pair.new.plan.kind == OUTCOME:
        return compare_outcome(pair, found, options)
    if options["as_json"]:
        write_json(found.files[RESULT].decode())
    else:
        write(told(found, pair.home / pair.name))
    return exit_code(found.comparison, is_strict=bool(options["strict"]))


def _pair(options: dict[str, Any]) -> Pair:
    sources, version = options["sources"], options["catalog"]
    if len(sources) == 1:
        arms = options["arms"] or ()
        new = options["new"] or (arms[0] if arms else None)
        base = options["base"] or options["baseline"]
        return pair_in(Path(sources[0]), base=base, new=new, version=version)
    base_path, new_path = (Path(text) for text in sources)
    home = options["out"] or study_of(new_path) or Path()
    base, new = (open_run(path, study_of(path)) for path in (base_path, new_path))
    if new.plan.kind == OUTCOME and new.study is None:
        raise _homeless(new_path)
    return matched(new, base, Path(home), version)


def _homeless(path: Path) -> InputError:
    """Says what to do with cells of an outcome study that stand apart from it."""
    return InputError(
        f"{path} has cells of an outcome study, and stands in none: hypotheses, labels, proofs and "
        "the pack are files of the study, and no page can be made without them",
        wanted="archives in STUDY/archive, beside their study.yaml, seal.json and pack",
        mend=(
            "put the study's folder back round them, then equipoise compare STUDY; by itself an "
            "archive can be checked (equipoise verify ARCHIVE), and each of its cells stands in "
            "the outcome-results.jsonl of the comparison that the study had"
        ),
        code="no_study",
    )


def _refuse_foreign(options: dict[str, Any]) -> None:
    """Refuses options that would change what the plan has fixed."""
    strange = [name for name, value in options.items() if value and name not in _MEANT]
    if strange:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(strange))
        raise InputError(
            f"{named} with a loss study",
            wanted="the rule, margin and pairing that its plan fixed",
            mend="leave it out; what the plan says is changed by an amendment only",
            code="fixed_by_plan",
        )
