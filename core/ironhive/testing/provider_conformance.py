"""What every provider must do."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, ClassVar

from ironhive.chat import ChatMessage, ChatOptions, ChatResponse, ChatUpdate, ClientMetadata, aggregate
from ironhive.contracts import ErrorClassification, ProviderKind, ProviderRegistration
from ironhive.errors import IronHiveError
from ironhive.gateway import DefaultErrorClassifier
from ironhive.testing.conformance import Conformance, NotApplicableError, own_tasks, require

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from ironhive.chat import ChatClient

QUESTION = (ChatMessage.user("Say hello in a few words."),)


class ProviderConformance(Conformance):
    """Suite for providers.

    Override :meth:`provider`; override :meth:`refusing` where the provider can be pointed at a server that refuses. Set
    ``secret`` to the key in use, so that the suite can look for it where it must not appear.
    """

    secret: ClassVar[str | None] = None

    def provider(self) -> AbstractAsyncContextManager[ProviderRegistration]:
        """A registration that answers a question with a text of at least two updates, open for one check."""
        raise NotImplementedError

    def refusing(self) -> AbstractAsyncContextManager[ProviderRegistration]:
        """A registration whose server refuses every request."""
        message = "no refusing provider was given"
        raise NotApplicableError(message)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[ChatClient]:
        """The provider's client, closed at the end."""
        async with self.provider() as registration:
            client = registration.client_factory()
            try:
                yield client
            finally:
                await client.aclose()

    async def check_the_registration_is_complete(self) -> None:
        """Id, kind and factory are there, and each client is one of its own."""
        async with self.provider() as made:
            require(isinstance(made, ProviderRegistration), "the provider is no ProviderRegistration")
            require(isinstance(made.kind, ProviderKind), "kind is no ProviderKind: fallback cannot judge its trust")
            require(made == made, "the registration does not equal itself")  # noqa: PLR0124 - a factory may break it
            first, second = made.client_factory(), made.client_factory()
            require(first is not second, "the factory gave the same client twice: closing one would close the other")
            metadata = first.metadata
            require(metadata is None or isinstance(metadata, ClientMetadata), "metadata is no ClientMetadata")
            await first.aclose()
            await second.aclose()

    async def check_it_answers(self) -> None:
        """A whole answer has a text, a role and a finish reason."""
        async with self.client() as client:
            response = await client.complete(QUESTION)
        require(isinstance(response, ChatResponse), "complete did not return a ChatResponse")
        require(response.text.strip(), "the answer has no text")
        require(response.messages[-1].role == "assistant", "the answer's message is not the assistant's")
        require(response.finish_reason, "the answer has no finish reason; the word for an unknown one is 'other'")

    async def check_a_stream_adds_up_to_an_answer(self) -> None:
        """A streamed answer comes in pieces and has all that a whole one has."""
        async with self.client() as client, aclosing(client.stream(QUESTION)) as stream:
            updates = [update async for update in stream]
        require(all(isinstance(update, ChatUpdate) for update in updates), "the stream holds other things than updates")
        require(len(updates) > 1, "the whole answer came in one update")
        response = aggregate(updates)
        require(response.text.strip(), "the streamed answer has no text")
        require(response.finish_reason, "no update carries a finish reason; the word for an unknown one is 'other'")

    async def check_options_are_taken(self) -> None:
        """The common options are understood or left out, streamed or not."""
        options = ChatOptions(max_output_tokens=64, temperature=0.0, instructions="Be brief.")
        async with self.client() as client:
            await client.complete(QUESTION, options)
            async with aclosing(client.stream(QUESTION, options)) as stream:
                require([update async for update in stream], "with options the stream was empty")

    async def check_an_unread_stream_costs_nothing(self) -> None:
        """A stream that nobody reads can be closed."""
        async with self.client() as client:
            stream = client.stream(QUESTION)
            require(hasattr(stream, "aclose"), "stream must return an async generator, which can be closed")
            await stream.aclose()

    async def check_a_stream_can_be_left_early(self) -> None:
        """A stream that is closed early leaves no task, and the client can go on."""
        async with self.client() as client:
            with own_tasks() as tasks:
                async with aclosing(client.stream(QUESTION)) as stream:
                    await anext(stream)
            require(all(task.done() for task in tasks), "a closed stream left a task running")
            await client.complete(QUESTION)

    async def check_cancellation_passes_through(self) -> None:
        """A reader that is cancelled ends as cancelled, and no task goes on."""
        reached = asyncio.Event()

        async def read(client: ChatClient) -> None:
            async with aclosing(client.stream(QUESTION)) as stream:
                try:
                    await anext(stream)
                finally:
                    reached.set()
                await asyncio.Event().wait()

        async with self.client() as client:
            with own_tasks() as tasks:
                reader = asyncio.create_task(read(client))
                await reached.wait()
                reader.cancel()
                await asyncio.wait({reader})
            require(reader.cancelled(), "cancellation was swallowed")
            require(all(task.done() for task in tasks), "a cancelled stream left a task running")

    async def check_calls_can_run_at_once(self) -> None:
        """One client serves several calls."""
        async with self.client() as client:
            answers = await asyncio.gather(*(client.complete(QUESTION) for _ in range(5)))
        require(all(answer.text.strip() for answer in answers), "calls at once disturbed each other")

    async def check_a_client_can_be_closed_twice(self) -> None:
        """Closing again does nothing."""
        async with self.client() as client:
            await client.complete(QUESTION)
            await client.aclose()

    async def check_failures_are_named(self) -> None:
        """A refusal is the same ironhive error, streamed and not, and lets others be asked."""
        async with self.refusing() as registration:
            client = registration.client_factory()
            errors = []
            try:
                await client.complete(QUESTION)
            except IronHiveError as error:
                errors.append(error)
            try:
                async with aclosing(client.stream(QUESTION)) as stream:
                    await anext(stream)
            except IronHiveError as error:
                errors.append(error)
            await client.aclose()
        require(len(errors) == 2, "a refusal was not raised, streamed and not")  # noqa: PLR2004 - the two ways
        require(type(errors[0]) is type(errors[1]), "the same refusal has two types, streamed and not")
        found = {DefaultErrorClassifier().classify(error) for error in errors}
        require(ErrorClassification.TERMINAL not in found, "a refusal must not keep others from being asked")
        if self.secret:
            require(all(self.secret not in f"{error} {error!r}" for error in errors), "an error shows the key")

    async def check_the_key_is_not_shown(self) -> None:
        """No repr holds the key."""
        if not self.secret:
            message = "no secret was given"
            raise NotApplicableError(message)
        async with self.provider() as registration:
            client = registration.client_factory()
            shown = f"{registration!r} {client!r} {client.metadata!r}"
            await client.aclose()
        require(self.secret not in shown, "the key appears in a repr")
