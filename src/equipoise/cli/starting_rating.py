"""Writes the rating study that `init rating --from` begins with: outputs of other studies."""

from pathlib import Path

from equipoise.cli.starting import write_new
from equipoise.records.codec import encode
from equipoise.studies.rating.from_archives import Found, outputs_in

_STUDY = """\
# A rating study of outputs that other studies gave; see docs/how-to/rating-study.md. Change title,
# question, ask and annotators, then: equipoise plan .

kind: rating
title: What {arms} gave, read by people
question: Whose outputs are best?
seed: 1                          # all chance of the study follows from it

outputs: outputs.jsonl           # what the trials gave, with the models that had a hand in it
arms: [{listed}]
baseline: {baseline}
set_size: {set_size}
is_simulated: {simulated}

axes:
  - name: quality
    ask: Which of these answers is best, and which worst?
    languages: []

mde: 0.3                         # the smallest difference of scores worth finding
annotators:
  - {{name: first}}
  - {{name: second}}
  - {{name: third}}
raters_per_set: 3
overlap: 0.34                    # a third of the sets is enough to tell agreement
retest: 0.1
checks: {{silent: 8, need: 6, loud: 2, tutorial: 2}}
"""


def write_from(folder: Path, sources: list[Path], *, repetition: int, lang: str) -> Found:
    """Writes `study.yaml` and `outputs.jsonl` and gives what was found.

    Raises:
        InputError: there is nothing to be found, only one arm, or a file stands there already.
    """
    found = outputs_in(sources, repetition=repetition, lang=lang)
    study = _STUDY.format(
        arms=" and ".join(found.arms[:4]),
        listed=", ".join(encode(arm).decode() for arm in found.arms),
        baseline=encode(found.arms[0]).decode(),
        set_size=min(4, len(found.arms)),
        simulated="true" if found.is_simulated else "false",
    )
    write_new(folder, {"study.yaml": study.encode(), "outputs.jsonl": found.content})
    return found
