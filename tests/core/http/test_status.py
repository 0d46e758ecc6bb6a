"""A refusal keeps the provider's own words, in whatever shape they come."""

from __future__ import annotations

import json
import pickle

import pytest

from ironhive.errors import BadAnswerError, ContextOverflowError, HttpStatusError, StreamErrorEvent
from ironhive.http import EndpointConfig, event_error, read_report, status_error
from ironhive.secrets import Secret


def refusal(body: object, *, status: int = 400, **headers: str) -> HttpStatusError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return status_error(
        "acme", status=status, headers=names, body=raw, secrets=(Secret("sk-very-secret"), Secret("header-value-1"))
    )


@pytest.mark.parametrize(
    ("body", "detail", "code"),
    [
        (
            {"error": {"message": "no such model", "type": "invalid", "code": "model_not_found"}},
            "no such model",
            "model_not_found",
        ),
        ({"error": {"message": "no", "type": "invalid_request_error", "code": None}}, "no", "invalid_request_error"),
        ({"error": {"message": "bad", "code": 400, "status": "INVALID_ARGUMENT"}}, "bad", "INVALID_ARGUMENT"),
        ({"error": {"message": "bad", "code": 400}}, "bad", "400"),
        ({"error": "model 'x' not found"}, "model 'x' not found", None),
        ({"code": "invalid-key", "error": "Incorrect API key"}, "Incorrect API key", "invalid-key"),
        ({"detail": "Not Found"}, "Not Found", None),
        ({"detail": [{"loc": ["body", "n"], "msg": "field required", "type": "missing"}]}, "field required", None),
        ({"detail": {"message": "nested"}}, "nested", None),
        ({"message": "flat", "type": "oops"}, "flat", "oops"),
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            "Overloaded",
            "overloaded_error",
        ),
        ([{"error": {"message": "in a list", "status": "NOT_FOUND"}}], "in a list", "NOT_FOUND"),
        ({"errors": [{"message": "first", "code": "c"}, {"message": "second"}]}, "first", "c"),
        (
            {
                "error": {
                    "message": "Provider returned error",
                    "code": 429,
                    "metadata": {"raw": '{"error":{"message":"slow down"}}'},
                }
            },
            "Provider returned error: slow down",
            "429",
        ),
        (b"<html><head><title>502 Bad Gateway</title></head></html>", "an HTML page: 502 Bad Gateway", None),
        (b"\n\nservice unavailable\nmore", "service unavailable", None),
        (b"", "", None),
        (b"\xff\xfe", "\ufffd\ufffd", None),
        (b"null", "", None),
        (b"[]", "", None),
        (b"17", "", None),
    ],
)
def test_the_providers_message_and_code_are_found(body: object, detail: str, code: str | None) -> None:
    error = refusal(body)
    assert (error.detail, error.code) == (detail, code)
    assert error.status == 400
    assert str(error).startswith("acme answered 400: ")


def test_a_long_message_is_cut_to_one_line() -> None:
    error = refusal({"error": {"message": "first line " * 100 + "\nsecond line"}})
    assert 290 < len(error.detail) <= 300
    assert "second" not in str(error)


def test_the_key_is_never_repeated() -> None:
    error = refusal({"error": {"message": "Incorrect API key: sk-very-secret"}}, status=401)
    assert "sk-very-secret" not in str(error) + error.detail + repr(error)


def test_request_id_and_wait_come_from_the_headers() -> None:
    error = refusal({}, status=429, x_request_id="req_1", retry_after="7")
    assert (error.request_id, error.retry_after) == ("req_1", 7.0)


def test_a_redirect_says_where_to() -> None:
    error = refusal(b"", status=308, location="https://new.example/v1/chat/completions?x=1")
    assert "https://new.example/v1/chat/completions; use that address as the endpoint" in str(error)


