"""The error tree."""

from __future__ import annotations

import pickle
from inspect import getmembers, isclass

import pytest

from ironhive import errors
from ironhive.errors import (
    BadAnswerError,
    HttpStatusError,
    IronHiveError,
    ProviderTimeoutError,
    StreamErrorEvent,
    StreamIdleTimeoutError,
)
from ironhive.secrets import Secret, as_secret

ALL = [item for _, item in getmembers(errors, isclass) if issubclass(item, IronHiveError)]


def make(kind: type[IronHiveError]) -> IronHiveError:
    return kind("what happened", status=503) if issubclass(kind, HttpStatusError) else kind("what happened")


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_pickles_with_its_facts(kind: type[IronHiveError]) -> None:
    error = make(kind)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (str(copy), vars(copy)) == (str(error), vars(error))


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_the_tree_in_the_documentation_is_the_tree_in_the_code(kind: type[IronHiveError]) -> None:
    assert errors.__doc__ is not None
    assert kind.__name__ in errors.__doc__


def test_a_timeout_is_a_timeout_for_everyone() -> None:
    assert issubclass(StreamIdleTimeoutError, TimeoutError)
    assert ProviderTimeoutError("slow", what="total", seconds=3).seconds == 3


def test_an_error_inside_a_stream_has_a_status_and_is_a_bad_answer() -> None:
    error = StreamErrorEvent("overloaded", status=529, provider="acme")
    assert isinstance(error, BadAnswerError)
    assert isinstance(error, HttpStatusError)
    assert (error.status, error.provider) == (529, "acme")


def test_a_secret_does_not_show() -> None:
    secret = Secret("hunter2")
    assert "hunter2" not in f"{secret} {secret!r} {[secret]} {secret:>20}"
    assert secret.reveal() == "hunter2"
    assert secret == Secret("hunter2") != Secret("other")


@pytest.mark.parametrize(("value", "result"), [(" k ", Secret("k")), ("  ", None), (None, None)])
def test_blank_is_no_secret(value: str | None, result: Secret | None) -> None:
    assert as_secret(value) == result
