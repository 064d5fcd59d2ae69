"""Names and secrets never show: neither as they were written nor as JSON escapes them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.records.privacy import pseudonymise, redact, shown
from every import for_every

NAMES = {"Anna Müller": "<P1>", "Anna": "<P2>", "王伟": "<P3>", "Иванов": "<P4>", "Al": "<P5>"}


@pytest.mark.requirement("E2E-07")
@for_every(
    "text, wanted",
    [
        ("Anna Müller wrote", "<P1> wrote"),
        ("ANNA  müller\nwrote", "<P1>\nwrote"),
        ("Anna\nMüller", "<P1>"),
        ("Anna's reply to anna", "<P2>'s reply to <P2>"),
        ('{"name": "Anna M\\u00fcller"}', '{"name": "<P1>"}'),
        ('{"name": "Anna M\\u00FCLLER"}', '{"name": "<P1>"}'),
        ("我是王伟的", "我是<P3>的"),
        ("Иванову, ИВАНОВ", "<P4>у, <P4>"),
        ("Also Al said", "Also <P5> said"),
    ],
)
def test_e2e_07_a_name_is_replaced_by_its_pseudonym(text: str, wanted: str) -> None:
    assert pseudonymise(text, NAMES) == wanted


@for_every(
    "secret",
    [
        "sk-proj-abcdEFGH1234567890abcd",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0abcdefghijklmnop",
        "glpat-abcdefghijklmnop1234",
        "xoxb-1234567890-abcdefghij",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "hf_abcdefghijklmnopqrstuvwxyz",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
        "user:hunter22",
        "p4ssw0rd!x",
        "c2VjcmV0LXRva2VuLTEyMzQ1Njc4OTA=",
    ],
)
def test_a_secret_is_not_shown(secret: str) -> None:
    text = {
        "user:hunter22": f"postgres://{secret}@db/app",
        "p4ssw0rd!x": f'"password": "{secret}"',
    }.get(secret, f"Authorization: Bearer {secret} ok")
    assert secret not in redact(text)
    assert "[redacted]" in redact(text)


def test_a_private_key_is_not_shown_even_cut_off() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAA\nAAAA"
    assert redact(f"a\n{key}\n-----END OPENSSH PRIVATE KEY-----\nb") == "a\n[redacted]\nb"
    assert redact(f"a\n{key}") == "a\n[redacted]"


@pytest.mark.parametrize(
    "text",
    [
        "the refund of 1290 cents was booked",
        "a basic understanding of tokens",
        "task-force sk-1 AKIA",
        '{"hop":"router","trace":"0123456789abcdef0123456789abcdef"}',
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


@given(
    st.text(max_size=30),
    st.text(st.characters(categories=["L"]), min_size=4, max_size=12),
    st.text(max_size=30),
)
def test_a_planted_name_never_shows(before: str, name: str, after: str) -> None:
    for text in (before + name + after, json.dumps(before + name + after)):
        told = shown(text, {name: "<P>"})
        assert name not in told.replace("<P>", "")
