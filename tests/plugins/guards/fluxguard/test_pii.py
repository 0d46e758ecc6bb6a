"""Personal data is found by checks, and technical text is not personal data."""

from __future__ import annotations

import pytest

from ironhive_plugins.guards.fluxguard.pii import scan_pii

FOUND = [
    ("credit_card", "card 4111 1111 1111 1111 thanks", "4111 1111 1111 1111"),
    ("credit_card", "2223003122003222", "2223003122003222"),
    ("iban_code", "IBAN DE89 3704 0044 0532 0130 00 please", "DE89 3704 0044 0532 0130 00"),
    ("email_address", "write to jane.doe+news@mail.example.org.", "jane.doe+news@mail.example.org"),
    ("phone_number", "call me at (201) 555-0123 or", "(201) 555-0123"),
    ("phone_number", "전화 010-1234-5678 입니다", "010-1234-5678"),
    ("phone_number", "phone: +44 20 7946 0958", "+44 20 7946 0958"),
    ("us_ssn", "SSN 536-22-8726", "536-22-8726"),
    ("kr_rrn", "주민등록번호 900101-1234567", "900101-1234567"),
    ("in_aadhaar", "Aadhaar 4001 2345 6787", "4001 2345 6787"),
    ("br_cpf", "CPF 529.982.247-25", "529.982.247-25"),
    ("es_nif", "DNI 12345678Z", "12345678Z"),
    ("uk_nino", "NI number AB 12 34 56 C", "AB 12 34 56 C"),
    ("fi_hetu", "hetu 131052-308T", "131052-308T"),
    ("cn_ric", "身份证 11010519491231002X", "11010519491231002X"),
    ("ip_address", "host 192.168.1.17 down", "192.168.1.17"),
    ("ip_address", "via 2001:db8::8a2e:370:7334 now", "2001:db8::8a2e:370:7334"),
    ("mac_address", "mac 00:1a:2b:3c:4d:5e", "00:1a:2b:3c:4d:5e"),
    ("crypto", "pay 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"),
]
CLEAN = [
    "released 2025-01-31, build 20250131, epoch 1706659200",
    "order 123456789, invoice 2024000123, ticket #4815162342",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "pi is 3.14159265358979 and e is 2.718281828",
    "version 1.2.3.4 of the driver, python 3.11.7",
    "card 4111 1111 1111 1112 has a wrong digit",
    "[2024-05-06 12:34:56,789] INFO worker-12 took 1234567 us",
    "git@github.com:owner/repository.git",
    "std::cout << a::b; S3, EKS and C4 are services",
    "x = 0xDEADBEEF; y = [1234567, 7654321, 11223344]",
    "German VAT DE999999998 is not an IBAN, nor is GB00",
    "12345, 1234567, 123456789012",
]


@pytest.mark.parametrize(("kind", "text", "value"), FOUND)
def test_a_number_with_a_valid_check_is_found_where_it_stands(kind: str, text: str, value: str) -> None:
    found = [(item.rule, text[item.start : item.end]) for item in scan_pii(text)]
    assert (f"pii.{kind}", value) in found


@pytest.mark.parametrize("text", CLEAN)
def test_technical_text_is_not_personal_data(text: str) -> None:
    assert [(item.rule, text[item.start : item.end]) for item in scan_pii(text)] == []


def test_contact_data_alone_never_alarms(guard) -> None:
    assert not guard.scan("Mail jane@mail.example.org or call +44 20 7946 0958, server 10.0.0.7").alarm


def test_a_card_number_blocks_and_the_reason_does_not_repeat_it(guard) -> None:
    verdict = guard.scan("my card is 4111 1111 1111 1111")
    assert verdict.blocked
    assert "4111" not in repr(verdict)
