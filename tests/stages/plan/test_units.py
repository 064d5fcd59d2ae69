"""Lines of the units file: labels as declared, units from life protected, all faults at once."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError
from equipoise.records.plan import Provenance
from equipoise.stages.plan.units import Unit, digest_of, read_units
from studies.loss.made_study import made_units, unit_line

AXES = {"intent": ("refund", "invoice"), "language": ("de", "en")}


def read(
    lines: Sequence[dict[str, Any]], provenance: Provenance = Provenance.SYNTHETIC
) -> tuple[Unit, ...]:
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return read_units(text, axes=AXES, provenance=provenance, name="units.jsonl")


def faults(lines: list[dict[str, Any]], provenance: Provenance = Provenance.SYNTHETIC) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(lines, provenance)
    return str(caught.value).splitlines()


@pytest.mark.requirement("E2E-10")
@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({"intent": "refund", "language": "fr"}, "has language=fr, which axis 'language'"),
        ({"intent": "refund"}, "has no label 'language'"),
        ({"intent": "refund", "language": "de", "tier": "gold"}, "has the label 'tier'"),
    ],
)
def test_a_unit_whose_labels_are_not_as_declared_is_refused_with_its_id(
    labels: dict[str, str], told: str
) -> None:
    lines = [*made_units(2), unit_line(9, intent="refund", labels=labels)]
    (fault,) = faults(lines)
    assert fault.startswith("units.jsonl:5: unit 'refund-9' ")
    assert told in fault


@pytest.mark.requirement("E2E-07")
def test_a_unit_from_life_wants_a_retention_date_and_a_word_on_quoting() -> None:
    line = unit_line(1, intent="refund", retention_until="2027-01-31", may_quote=False)
    (unit,) = read([line], Provenance.CORPUS)
    assert not unit.holdout.may_quote
    for key in ("retention_until", "may_quote"):
        (fault,) = faults([{**line, key: None}], Provenance.CORPUS)
        assert "unit 'refund-1' comes from life" in fault
        assert key in fault
    (fault,) = faults([{**line, "retention_until": "next year"}], Provenance.CORPUS)
    assert "'next year'" in fault


@pytest.mark.requirement("E2E-07")
def test_a_unit_may_be_used_on_its_last_day() -> None:
    (unit,) = read([unit_line(1, intent="refund", retention_until="2026-01-31")])
    assert not unit.is_expired(date(2026, 1, 31))
    assert unit.is_expired(date(2026, 2, 1))


def test_faults_of_all_lines_come_at_once_and_are_counted_beyond_twenty() -> None:
    lines = [unit_line(n, intent="refund", labels={}) for n in range(15)]
    found = faults(lines)
    assert len(found) == 21
    assert found[-1] == "… and 10 further faults"


def test_a_second_unit_of_the_same_id_is_refused() -> None:
    (fault,) = faults([unit_line(1, intent="refund")] * 2)
    assert "units.jsonl:2: unit 'refund-1' stands in units.jsonl:1 already" in fault


def test_what_is_expected_is_no_part_of_the_brief() -> None:
    (unit,) = read([unit_line(7, intent="refund", expected={"amount": "canary-word"})])
    assert "canary-word" not in repr(unit.brief)
    assert unit.holdout.expected == {"amount": "canary-word"}


@pytest.mark.requirement("E2E-14")
@given(st.permutations(made_units(4)))
def test_order_changes_neither_ids_nor_hashes(lines: list[dict[str, Any]]) -> None:
    assert digest_of(read(lines)) == digest_of(read(made_units(4)))
    assert [unit.brief.unit for unit in read(lines)] == sorted(line["id"] for line in lines)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(junk: bytes) -> None:
    text = json.dumps(unit_line(1, intent="refund")).encode() + b"\n" + junk
    try:
        read_units(text, axes=AXES, provenance=Provenance.CORPUS, name="units.jsonl")
    except InputError as error:
        assert "units.jsonl" in str(error)  # noqa: PT017  either outcome is right; a crash is not
