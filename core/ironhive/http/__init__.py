"""The one place that speaks HTTP to model servers.

:mod:`~ironhive.http.client` joins a provider's wire format (:mod:`~ironhive.http.wire`) with an :class:`Exchange` to a
chat client; the other modules do one thing each: connections, credentials, event streams, JSON bodies, limits, and
failures in our own words. httpx is imported when the first request is made.
"""

from ironhive.http.addresses import address_problem, checked_address
from ironhive.http.answer import Answer, EndpointConfig
from ironhive.http.bodies import encode_json, parse_json
from ironhive.http.budgets import NO_BUDGET, StreamBudget, budget_for
from ironhive.http.byo import vendor_preset
from ironhive.http.calls import UNNAMED_TOOL, CallIds, new_call_id, tool_call
from ironhive.http.client import HttpChatClient
from ironhive.http.connection import CONNECT_SECONDS, LAN_CONNECT_SECONDS, connect_seconds, new_client
from ironhive.http.credentials import BEARER, check_headers, check_placement, credential_headers
from ironhive.http.exchange import Exchange
from ironhive.http.facts import FactTable
from ironhive.http.failures import connection_error
from ironhive.http.fields import count_at, objects_at, place_at, text_at
from ironhive.http.hints import retry_hint
from ironhive.http.report import ErrorReport, first_line, read_report
from ironhive.http.sse import ErrorPayload, SseReader
from ironhive.http.status import event_error, status_error
from ironhive.http.wire import DONE, StreamDecoder, Wire, WireRequest

__all__ = [
    "BEARER",
    "CONNECT_SECONDS",
    "DONE",
    "LAN_CONNECT_SECONDS",
    "NO_BUDGET",
    "UNNAMED_TOOL",
    "Answer",
    "CallIds",
    "EndpointConfig",
    "ErrorPayload",
    "ErrorReport",
    "Exchange",
    "FactTable",
    "HttpChatClient",
    "SseReader",
    "StreamBudget",
    "StreamDecoder",
    "Wire",
    "WireRequest",
    "address_problem",
    "budget_for",
    "check_headers",
    "check_placement",
    "checked_address",
    "connect_seconds",
    "connection_error",
    "count_at",
    "credential_headers",
    "encode_json",
    "event_error",
    "first_line",
    "new_call_id",
    "new_client",
    "objects_at",
    "parse_json",
    "place_at",
    "read_report",
    "retry_hint",
    "status_error",
    "text_at",
    "tool_call",
    "vendor_preset",
]
