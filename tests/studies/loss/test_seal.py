"""What a seal says: self-declared, signed, witnessed; and what was changed after sealing."""

import json
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import Blocked, Tampered
from equipoise.studies.loss.sealed import read_sealed
from studies.loss.made_study import made_study, made_units, unit_line, write_units
from studies.loss.study_commands import planned, run, sealed
from studies.loss.time_authority import Authority, authority

TODAY = date(2026, 1, 2)


@pytest.fixture(scope="module")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("authority") / "tsa")


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_key(tmp_path_factory.mktemp("keys") / "signer")


def made_key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def seal_of(study: Path) -> dict[str, Any]:
    seal: dict[str, Any] = json.loads(study.joinpath("seal.json").read_bytes())
    return seal


def test_a_seal_on_ones_own_word_says_so(tmp_path: Path) -> None:
    code, out, err = run("seal", planned(made_study(tmp_path)))
    assert (code, err) == (0, "")
    seal = seal_of(tmp_path)
    assert out.startswith(f"sealed {seal['plan_sha256']} at 2026-01-02T12:00:00Z: self-declared\n")
    assert "label" not in seal  # the default
    assert "registered" not in out


@pytest.mark.requirement("E2E-16")
def test_sampling_before_sealing_is_refused(tmp_path: Path) -> None:
    study = planned(made_study(tmp_path))
    code, _, err = run("run", study)
    assert code == 3
    assert "sampling before sealing is refused" in err
    assert not study.joinpath("archive").exists()


def test_a_signed_seal_holds_until_a_byte_changes(tmp_path: Path, key: Path) -> None:
    study = planned(made_study(tmp_path))
    code, out, err = run("seal", study, "--sign", key)
    assert (code, err) == (0, "")
    assert ": signed\n" in out
    assert seal_of(study)["label"] == "signed"
    read_sealed(study, today=TODAY)


def test_a_plan_changed_together_with_its_hash_betrays_the_signature(
    tmp_path: Path, key: Path
) -> None:
    study = planned(made_study(tmp_path))
    assert run("seal", study, "--sign", key)[0] == 0
    other = sealed(made_study(tmp_path / "other", mde="0.6"))
    study.joinpath("plan.json").write_bytes(other.joinpath("plan.json").read_bytes())
    study.joinpath("study.yaml").write_bytes(other.joinpath("study.yaml").read_bytes())
    forged = seal_of(study) | {"plan_sha256": seal_of(other)["plan_sha256"]}
    study.joinpath("seal.json").write_text(json.dumps(forged), encoding="utf-8")
    with pytest.raises(Tampered, match="signature"):
        read_sealed(study, today=TODAY)
    code, out, err = run("verify", study)
    assert code == 1
    assert "the proof does not hold" in out + err


def test_the_name_of_another_signer_is_found(tmp_path: Path, key: Path) -> None:
    study = planned(made_study(tmp_path))
    assert run("seal", study, "--sign", key)[0] == 0
    other = made_key(tmp_path / "other").with_suffix(".pub").read_text(encoding="utf-8").strip()
    study.joinpath("seal.json").write_text(
        json.dumps(seal_of(study) | {"signer": other}), encoding="utf-8"
    )
    with pytest.raises(Tampered, match="signature"):
        read_sealed(study, today=TODAY)


def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    study = planned(made_study(tmp_path))
    code, _, err = run("seal", study, "--sign", study / "agent.py")
    assert code == 2
    assert "cannot sign" in err
    assert not study.joinpath("seal.json").exists()


def test_a_witnessed_seal_holds_the_time_of_the_authority(tmp_path: Path, tsa: Authority) -> None:
    study = planned(made_study(tmp_path))
    query = tmp_path / "query.tsq"
    code, out, _ = run("seal", study, "--tsa-query", query)
    assert code == 0
    assert "next: equipoise seal" in out
    assert not study.joinpath("seal.json").exists()
    answer = tsa.answer(query, tmp_path / "answer.tsr")
    code, out, err = run("seal", study, "--token", answer, "--ca", tsa.root)
    assert (code, err) == (0, "")
    seal = seal_of(study)
    assert seal["label"] == "witnessed"
    assert f"witnessed at {seal['witnessed_at']}" in out
    assert read_sealed(study, today=TODAY).seal.witnessed_at == seal["witnessed_at"]


def test_a_proof_added_later_keeps_the_time_and_the_signature(
    tmp_path: Path, tsa: Authority, key: Path
) -> None:
    study = planned(made_study(tmp_path))
    assert run("seal", study, "--sign", key)[0] == 0
    run("seal", study, "--tsa-query", tmp_path / "q")
    answer = tsa.answer(tmp_path / "q", tmp_path / "a")
    later = {"SOURCE_DATE_EPOCH": "1767999999"}
    assert run("seal", study, "--token", answer, "--ca", tsa.root, **later)[0] == 0
    seal = seal_of(study)
    assert (seal["label"], seal["sealed_at"]) == ("witnessed", "2026-01-02T12:00:00Z")
    assert seal["signature"].startswith("-----BEGIN SSH SIGNATURE-----")


def test_a_token_over_something_else_is_refused(tmp_path: Path, tsa: Authority) -> None:
    other = planned(made_study(tmp_path / "other", mde="0.6"))
    run("seal", other, "--tsa-query", tmp_path / "q")
    answer = tsa.answer(tmp_path / "q", tmp_path / "a")
    study = planned(made_study(tmp_path / "study"))
    code, _, err = run("seal", study, "--token", answer, "--ca", tsa.root)
    assert code == 1
    assert "not over plan.json" in err


