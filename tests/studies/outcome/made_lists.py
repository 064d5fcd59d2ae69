"""A small decompose scenario: an expert's items, lists of agents, and a judge that reads them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from studies.outcome.made_packs import add_scenario, scripted, write

LIST = ".codestable/epics/money.yaml"
NEED = (
    "We want totals in several currencies: amounts that carry their currency, rates from a file, "
    f"and reports in one currency. Split it into work items. Write them to {LIST}, a YAML list of "
    "{id, text, depends_on, acceptance}."
)
EXPERT: list[dict[str, Any]] = [
    {
        "id": "amount",
        "text": "amounts carry a currency",
        "label": "obvious",
        "acceptance": ["adding euros to dollars is refused"],
    },
    {
        "id": "rates",
        "text": "exchange rates are read from a file",
        "label": "obvious",
        "depends_on": ["amount"],
        "acceptance": ["a rate of a day is found"],
    },
    {
        "id": "report",
        "text": "a report sums up in one currency",
        "label": "obvious",
        "depends_on": ["rates"],
        "acceptance": ["the report of the example shows 12.40"],
    },
    {
        "id": "missing-rate",
        "text": "a day without a rate is told, not guessed",
        "label": "edge",
        "depends_on": ["rates"],
        "acceptance": ["a day without a rate ends with code 2"],
    },
    {
        "id": "rounding",
        "text": "rounding is done once, at the end",
        "label": "edge",
        "depends_on": ["report"],
        "acceptance": ["three thirds of a cent are one cent"],
    },
]
RULES = {
    "carry a currency": "Money",
    "rates are read": "rate table",
    "sums up": "totals",
    "without a rate": "no rate",
    "rounding": "round",
}
"""What an item has to have for the stand-in to say that it meets the requirement."""


def item(name: str, text: str, *after: str, done: Sequence[str] = ("a test of it passes",)) -> Any:
    """Gives an item of an agent's list."""
    return {"id": name, "text": text, "depends_on": list(after), "acceptance": list(done)}


WHOLE = [
    item("t1", "A Money type that knows what it is of"),
    item("t2", "Load the rate table", "t1"),
    item("t3", "Show totals in the one that is asked for", "t2"),
    item("t4", "Say where there is no rate, and stop", "t2"),
    item("t5", "Only round what is shown", "t3"),
]
FAULTY = [
    item("t1", "A Money type that knows what it is of", "t2"),
    item("t2", "Load the rate table"),
    item("t3", "Show totals in the one that is asked for", "t2"),
]
"""Lacks both edge items, and wants the rate table before the type that it is of."""


def listed(items: Any) -> str:
    """Gives a list as YAML."""
    return yaml.safe_dump(json.loads(json.dumps(items)), sort_keys=False)


def decompose_pack(pack: Path, name: str = "d01-currencies", **more: Any) -> Path:
    """Writes a pack with one scenario that asks for a list; `more` goes to the scenario."""
    write(pack, {"pack.yaml": 'name: small\nversion: "1"\norigin: built\n'})
    own = [{k: v for k, v in one.items() if k != "label"} for one in EXPERT]
    turned = [{**one, "depends_on": ["rates"] if one["id"] == "amount" else []} for one in own]
    scenario = {
        "answerType": "e2e-outcome",
        "kind": "decompose",
        "seed": "seed-repo",
        "prompt": NEED,
        "skill_under_test": "epic",
        "items": "items.yaml",
        "deliverable": LIST,
        "proofs": {
            "reference": "patches/reference.patch",
            "near_misses": ["patches/near-miss-1.patch", "patches/near-miss-2.patch"],
        },
        **more,
    }
    folder = add_scenario(
        pack,
        name,
        scenario,
        {
            "reference": ({LIST: listed(own)}, ""),
            "near-miss-1": ({LIST: listed(own[:3])}, ""),
            "near-miss-2": ({LIST: listed(turned)}, ""),
        },
    )
    write(folder, {"items.yaml": listed(EXPERT)})
    return pack


def leaves(name: str, text: str, path: str = LIST) -> dict[str, Any]:
    """Gives an arm that writes a file and says so."""
    written = {"write": {"path": path, "text": text}}
    return scripted(name, written, {"print": "Done: the items are written down."})


def reader(name: str = "reader", **rule: Any) -> Mapping[str, Any]:
    """Gives a judge that is a stand-in; a keyword changes its rule."""
    script = {"covers": dict(RULES), "finds": "a test of it passes"} | rule
    return {
        "name": name,
        "model": {"model": "gpt-5-mini-2025-08-07", "provider": {"scripted_judge": script}},
    }
