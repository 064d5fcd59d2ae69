"""Topics on how many units are needed and what can be reported: ``power.*``."""

import msgspec

from equipoise.cli.topics import Topic
from equipoise.stats.power import least_units


class LeastUnits(msgspec.Struct):
    """Spread between units and margin, as decimal texts or numbers."""

    s: str | float
    mde: str | float


TOPICS = {
    "power.n_min": Topic(
        says="The minimum number of units per partition, ceil(16 s^2 / mde^2), exactly.",
        takes=LeastUnits,
        gives={"n_min": "units per partition"},
        compute=lambda given: {"n_min": least_units(given.s, given.mde)},
    ),
}