def test_a_token_of_nobody_trusted_is_refused(tmp_path: Path, tsa: Authority) -> None:
    study = planned(made_study(tmp_path / "study"))
    stranger = authority(tmp_path / "stranger")
    run("seal", study, "--tsa-query", tmp_path / "q")
    answer = stranger.answer(tmp_path / "q", tmp_path / "a")
    code, _, err = run("seal", study, "--token", answer, "--ca", tsa.root)
    assert code == 2
    assert "the token does not hold" in err
    code, _, err = run("seal", study, "--token", answer)
    assert code == 2
    assert "--ca" in err
    assert not study.joinpath("seal.json").exists()


def test_verify_looks_at_who_signed_the_token_where_it_is_given_the_root(
    tmp_path: Path, tsa: Authority
) -> None:
    study = planned(made_study(tmp_path / "study"))
    run("seal", study, "--tsa-query", tmp_path / "q")
    answer = tsa.answer(tmp_path / "q", tmp_path / "a")
    assert run("seal", study, "--token", answer, "--ca", tsa.root)[0] == 0
    code, out, _ = run("verify", study)
    assert code == 0
    assert "who signed the token was not looked at" in out
    code, out, _ = run("verify", study, "--ca", tsa.root)
    assert code == 0
    assert "was not looked at" not in out
    stranger = authority(tmp_path / "stranger")
    code, out, _ = run("verify", study, "--ca", stranger.root)
    assert code == 1
    assert "the proof does not hold" in out
    assert run("seal", study, "--ca", tsa.root)[0] == 0
    code, _, err = run("seal", study, "--ca", stranger.root)
    assert code == 2
    assert "the token does not hold" in err


def test_certificates_without_a_token_are_said_to_prove_nothing(
    tmp_path: Path, tsa: Authority
) -> None:
    study = planned(made_study(tmp_path))
    code, _, err = run("seal", study, "--ca", tsa.root)
    assert code == 2
    assert "--ca without --token" in err
    assert run("seal", study)[0] == 0
    code, out, _ = run("verify", study, "--ca", tsa.root)
    assert code == 0
    assert "no token that --ca could speak of" in out
    assert run("verify", study, "--ca", tmp_path / "missing.pem")[0] == 2


def test_a_token_of_garbage_is_refused(tmp_path: Path, tsa: Authority) -> None:
    study = planned(made_study(tmp_path))
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"\x30\x03\x02\x01\x00 not a token")
    code, _, err = run("seal", study, "--token", garbage, "--ca", tsa.root)
    assert code == 2
    assert "no time-stamp token" in err


def test_the_commit_that_holds_the_plan_is_recorded(tmp_path: Path) -> None:
    study = planned(made_study(tmp_path))
    git = ("git", "-C", str(study), "-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "Plan"]):
        subprocess.run([*git, *arguments], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    assert run("seal", study)[0] == 0
    assert seal_of(study)["commit"] == head.stdout.strip()


def test_a_plan_edited_by_hand_is_not_sealed(tmp_path: Path) -> None:
    study = planned(made_study(tmp_path))
    plan = study / "plan.json"
    plan.write_bytes(plan.read_bytes().replace(b'"mde": 0.5', b'"mde": 0.1'))
    code, _, err = run("seal", study)
    assert code == 3
    assert "is not what study.yaml gives: line " in err
    assert "'\"mde\": 0.1,', wanted '\"mde\": 0.5,'" in err


@pytest.mark.parametrize(
    ("name", "found", "wanted"),
    [
        ("plan.json", '"mde": 0.4', '"mde": 0.5'),
        ("study.yaml", "mde: 0.4", "mde: 0.5"),
    ],
)
def test_an_edit_after_sealing_is_told_line_by_line(
    tmp_path: Path, name: str, found: str, wanted: str
) -> None:
    study = sealed(made_study(tmp_path))
    path = study / name
    path.write_bytes(path.read_bytes().replace(wanted.encode(), found.encode()))
    code, _, err = run("run", study)
    assert code == 1
    assert f"{name} was changed after sealing: line " in err
    assert found in err
    assert wanted in err


def test_a_catalog_edited_after_sealing_is_named(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path))
    path = study / "catalogs" / "loss-catalog.v1.json"
    path.write_bytes(path.read_bytes().replace(b"0.4", b"0.5"))
    with pytest.raises(Tampered, match=r"loss-catalog\.v1\.json was changed after sealing"):
        read_sealed(study, today=TODAY)


def test_a_changed_unit_is_named_with_its_line(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path, units=made_units(4)))
    units = made_units(4)
    units[2]["brief"]["cents"] = 1
    write_units(study, units)
    with pytest.raises(Tampered, match=r"units\.jsonl was changed after sealing: units\.jsonl:3"):
        read_sealed(study, today=TODAY)


@pytest.mark.requirement("E2E-07")
def test_a_unit_whose_retention_ended_since_may_not_be_used(tmp_path: Path) -> None:
    units = [
        unit_line(number, intent=intent, retention_until="2026-01-31", may_quote=True)
        for intent in ("refund", "invoice")
        for number in range(1, 5)
    ]
    study = sealed(made_study(tmp_path, units=units, provenance="korpus"))
    read_sealed(study, today=date(2026, 1, 31))
    with pytest.raises(Blocked, match="the retention of invoice-1"):
        read_sealed(study, today=date(2026, 2, 1))


def test_planning_anew_what_is_sealed_is_refused_unless_it_is_the_same(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path))
    before = study.joinpath("plan.json").read_bytes()
    assert run("plan", study)[0] == 0
    made_study(tmp_path, mde="0.6")
    code, _, err = run("plan", study)
    assert code == 3
    assert "is sealed" in err
    assert study.joinpath("plan.json").read_bytes() == before
