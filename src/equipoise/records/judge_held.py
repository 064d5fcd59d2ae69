"""A judge of single outputs held against people, and what people would find where it looked."""

import msgspec

from equipoise.records.corrected import Corrected


class FoundShare(Corrected, frozen=True, kw_only=True):
    """How much of a category people would find in an arm's outputs, from a judge and its errors.

    By ``Rogan-Gladen`` it is the share of units in which anything is lost, by the judge's errors on
    labelled ones; by ``prediction-powered`` the mean share of the maximum that is lost.
    """


class JudgeHeld(msgspec.Struct, frozen=True, kw_only=True):
    """A judge held against people under one category, on the outputs that both rated.

    `finds` is the share of outputs with something lost, as most people see it, in which the judge
    sees it too, `spares` the share of the others of which it says nothing. `beyond` is their sum
    less 1 (Youden's J), 0 for any judge that looks at nothing, with its lower 95 % limit; `ceiling`
    what one person earns so against the others. `about_sha256` is the hash of the category's
    sentence. `failed` names what was not met; empty = it passed by `rule`.
    """

    judge: str
    model: str
    category: str
    about_sha256: str
    n_units: int
    n_lost: int
    n_people: int
    finds: float | None
    spares: float | None
    beyond: float | None
    beyond_lo: float | None
    ceiling: float | None
    passed: bool
    failed: tuple[str, ...]
    rule: str
    found: tuple[FoundShare, ...] = ()
    is_simulated: bool = False


class JudgeRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record of an earlier validation that a plan names for a judge.

    `file` is the record, a `ranking.json` or a `regressions.json`, beside the study file, and
    `sha256` its hash. `categories` are those that it speaks for, `said` what it found.
    """

    file: str
    sha256: str
    categories: tuple[str, ...]
    said: str
    axis: str = ""
    is_simulated: bool = False
