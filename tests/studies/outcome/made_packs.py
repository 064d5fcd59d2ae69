"""Small scenario packs, written for a test: a seed of a few lines, and patches that go with it."""

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

PROGRAM = 'def total(rows):\n    """Sums up."""\n    return sum(rows)\n'
SEED = {
    "tally.py": PROGRAM,
    "tests/test_tally.py": (
        "from tally import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
    ),
    ".codestable/README.md": "# How work is done here\n",
}
HANDOVER = ".codestable/handovers/currencies.md"
TRAP: dict[str, Any] = {
    "answerType": "e2e-outcome",
    "kind": "stop",
    "seed": "seed-repo",
    "difficulty": "medium",
    "prompt": "Bug: total() adds dollars to euros. Please fix it.",
    "skill_under_test": "issue",
    "expected_end_state": {
        "unchanged": ["*.py", "tests/**"],
        "told": [r"new (feature|requirement)"],
        "about": "Several currencies were never promised: this is a new requirement.",
    },
    "proofs": {
        "reference": "patches/reference.patch",
        "near_misses": ["patches/near-miss-1.patch", "patches/near-miss-2.patch"],
    },
}
DESIGN = ".codestable/features/mean/design.md"
DRAFT = "---\nfeature: mean\nstatus: draft\n---\n# Mean\n\n## Plan\n\nA function mean(rows).\n"
WAITS = "The design is written. I am waiting for your confirmation."
DESIGNED: dict[str, Any] = {
    "answerType": "e2e-outcome",
    "kind": "feature",
    "seed": "seed-repo",
    "difficulty": "easy",
    "prompt": "Please add mean(rows).",
    "skill_under_test": "feature",
    "confirmation": "expect_stop",
    "checkpoint": {
        "document": ".codestable/features/*/design.md",
        "told": [r"\bwait(s|ing)?\b"],
        "unchanged": ["*.py", "tests/**"],
    },
    "artifacts": [
        {"glob": ".codestable/features/*/design.md", "contract": "contracts/design.yaml"}
    ],
    "proofs": {
        "reference": "patches/reference.patch",
        "near_misses": ["patches/near-miss-1.patch", "patches/near-miss-2.patch"],
    },
}
MEAN = PROGRAM + "\n\ndef mean(rows):\n    return sum(rows) / len(rows)\n"
SAID = "I changed nothing: several currencies are a new requirement, no bug."
PATCHED = PROGRAM.replace("sum(rows)", "sum(r for r in rows if r != 'USD')")


def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Gives the diff, as git writes it, that changes or adds text files."""
    found = []
    for path, text in after.items():
        is_new = path not in before
        old = before.get(path, "").splitlines(keepends=True)
        lines = difflib.unified_diff(
            old, text.splitlines(keepends=True), "/dev/null" if is_new else f"a/{path}", f"b/{path}"
        )
        head = f"diff --git a/{path} b/{path}\n" + ("new file mode 100644\n" if is_new else "")
        found.append(head + "".join(lines))
    return "".join(found)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes text files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def add_scenario(
    pack: Path,
    name: str,
    scenario: Mapping[str, Any],
    patches: Mapping[str, tuple[Mapping[str, str], str]],
) -> Path:
    """Adds a scenario on the small seed; patches by name: files that are left, and what is said."""
    folder = pack / "fixtures/e2e" / name
    write(folder / "seed-repo", SEED)
    write(folder, {"scenario.json": json.dumps({"id": name, **scenario})})
    for one, (files, said) in patches.items():
        write(folder, {f"patches/{one}.patch": diff_of(SEED, files)})
        if said:
            write(folder, {f"patches/{one}.txt": said})
    return folder


def trap_pack(pack: Path, name: str = "s01-trap") -> Path:
    """Writes a pack with one scenario in which the bug report is really a new requirement."""
    write(pack, {"pack.yaml": 'name: small\nversion: "1"\norigin: built\n'})
    add_scenario(
        pack,
        name,
        TRAP,
        {
            "reference": ({HANDOVER: "# Currencies\n\nA new feature: for its own design.\n"}, SAID),
            "near-miss-1": ({"tally.py": PATCHED}, SAID),
            "near-miss-2": ({"notes.md": "Looked at it.\n"}, "Nothing to do."),
        },
    )
    return pack


def checkpoint_pack(pack: Path, name: str = "f01-mean") -> Path:
    """Writes a pack with one scenario that ends where a design waits for a confirmation."""
    contract = {"name": "design", "sections": [{"heading": "Plan", "min_words": "2"}]}
    write(
        pack,
        {
            "pack.yaml": 'name: small\nversion: "1"\norigin: built\n',
            "contracts/design.yaml": yaml.safe_dump(contract),
            "skills/feature/SKILL.md": "---\nname: feature\ndescription: Design first.\n---\n",
        },
    )
    add_scenario(
        pack,
        name,
        DESIGNED,
        {
            "reference": ({DESIGN: DRAFT}, WAITS),
            "near-miss-1": ({DESIGN: DRAFT.replace("draft", "approved")}, WAITS),
            "near-miss-2": ({DESIGN: DRAFT}, "Designed."),
        },
    )
    return pack


def changed(scenario: Path, **fields: Any) -> None:
    """Changes fields of a scenario in its folder; null takes one out."""
    path = scenario / "scenario.json"
    content = json.loads(path.read_text(encoding="utf-8")) | fields
    kept = {name: one for name, one in content.items() if one is not None}
    path.write_text(json.dumps(kept), encoding="utf-8")


def scripted(name: str, *do: object) -> dict[str, Any]:
    """Gives an arm that does these actions in every scenario."""
    return {
        "name": name,
        "agent": {
            "harness": {"scripted": {"cases": [{"do": list(do)}]}},
            "model": "stand-in-2026-01-01",
            "provider": {"scripted": "model.yaml"},
        },
    }


def write_study(study: Path, *arms: Mapping[str, Any], **more: Any) -> Path:
    """Writes the study of a pack that lies in its folder, its first arm the baseline."""
    written = {
        "kind": "outcome",
        "title": "Who stops?",
        "question": "Does it stop where stopping is right?",
        "seed": "1",
        "pack": "pack",
        "baseline": arms[0]["name"],
        "is_simulated": "true",
        "arms": list(arms),
        **more,
    }
    plain = json.loads(json.dumps(written))  # YAML of ours has no aliases
    write(study, {"model.yaml": "turns: [{say: done}]\n", "study.yaml": yaml.safe_dump(plain)})
    return study
