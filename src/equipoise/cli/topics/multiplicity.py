"""Topics on many comparisons at once: ``multiplicity.*``."""

from typing import Any

import msgspec

from equipoise.cli.topics import Topic
from equipoise.stats.critical import critical_value


class Cells(msgspec.Struct):
    """The number of compared cells."""

    k: int


def _seed_z(given: Cells) -> dict[str, Any]:
    critical = critical_value(given.k)
    return {
        "z": critical.z,
        "one_sided_p": critical.one_sided_p,
        "fwer_bound_k_times_p": critical.family_error_bound,
    }


TOPICS = {
    "multiplicity.seed_z": Topic(
        says="The critical value z = 2 + ln(k)/2 of the report rule and its error rates.",
        takes=Cells,
        gives={
            "z": "critical value",
            "one_sided_p": "chance that one cell at the margin is listed",
            "fwer_bound_k_times_p": "k times that, at most 1",
        },
        compute=_seed_z,
    ),
}
