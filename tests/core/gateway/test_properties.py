"""Random schedules of failures, held against the rules written down a second time."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.gateway.helpers import ScanningWordGuard, WordGuard, refusal

from ironhive.chat import ChatResponse, ChatUpdate, TextContent, aggregate
from ironhive.contracts import ProviderKind, ProviderRegistration, Transition
from ironhive.errors import ConnectFailedError, GuardError, HttpStatusError
from ironhive.gateway import Gateway, GatewayOptions, Resilience
from ironhive.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatMessage, ChatOptions

RETRIED = {"500", "429 in 2 s", "reset"}
LEFT = {"404", "429", "429 in 99 s", "refused", "bug"}
FAILURES = sorted(RETRIED | LEFT | {"guard"})


def failure(name: str) -> Exception:
    match name:
        case "500" | "404" | "429":
            return refusal(int(name))
        case "429 in 2 s":
            return refusal(429, retry_after=2)
        case "429 in 99 s":
            return refusal(429, retry_after=99)
        case "reset":
            return ConnectFailedError("x")
        case "refused":
            return ConnectFailedError("x", kind="refused")
        case "guard":
            return GuardError("x")
        case _:
            return ValueError(name)


@dataclass
class Attempt:
    """What one attempt does: how many pieces it sends, and how it fails then (None: it does not)."""

    pieces: int
    fails: str | None


@dataclass
class Provider:
    """A client with a schedule, repeated for ever; each piece of text it ever sends is unique.

    It cannot even be made the first ``broken`` times.
    """

    name: str
    broken: int
    schedule: list[Attempt]
    attempts: int = 0
    open: int = 0
    metadata: None = None

    def factory(self) -> Provider:
        if self.attempts < self.broken:
            self.attempts += 1
            raise ValueError("no such SDK")
        return self

    def attempt(self, number: int) -> Attempt:
        return Attempt(0, "bug") if number < self.broken else self.schedule[number % len(self.schedule)]

    def register(self, priority: int) -> ProviderRegistration:
        return ProviderRegistration(self.name, ProviderKind.LAN, self.factory, priority)

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        number, attempt = self.attempts, self.attempt(self.attempts)
        self.attempts += 1
        self.open += 1
        try:
            for piece in range(attempt.pieces):
                await asyncio.sleep(0)
                yield ChatUpdate(contents=(TextContent(f"{self.name}.{number}.{piece};"),))
            if attempt.fails:
                raise failure(attempt.fails)
        finally:
            self.open -= 1

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        async with aclosing(self.stream(messages)) as updates:
            return aggregate([update async for update in updates])

    async def aclose(self) -> None:
        pass


@dataclass
class Rules:
    """The rules, for one gateway: what a call must come to, and what is remembered of it."""

    providers: list[Provider]
    numbers: Resilience
    fallback: bool
    failures: dict[str, int] = field(default_factory=dict)
    cooling: dict[str, float] = field(default_factory=dict)

    def order(self, now: float) -> list[Provider]:
        if not self.fallback:
            return self.providers[:1]
        late = [item for item in self.providers if self.cooling.get(item.name, -1) > now]
        return [item for item in self.providers if item not in late] + late

    def call(
        self, start: dict[str, int], now: float, *, streamed: bool
    ) -> tuple[str | None, str | None, dict[str, int]]:
        """Who answers (None: nobody), what is raised (None: nothing), and how often each was asked."""
        asked = dict.fromkeys(start, 0)
        error: str | None = None
        for provider in self.order(now):
            for retry in range(1 + self.numbers.max_retries):
                attempt = provider.attempt(start[provider.name] + asked[provider.name])
                asked[provider.name] += 1
                error = attempt.fails
                answered = error is None or (streamed and attempt.pieces > 0)
                if answered:
                    self.failures.pop(provider.name, None)
                    self.cooling.pop(provider.name, None)
                    return provider.name, error, asked
                if error not in RETRIED:
                    break
                if retry < self.numbers.max_retries:
                    now += max(self.numbers.base_delay_seconds * (retry + 1), 2.0 if error == "429 in 2 s" else 0.0)
            if error == "guard":
                return None, error, asked
            if not self.fallback:
                return None, error, asked
            if self.numbers.failure_threshold:
                self.failures[provider.name] = self.failures.get(provider.name, 0) + 1
                if self.failures[provider.name] >= self.numbers.failure_threshold:
                    self.cooling[provider.name] = now + self.numbers.cooldown_seconds
        return None, error, asked


attempts = st.builds(Attempt, st.integers(0, 3), st.one_of(st.none(), st.sampled_from(FAILURES)))
Schedule = list[tuple[int, list[Attempt]]]
schedules = st.lists(
    st.tuples(st.sampled_from([0, 0, 0, 1, 2]), st.lists(attempts, min_size=1, max_size=6)), min_size=1, max_size=4
)
calls = st.lists(
    st.tuples(st.sampled_from(["whole", "stream", "stop after one"]), st.floats(0, 20)), min_size=1, max_size=8
)
resiliences = st.builds(
    Resilience, max_retries=st.integers(0, 3), failure_threshold=st.integers(0, 3), cooldown_seconds=st.just(15.0)
)


@dataclass(frozen=True)
class Setting:
    """How one gateway is set up."""

    numbers: Resilience
    fallback: bool
    guard: type[WordGuard] | None
    mode: str

    def options(self, seen: list[Transition]) -> GatewayOptions:
        return GatewayOptions(
            enable_fallback=self.fallback,
            resilience=self.numbers,
            stream_guard=self.mode,
            hold_characters=1,
            on_transition=seen.append,
        )


setups = st.builds(
    Setting,
    resiliences,
    st.booleans(),
    st.sampled_from([None, WordGuard, ScanningWordGuard]),
    st.sampled_from(["end", "hold"]),
)


async def take(gateway: Gateway, how: str) -> list[str]:
    """The pieces that one call showed; raises what the call raised, with the pieces as a note."""
    pieces: list[str] = []
    try:
        if how == "whole":
            response = await gateway.complete("hello")
            return response.text.split(";")[:-1]
        async with aclosing(gateway.stream("hello")) as updates:
            async for update in updates:
                pieces.append(update.text.removesuffix(";"))
                if how == "stop after one":
                    break
    except Exception as error:
        error.args = (*error.args, pieces)
        raise
    return pieces


@settings(max_examples=300, deadline=None)
@given(schedules, calls, setups)
def test_any_schedule_keeps_the_rules(schedule: Schedule, made: list[tuple[str, float]], setup: Setting) -> None:
    asyncio.run(keeps_the_rules(schedule, made, setup))


async def keeps_the_rules(schedule: Schedule, made: list[tuple[str, float]], setup: Setting) -> None:
    providers = [Provider(f"p{number}", *item) for number, item in enumerate(schedule)]
    rules = Rules(providers, setup.numbers, setup.fallback)
    clock, seen = ManualClock(), list[Transition]()
    gateway = Gateway(
        [item.register(-number) for number, item in enumerate(providers)],
        guard=setup.guard() if setup.guard else None,
        options=setup.options(seen),
        clock=clock,
    )
    everything: list[str] = []
    for how, pause in made:
        clock.advance(pause)
        before = {item.name: item.attempts for item in providers}
        answered_by, error, asked = rules.call(before, clock.now, streamed=how != "whole")
        raised: Exception | None = None
        try:
            pieces = await take(gateway, how)
        except Exception as caught:  # noqa: BLE001 - whatever it is, the rules say whether it is right
            raised, pieces = caught, caught.args[-1]

        assert {item.name: item.attempts - before[item.name] for item in providers} == asked
        assert all(count <= 1 + setup.numbers.max_retries for count in asked.values())
        assert sum(asked.values()) <= len(providers) * (1 + setup.numbers.max_retries)
        assert all(item.open == 0 for item in providers)
        assert {piece.split(".")[0] for piece in pieces} <= {answered_by}
        everything += pieces
        if how != "stop after one":
            assert (raised is None) == (error is None)
        if error is not None and answered_by is None:
            assert type(raised) is type(failure(error))
        assert {item.name: gateway.health.failures(item.name) for item in providers} == {
            item.name: rules.failures.get(item.name, 0) for item in providers
        }
        assert {item.name for item in providers if gateway.health.cooling(item.name)} == {
            name for name, until in rules.cooling.items() if until > clock.now
        }
    assert len(everything) == len(set(everything))
    if not setup.fallback:
        assert {item.kind.value for item in seen} <= {"retry"}
    assert len(asyncio.all_tasks()) == 1


def test_the_failures_of_the_schedule_are_of_the_kinds_they_stand_for() -> None:
    assert {type(failure(name)) for name in FAILURES} == {HttpStatusError, ConnectFailedError, GuardError, ValueError}
