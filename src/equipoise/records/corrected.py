"""A share as a judge tells it, corrected by the errors that the judge makes on labelled units."""

import msgspec


class Corrected(msgspec.Struct, frozen=True, kw_only=True):
    """What every corrected share of an arm says, whatever it is a share of.

    `method` names how: ``Rogan-Gladen`` or ``prediction-powered``. `naive` is what the judge says,
    `value` what people would say, with limits at 95 %; `n_judged` units were judged, `n_labelled`
    of them by people too. Null with `why`.
    """

    arm: str
    method: str
    naive: float | None
    value: float | None
    lo: float | None
    hi: float | None
    n_judged: int
    n_labelled: int
    why: str = ""
