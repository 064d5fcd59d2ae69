"""Begins a rating study with what the arms of other studies gave, taken from their archives."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from equipoise.archive.manifest import MANIFEST, Document
from equipoise.archive.store import Archive
from equipoise.errors import InputError
from equipoise.records.call import ModelCall
from equipoise.records.codec import decode, encode
from equipoise.records.rating_plan import Output
from equipoise.records.trial import EndingKind, Trial

ARCHIVES = "archive"
_CALLS = "calls.jsonl"
_SOUND = frozenset({EndingKind.COMPLETED, EndingKind.BUDGET})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Outputs that were found in archives.

    Attributes:
        outputs: one for each unit and arm, by unit and arm.
        arms: the arms, in the order of the archives.
        left_out: why trials gave none -> how many.
        is_simulated: a trial was answered by a stand-in.
    """

    outputs: tuple[Output, ...]
    arms: tuple[str, ...]
    left_out: dict[str, int]
    is_simulated: bool

    @property
    def content(self) -> bytes:
        """The file `outputs.jsonl`."""
        return b"".join(encode(one) + b"\n" for one in self.outputs)


def outputs_in(paths: Sequence[Path], *, repetition: int = 1, lang: str = "") -> Found:
    """Gives what the trials of some archives gave.

    Of a repetition the last attempt counts, where it ended with an outcome. The models are those
    that the trial and its calls name; where neither names one they are not recorded.

    Args:
        paths: archives, or studies with archives.
        repetition: which of the repetitions.
        lang: language of all outputs, as BCP 47 has it.

    Raises:
        InputError: there is no archive, an arm stands in two of them, or there is no output.
        Tampered: an archive is not what its head says.
    """
    archives = [archive for path in paths for archive in _archives(path)]
    found: dict[tuple[str, str], Output] = {}
    owner: dict[str, Path] = {}
    left_out: Counter[str] = Counter()
    is_simulated = False
    for path in archives:
        archive = Archive.open(path)
        documents = {one.name: one for one in archive.read(Document)}
        for trial in _last(archive.read(Trial), repetition):
            if owner.setdefault(trial.arm, path) != path:
                raise InputError(
                    f"arm {trial.arm!r} is in {owner[trial.arm]} and in {path}",
                    wanted="each arm in one archive",
                    mend="name one of them",
                    code="arm_twice",
                )
            if why := _why_not(trial):
                left_out[why] += 1
                continue
            found[trial.unit, trial.arm] = _output(archive, trial, documents, lang)
            is_simulated = is_simulated or trial.is_simulated
    if not found:
        raise InputError(
            f"no output in {', '.join(map(str, archives))}",
            wanted="trials that ended with an outcome and kept their output",
            code="no_output",
        )
    return Found(
        outputs=tuple(found[key] for key in sorted(found)),
        arms=tuple(arm for arm in owner if any(one.arm == arm for one in found.values())),
        left_out=dict(left_out),
        is_simulated=is_simulated,
    )


def _archives(path: Path) -> list[Path]:
    if path.joinpath(MANIFEST).is_file():
        return [path]
    folder = path / ARCHIVES
    found = sorted(one.parent for one in folder.glob(f"*/{MANIFEST}")) if folder.is_dir() else []
    if not found:
        raise InputError(
            f"{path} is no archive, and no study with archives",
            wanted="a folder with archive.json, or a study that was executed",
            code="no_archive",
        )
    return found


def _last(trials: Iterator[Trial], repetition: int) -> list[Trial]:
    """Gives of each unit and arm the last attempt at a repetition."""
    held: dict[tuple[str, str], Trial] = {}
    for trial in trials:
        if trial.repetition == repetition:
            before = held.get((trial.unit, trial.arm))
            if before is None or trial.attempt > before.attempt:
                held[trial.unit, trial.arm] = trial
    return [*held.values()]


def _why_not(trial: Trial) -> str:
    if trial.ending.kind not in _SOUND:
        return trial.ending.kind.value
    return "" if trial.output is not None else "no output was kept"


def _output(archive: Archive, trial: Trial, documents: dict[str, Document], lang: str) -> Output:
    assert trial.output is not None, "see _why_not"
    text = b"".join(archive.blobs.chunks(trial.output.sha256)).decode("utf-8", "replace")
    named = {trial.model, trial.model_answered}
    calls = documents.get(f"{trial.id}/{_CALLS}")
    if calls is not None:
        lines = b"".join(archive.blobs.chunks(calls.sha256)).splitlines()
        for line in lines:
            call = decode(line, ModelCall, where=calls.name)
            named |= {call.model_asked, call.model_answered}
    models = tuple(sorted(name for name in named if name))
    output = Output(
        unit=trial.unit,
        arm=trial.arm,
        text=text,
        lang=lang,
        cluster=trial.cluster or "",
        trial=trial.id,
    )
    return msgspec.structs.replace(output, models=models) if models else output
