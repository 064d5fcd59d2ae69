"""``equipoise terms memory`` as a user types it: the built-in text, and takes of our own."""

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from equipoise.cli import commands
from house.documents import ROOT

_TARGETS = ("Бай", "Вэнь", "Гун", "Дун", "Ци", "Фэн", "Хань", "Цзян", "Шэнь", "Юань")
_KEYS = "白文宫东齐风韩江沈元"
Take = dict[str, Any]


def _run(*args: object) -> Result:
    return CliRunner().invoke(commands, ["terms", "memory", *map(str, args)])


def _json(*args: object, schema: str = "term-memory") -> dict[str, Any]:
    done = _run(*args, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    text = (ROOT / "schemas" / f"{schema}.schema.json").read_bytes()
    Draft202012Validator(json.loads(text)).validate(found)
    return found


def _write(path: Path, lines: Iterable[dict[str, Any]]) -> Path:
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


class _Study:
    """Ten terms over two chapters, each chunk with all of them; takes as a test wants them."""

    def __init__(self, folder: Path, n_chunks: int = 40, n_terms: int = 10) -> None:
        self.folder = folder
        self.chunks = [f"c{n}" for n in range(n_chunks)]
        terms = list(zip(_KEYS, _TARGETS, strict=True))[:n_terms]
        self.glossary = _write(
            folder / "glossary.jsonl",
            ({"src": k, "dst": t, "kind": "name", "forms": [t]} for k, t in terms),
        )
        self.text = _write(
            folder / "chunks.jsonl",
            (
                {"id": c, "chapter": 1 + n % n_chunks // ((n_chunks + 1) // 2), "source": _KEYS}
                for n, c in enumerate(self.chunks)
            ),
        )

    def evaluated(
        self, make: Callable[[str, int], tuple[str, int, float | None]], *more: object
    ) -> dict[str, Any]:
        """The evaluation of what `make` gives for mode and number: output, tokens, fidelity."""
        takes: list[Take] = []
        judgements: list[Take] = []
        for mode in ("M0", "M1", "M2", "M3"):
            for number, chunk in enumerate(self.chunks):
                output, tokens, fidelity = make(mode, number)
                takes.append(
                    {
                        "chunk": chunk,
                        "mode": mode,
                        "output": output,
                        "model": "maker-1-2026",
                        "tokens_in": tokens,
                        "tokens_out": 7,
                    }
                )
                if fidelity is not None:
                    answer: dict[str, Any] = {"fidelity": fidelity} | {kind: [] for kind in _FAULTS}
                    judgements.append(
                        {"chunk": chunk, "mode": mode, "judge": "judge-1", "answer": answer}
                    )
        files = [self.glossary, self.text, "--takes", _write(self.folder / "takes.jsonl", takes)]
        files += ["--judgements", _write(self.folder / "judgements.jsonl", judgements)]
        return _json(*files, *more)


_FAULTS = ("mistranslation", "omission", "addition", "wrong_names")
_ALL = " и ".join(_TARGETS)


def _said(found: dict[str, Any]) -> dict[str, str]:
    return {one["rule"]: one["says"] for one in found["readings"]}


@pytest.mark.requirement("PIL-43")
@pytest.mark.requirement("PIL-44")
def test_every_rule_has_vectors_that_pass_and_a_changed_one_fails_with_a_diff(
    tmp_path: Path,
) -> None:
    found = _json("--self-test", schema="self-test")
    assert found["n"] == found["n_passed"] == 75
    file = ROOT / "src" / "equipoise" / "terms" / "data" / "memory_vectors.jsonl"
    vectors = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    rules = {one["id"].partition("-")[0] for one in vectors}
    assert rules >= set(_RULES)
    changed = next(one for one in vectors if one["id"] == "sticky")
    changed["expected"][1]["injected"] = ["月井"]
    done = _run("--self-test", "--vectors", _write(tmp_path / "changed.jsonl", vectors))
    assert done.exit_code == 1
    assert "74 of 75" in done.stdout
    assert "月井+1" in done.stdout


_RULES = (
    *("sticky", "until", "spoiler", "contained", "budget", "boundary", "apostrophe", "ignorable"),
    *("simplified", "planes", "short", "exchange", "echo"),
)


@pytest.mark.requirement("PIL-42")
def test_a_dry_run_shows_each_prompt_and_asks_nobody() -> None:
    found = _json("--example", "--dry-run", "--chapter", "6", schema="term-memory-plan")
    assert [one["chunk"] for one in found["chunks"]] == [f"6-{n}" for n in range(1, 7)]
    for chunk in found["chunks"]:
        modes = {one["mode"]: one for one in chunk["modes"]}
        names = {mode: {i["term"] for i in one["injected"]} for mode, one in modes.items()}
        assert names["M0"] == set()
        assert names["M1"] == names["M3"] <= names["M2"]
        right = {i["term"]: i["line"] for i in modes["M1"]["injected"]}
        assert all(right[i["term"]] != i["line"] for i in modes["M3"]["injected"])
        assert modes["M1"]["left"]["旧桥"] == "its chapters are over (until_ch)"
        assert modes["M1"]["left"]["青灯阁主"] == "it may not be told yet (from_ch)"
        assert len({one["prompt_sha256"] for one in modes.values()}) == 4
    last = {i["term"]: i for i in found["chunks"][-1]["modes"][1]["injected"]}
    assert last["青灯"]["stays"] == 0, "the longer key may not be told yet and hides nothing"
    assert last["白鹭渡"]["stays"] == 2
    few = _json(
        "--example", "--dry-run", "--chapter", "6", "--budget", "30", schema="term-memory-plan"
    )
    lefts = [one["modes"][1]["left"].values() for one in few["chunks"]]
    assert any("over the budget of tokens" in left for left in lefts)
    told = _run("--example", "--dry-run", "--chapter", "6").stdout
    assert "no model was asked" in told
    assert "met 1 chunk ago" in told
    assert _run("--example", "--dry-run", "--chapter", "9").exit_code == 2


@pytest.mark.requirement("PIL-10")
@pytest.mark.requirement("PIL-50")
@pytest.mark.requirement("PIL-51")
@pytest.mark.requirement("PIL-52")
@pytest.mark.requirement("PIL-54")
@pytest.mark.requirement("X-P12")
@pytest.mark.requirement("X-P17")
def test_the_built_in_text_gives_the_table_of_modes_and_supports_no_reading(tmp_path: Path) -> None:
    asked = ("--example", "--chapter", "6", "--max-chunks", "5")
    first = _json(*asked)
    out = tmp_path / "out"
    again = _json(*asked, "--regen-on-echo", "-o", out)
    modes = {one["mode"]: one for one in first["modes"]}
    assert {mode: one["echo"]["n_yes"] for mode, one in modes.items()} == {
        "M0": 0,
        "M1": 1,
        "M2": 1,
        "M3": 1,
    }
    m3 = modes["M3"]["consistency"]
    assert (m3["clean"]["n_chunks"], m3["full"]["n_chunks"], m3["n_excluded"]) == (4, 5, 1)
    assert m3["worst"] <= m3["full"]["value"] < m3["best"]
    assert modes["M3"]["unstripped"]["value"] > m3["full"]["value"]
    assert modes["M2"]["n_unreadable"] == 1
    assert modes["M2"]["fidelity"]["full"]["n_missing"] == 1
    for found in (first, again):
        assert found["state"] == "indicative"
        assert found["is_simulated"]
        assert {one["says"] for one in found["readings"]} == {"cannot tell"}
        for one in (*found["readings"], *found["differences"]):
            assert {"underpowered", "simulated"} <= set(one["tags"])
        for mode in found["modes"]:
            takes = [one for one in found["takes"] if one["mode"] == mode["mode"]]
            for axis in ("tokens_in", "tokens_out"):
                total = sum(one[axis] for one in takes)
                assert mode[axis]["total"] == total
                assert mode[axis]["value"] == pytest.approx(total / len(takes))
    assert all(one["consistency"]["n_excluded"] == 0 for one in again["modes"])
    assert sum(one["n_regenerated"] for one in again["modes"]) == 3
    assert [one["echo"] for one in first["modes"]] == [one["echo"] for one in again["modes"]]
    for file in (out / "outputs").iterdir():
        assert sha256(file.read_bytes()).hexdigest() == file.stem
    kept = {file.stem for file in (out / "outputs").iterdir()}
    assert {one["output_sha256"] for one in again["takes"]} <= kept
    assert json.loads((out / "memory.json").read_bytes()) == again
    head = (out / "memory.md").read_text("utf-8")
    assert "| mode | consistency, clean | full | fidelity, clean | full | tokens in |" in head
    assert "**indicative**, never a verdict" in head
    told = _run(*asked).stdout
    assert "[underpowered]" in told
    assert "1/5" in told
    assert "with echoes counted consistency would have been" in told


@pytest.mark.requirement("PIL-53")
@pytest.mark.requirement("X-P13")
def test_each_branch_of_the_rules_is_reached_and_the_undecided_cannot_tell(tmp_path: Path) -> None:
    study = _Study(tmp_path)

    def made(
        texts: dict[str, str], tokens: dict[str, int], fidelity: dict[str, float | None]
    ) -> dict[str, str]:
        found = study.evaluated(
            lambda mode, n: (
                texts.get(mode, _ALL),
                tokens.get(mode, 1000) + n * (int(mode[1]) + 1) % 5,
                fidelity.get(mode, 90.0),
            ),
            "--margin-consistency",
            "0.2",
            "--margin-fidelity",
            "0.3",
        )
        assert "indicative" in found["readings"][0]["tags"]
        return _said(found)

    bank, harm, seen = "bank or long context", "silent harm", "harm in consistency"
    cheap = made({}, {"M2": 2000}, {"M3": 5.0})
    assert (cheap[bank], cheap[harm], cheap[seen]) == (
        "bank justified",
        "fear confirmed",
        "not seen in consistency",
    )
    same = made({"M3": "никто"}, {}, {})
    assert same[bank] == "as good, and not cheaper"
    assert same[harm] == "no drop beyond the margin"
    assert same[seen] == "seen in consistency"
    assert made({"M1": "никто"}, {"M2": 2000}, {})[bank] == "fuller context needed"
    assert made({"M2": "никто"}, {}, {})[bank] == "bank better"
    assert made({"M1": "никто"}, {}, {"M2": 5.0})[bank] == "cannot tell", "axes are not combined"
    unjudged = made({}, {"M2": 2000}, {"M1": None, "M3": None})
    assert unjudged[bank] == unjudged[harm] == "cannot tell"


def test_few_chunks_cannot_tell(tmp_path: Path) -> None:
    found = _Study(tmp_path, n_chunks=4).evaluated(
        lambda mode, n: (_ALL, 1000 + n, 60.0 if mode == "M3" else 90.0)
    )
    assert set(_said(found).values()) == {"cannot tell"}
    assert all("underpowered" in one["tags"] for one in found["readings"])
    assert not found["is_simulated"]


@pytest.mark.requirement("PIL-08")
def test_with_seven_recurring_terms_there_is_nothing_to_measure(tmp_path: Path) -> None:
    study = _Study(tmp_path, n_chunks=4, n_terms=8)
    assert study.evaluated(lambda _, n: (_ALL, n + 1, 90.0))["n_recurring"] == 8
    takes = ("--takes", tmp_path / "takes.jsonl")
    few = _Study(tmp_path, n_chunks=4, n_terms=7)
    done = _run(few.glossary, few.text, *takes)
    assert done.exit_code == 3
    assert "7 terms" in done.stderr
    assert "nothing to measure" in done.stderr


def test_takes_that_belong_to_nothing_are_refused_by_their_line(tmp_path: Path) -> None:
    study = _Study(tmp_path, n_chunks=4)
    good = {"chunk": "c0", "mode": "M1", "output": "Бай", "model": "m-1"}
    for lines, said in (
        ([good | {"mode": "C1"}], "core configuration"),
        ([good | {"mode": "M5"}], "no mode 'M5'"),
        ([good | {"chunk": "c9"}], "no chunk 'c9'"),
        ([good, good], "stands twice"),
        ([good | {"attempt": 2}], "all of them from 1 on"),
        ([good | {"tokens_in": -1}], "tokens_in"),
        ([good | {"price": 3}], "price"),
    ):
        takes = _write(tmp_path / "takes.jsonl", lines)
        done = _run(study.glossary, study.text, "--takes", takes)
        assert done.exit_code == 2
        assert str(takes) in done.stderr
        assert said in done.stderr
    done = _run(study.glossary, study.text)
    assert "no takes" in done.stderr


def test_a_judgement_of_another_output_does_not_count(tmp_path: Path) -> None:
    study = _Study(tmp_path, n_chunks=4)
    take = {"chunk": "c0", "mode": "M1", "output": _ALL, "model": "m-1"}
    takes = _write(tmp_path / "takes.jsonl", [take])
    answer: dict[str, Any] = {"fidelity": 90} | {kind: [] for kind in _FAULTS}
    line = {"chunk": "c0", "mode": "M1", "judge": "j", "answer": answer, "output_sha256": "0" * 64}
    asked = (study.glossary, study.text, "--takes", takes, "--judgements")
    found = _json(*asked, _write(tmp_path / "j.jsonl", [line]))
    assert found["takes"][0]["fidelity"] is None
    assert "judged another output" in found["takes"][0]["fidelity_why"]
    line["output_sha256"] = found["takes"][0]["output_sha256"]
    found = _json(*asked, _write(tmp_path / "j.jsonl", [line]))
    assert found["takes"][0]["fidelity"] == 90.0
    assert found["modes"][0]["fidelity"]["clean"]["value"] == pytest.approx(0.9)
