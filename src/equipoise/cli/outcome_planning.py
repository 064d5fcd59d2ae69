"""Compiles an outcome study from its pack, before it is planned and sealed as any study."""

from pathlib import Path

from equipoise.cli.kinds import OUTCOME, kind_of


def compile_outcome(study: Path) -> None:
    """Writes what an outcome study is compiled to; does nothing for a study of another kind.

    Raises:
        InputError: the study, its pack or a scenario has faults.
        Blocked: a scenario is not proved, or something that the study needs is missing.
    """
    if kind_of(study) != OUTCOME:
        return
    from equipoise.studies.outcome.compiling import compiled, write_files
    from equipoise.wiring.packs import seeds_in

    with seeds_in(study) as seed_of:
        made = compiled(study, seed_of)
    write_files(study, made)
