"""Every fault of a study file is named at once, with its place and the mend; none is a crash."""

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError
from equipoise.stages.plan.draft import StudyDraft
from equipoise.stages.plan.load import read_study
from every import for_every
from studies.loss.made_study import STUDY, study_text

_PLACE = re.compile(r"^study\.yaml:\d+:\d+: field '[\w.\-]+'")


def faults(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_study(text.encode())
    return str(caught.value).splitlines()


def test_a_sound_study_is_read_and_its_defaults_are_written_out() -> None:
    draft, _ = read_study(study_text(mde="", budget="", cells="", repetitions="").encode())
    assert (draft.mde, draft.cells, draft.repetitions.stochastic) == (0.05, ("category",), 3)
    assert (draft.adversarial_cap, draft.double_rating, draft.rule) == (0.10, 0.20, "seed")


def test_all_faults_come_at_once_each_with_place_and_mend() -> None:
    found = faults(
        study_text(
            mde="0",
            seed="x",
            provenance="corpus",
            mode="B",
            axes="{intent: [refund, refund]}",
            adversarial_cap="2",
            axis="{}",
        )
    )
    assert len(found) == 9
    assert all(_PLACE.match(fault) and "; mend: " in fault for fault in found), found
    assert found[4] == (
        "study.yaml:20:6: field 'mde' is '0'; wanted: greater than 0; mend: write mde: 0.05"
    )


@for_every(
    "changes, told",
    [
        ({"axis": "{}"}, "field 'axis' is unknown; did you mean 'axes'?"),
        ({"sandbox": "{enviroment: [PATH]}"}, "did you mean 'environment'?"),
        ({"budget": "{max_uds: 3}"}, "did you mean 'max_usd' or"),
        ({"paired": "yes"}, "'yes' is no truth value; mend: write true or false"),
        ({"repetitions": "{stochastic: 2}"}, "wanted: greater than or equal to 3"),
        ({"stopping": "{looks: 5}"}, "rule: obrien-fleming, or looks: 1"),
        ({"state": "{sqlite: a, directory: b}"}, "state has directory, sqlite"),
        ({"probes": "[{name: j, files: {}, sql: {}}]"}, "probe j has files, sql"),
        ({"probes": "[{name: j, ftp: {}}]"}, "field 'probes.0.ftp' is unknown"),
        ({"sandbox": "{environment: [A], forbidden: [A]}"}, "A stand in environment"),
        ({"arms": "[]"}, "wanted: at least one"),
        ({"arms": "[{name: 'a/b', system: {command: [x]}}]"}, "'a/b'"),
        ({"arms": "[{name: a, system: {ssh: {}}}]"}, "exactly one of http, command, callable"),
        ({"arms": "[{name: a, system: {command: [x]}, service: {}, x: 1}]"}, "'arms.0.x'"),
        ({"arms": "[{name: a, system: {http: {url: '{service}/x'}}}]"}, "has no service"),
        ({"arms": "[{name: a, system: {http: {body: x}}}]"}, "has no url"),
        ({"cells": "[loss, loss]"}, "field 'cells' has 'loss' twice"),
        ({"mde": "inf"}, "field 'mde' is 'inf'"),
        ({"mde": ".nan"}, "field 'mde' is '.nan'"),
        ({"seed": "1.5"}, "field 'seed' is '1.5'"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, str], told: str) -> None:
    assert any(told in fault for fault in faults(study_text(**changes)))


@for_every(
    "partitions, told",
    [
        ("{by: [lang], of: [{labels: {lang: de}, frequency: 1, severity: 1}]}", "no declared axis"),
        ("{by: [intent], of: [{labels: {intent: x}, frequency: 1, severity: 1}]}", "not declare"),
        ("{by: [intent], of: [{labels: {language: de}, frequency: 1, severity: 1}]}", "exactly"),
        (
            (
                "{by: [intent], of: [{labels: {intent: refund}, frequency: 1, severity: 1}, "
                "{labels: {intent: refund}, frequency: 2, severity: 1}]}"
            ),
            "intent=refund twice",
        ),
        (
            "{by: [intent], of: [{labels: {intent: refund}, frequency: 1, severity: 1, s: 0.2}]}",
            "where it was measured",
        ),
        (
            (
                "{by: [intent], of: "
                "[{labels: {intent: refund}, frequency: 1, severity: 1, s_source: pilot}]}"
            ),
            "there is no s",
        ),
        (
            (
                "{by: [intent], of: "
                "[{labels: {intent: refund}, frequency: 1, severity: 1, s: 0.2, s_from: a.json}]}"
            ),
            "one source is wanted",
        ),
        (
            (
                "{by: [intent], of: "
                "[{labels: {intent: refund}, frequency: 1, severity: 1, s: 0, s_source: pilot}]}"
            ),
            "wanted: greater than 0",
        ),
        ("{by: [intent], of: [{labels: {intent: refund}, frequency: 0, severity: 1}]}", "than 0"),
    ],
)
def test_what_is_wrong_with_partitions_is_named(partitions: str, told: str) -> None:
    assert any(told in fault for fault in faults(study_text(partitions=partitions)))


@pytest.mark.requirement("E2E-13")
@pytest.mark.parametrize("key", ["signal", "correct", "flake", "error"])
def test_a_hop_without_one_of_its_definitions_is_refused(key: str) -> None:
    hop = {"id": "desk", "signal": "a", "correct": "b", "flake": "c", "error": "d"}
    del hop[key]
    (fault,) = faults(study_text(hops=yaml.safe_dump([hop], default_flow_style=True).strip()))
    assert f"field 'hops.0.{key}' is missing; mend: write {key}: " in fault


@pytest.mark.requirement("E2E-17", "E2E-18")
def test_a_typed_n_min_of_58_is_told_what_it_supports() -> None:
    partitions = (
        "{by: [intent], of: [{labels: {intent: refund}, frequency: 1, severity: 1, n_min: 58}]}"
    )
    (fault,) = faults(study_text(partitions=partitions, mde="0.05"))
    assert "field 'partitions.of.0.n_min' is 58; wanted: 576 = ceil(16 · 0.3² / 0.05²)" in fault
    assert "58 units support mde 0.158 at s = 0.3, or s = 0.095 at mde = 0.05" in fault
    read_study(study_text(partitions=partitions.replace("58", "576"), mde="0.05").encode())


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@given(key=st.sampled_from(sorted(StudyDraft.model_fields)), value=_ANYTHING)
def test_anything_in_place_of_a_value_is_read_or_refused(key: str, value: object) -> None:
    study = yaml.safe_load(STUDY) | {key: value}
    _read_or_refused(yaml.safe_dump(study, allow_unicode=True).encode())


@given(st.data())
def test_anything_deep_inside_is_read_or_refused(data: st.DataObject) -> None:
    study = yaml.safe_load(STUDY)
    place = study
    for _ in range(data.draw(st.integers(1, 4))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            place[key] = data.draw(_ANYTHING)
            break
        place = inner
    _read_or_refused(yaml.safe_dump(study, allow_unicode=True).encode())


@given(st.binary(max_size=200), st.integers(0, len(STUDY)), st.integers(0, 40))
def test_any_bytes_anywhere_are_read_or_refused(junk: bytes, at: int, gone: int) -> None:
    text = STUDY.encode()
    _read_or_refused(text[:at] + junk + text[at + gone :])


def _read_or_refused(text: bytes) -> None:
    try:
        read_study(text)
    except InputError as error:
        assert str(error)  # noqa: PT017  either outcome is right; only a crash is not
