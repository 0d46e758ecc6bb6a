"""Credentials are found by their vendor's shape or by what announces them; random-looking strings alone are not."""

from __future__ import annotations

import pytest

from ironhive_plugins.guards.fluxguard.secrets import scan_secrets

TAIL = "9f3Kd82LmQx7Rt5Zp0Wb"
FOUND = [
    "AKIA" + "Q3EGRDWYH7T2K5LM",
    "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "xoxb-" + "2345678901-2345678901234-" + TAIL,
    "sk_live_" + TAIL,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    "postgres://app:" + "s3cr3tPa55" + "@db.internal/prod",
    'api_key = "' + TAIL + 'aa11"',
    "Authorization: Bearer " + TAIL + TAIL,
    'password: "hunter2!xyz"',
    "비밀번호: " + "qW3rty!9",
]
CLEAN = [
    'password = os.environ["DB_PASSWORD"]',
    "password reset, password: required, pass: true",
    "api_key: YOUR_API_KEY_GOES_HERE",
    "token = get_token(user_id)",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "key: value, id: 12345, secret santa",
    "def login(self, user, password=None):",
    "the access-control-list is described in section-12-of-the-manual",
    "bypass: auto",
]


@pytest.mark.parametrize("text", FOUND)
def test_a_credential_is_found(text: str) -> None:
    assert scan_secrets(text)


@pytest.mark.parametrize("text", CLEAN)
def test_talk_about_credentials_is_not_a_credential(text: str) -> None:
    assert [(item.rule, text[item.start : item.end]) for item in scan_secrets(text)] == []


def test_the_span_is_the_credential_without_its_label() -> None:
    text = f"api_key = {TAIL}aa11"
    (item,) = scan_secrets(text)
    assert text[item.start : item.end] == f"{TAIL}aa11"


def test_a_leaked_secret_in_an_answer_blocks_without_being_repeated(guard) -> None:
    verdict = guard.scan(f"Sure, the key is ghp_{'16C7e42F292c6912E7710c838347Ae178B4a'}", role="assistant")
    assert verdict.blocked
    assert "16C7e42F" not in repr(verdict)