OVERFLOWS = [
    ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8192),
    ("prompt is too long: 3333404 tokens > 200000 maximum", 200000),
    ("the request exceeds the available context size. try increasing it", None),
    ("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
    ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576),
    ("Requested tokens (2150) exceed context window of 2048", 2048),
    ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32768),
    ("This model's maximum prompt length is 131,072 but the request contains 200000 tokens.", 131072),
    ("Trying to keep the first 5000 tokens when context the overflows. The model has a context length of only 4096", 4096),
    ("Your input exceeds the context window of this model. Please adjust your input and try again.", None),
    ("Input is too long for requested model.", None),
    ("`inputs` tokens + `max_new_tokens` must be <= 8193.", 8193),
    ("Please reduce the length of the messages or completion.", None),
]  # fmt: skip


@pytest.mark.parametrize(("message", "window"), OVERFLOWS)
def test_a_conversation_that_does_not_fit_is_recognised(message: str, window: int | None) -> None:
    error = refusal({"error": {"message": message, "type": "invalid_request_error"}})
    assert isinstance(error, ContextOverflowError)
    assert (error.context_window, error.status) == (window, 400)


def test_an_overflow_is_recognised_by_its_code_and_its_own_field() -> None:
    body = {
        "error": {
            "code": 400,
            "message": "too big",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 9000,
            "n_ctx": 4096,
        }
    }
    error = refusal(body)
    assert isinstance(error, ContextOverflowError)
    assert error.context_window == 4096


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("The messages array is too long: at most 2048 entries", 400),
        ("You exceeded your current quota, please check your plan and billing details", 429),
        ("max_tokens is too large: 100000", 400),
        ("Rate limit reached: limit 1000, requested 3000 tokens", 429),
        ("string too long. Expected a string with maximum length 64", 400),
        ("This model's maximum context length is 8192 tokens", 401),
    ],
)
def test_other_refusals_are_no_overflow(message: str, status: int) -> None:
    assert type(refusal({"error": {"message": message}}, status=status)) is HttpStatusError


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529),
        ({"error": {"type": "tokens", "code": "rate_limit_exceeded", "message": "slow"}}, 429),
        ({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, 503),
        (
            {"error": {"code": "tool_use_failed", "type": "invalid_request_error", "status_code": 400, "message": "x"}},
            400,
        ),
        ({"error": {"code": 502, "message": "bad gateway"}}, 502),
        ({"error": {"message": "who knows"}}, 500),
        ({"type": "error", "code": "server_error", "message": "flat"}, 500),
        ("the model crashed", 500),
    ],
)
def test_an_error_inside_an_answer_has_the_status_it_stands_for(body: object, status: int) -> None:
    error = event_error("acme", body)
    assert isinstance(error, StreamErrorEvent)
    assert isinstance(error, BadAnswerError)
    assert error.status == status


def test_an_overflow_inside_an_answer_is_one_too() -> None:
    error = event_error("acme", {"error": {"code": "context_length_exceeded", "message": "too long"}})
    assert isinstance(error, ContextOverflowError)


def test_errors_keep_their_facts_when_pickled() -> None:
    for error in (refusal({"error": {"message": OVERFLOWS[0][0]}}), event_error("acme", {"error": {"message": "x"}})):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert (str(copy), copy.status, copy.provider) == (str(error), error.status, "acme")


def test_a_report_of_a_strange_body_is_empty_rather_than_a_failure() -> None:
    for body in (None, 3, True, [], [3], {}, {"error": []}, {"error": {"message": {"a": 1}}}, {"error": {"code": [1]}}):
        assert read_report(body).message == ""


def test_neither_key_nor_configured_headers_are_repeated() -> None:
    words = b'{"error": {"message": "sk-very-secret and header-value-1 are not known here"}}'
    error = status_error(
        "acme", status=401, headers={}, body=words, secrets=(Secret("sk-very-secret"), Secret("header-value-1"))
    )
    assert "sk-very" not in f"{error} {error.detail}"
    assert "header-value" not in f"{error} {error.detail}"


def test_an_endpoint_knows_what_is_secret() -> None:
    config = EndpointConfig("acme", "http://x", Secret("key"), headers=(("X-Token", "t"), ("anthropic-version", "1")))
    assert config.secrets == (Secret("key"), Secret("t"))
