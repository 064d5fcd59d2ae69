"""The criteria of an outcome study, as the catalog by which its trials are graded."""

from typing import Any

_OWN_TESTS = ["tests/**/*.py"]
_WEIGHTS = {"hidden_explicit": 0.5, "hidden_implicit": 0.3, "regression": 0.2}


def catalog_of() -> dict[str, Any]:
    """Gives the catalog, as a loss study has it in its file."""
    hidden = {"reference": "{expected.reference}", "lost": "share"}
    checks: dict[str, dict[str, Any]] = {
        "hidden_explicit": {"tests": "{expected.explicit}", **hidden},
        "hidden_implicit": {"tests": "{expected.implicit}", **hidden},
        "regression": {"seed_tests": _OWN_TESTS, "lost": "any", "apart": False},
    }
    return {
        "version": "v1",
        "categories": [
            {
                "id": name,
                "weight": weight,
                "type": "deterministic",
                "max": 1,
                "check": {"suite": checks[name]},
            }
            for name, weight in _WEIGHTS.items()
        ],
    }
