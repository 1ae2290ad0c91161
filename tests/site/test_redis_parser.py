"""A connection to Redis that TCP has given up."""

import asyncio
from errno import ETIMEDOUT

import pytest
import pytest_asyncio
from redis.asyncio.connection import Connection
from redis.exceptions import ConnectionError as Closed

from lifecycle_site.redis_parser import LossyParser


@pytest_asyncio.fixture
async def connection():
    """An open connection whose reader returns nothing."""
    connection = Connection(parser_class=LossyParser)
    connection._reader, connection._writer = asyncio.StreamReader(), object()
    connection._parser.on_connect(connection)
    yield connection
    connection._writer = None  # there is nothing to close


async def test_lost_connection_is_told_from_a_message_that_has_not_come(connection):
    connection._reader.set_exception(OSError(ETIMEDOUT, "Connection timed out"))
    with pytest.raises(Closed, match="says nothing any more"):
        await connection.read_response(timeout=0.1, disconnect_on_error=False, push_request=True)


async def test_message_that_has_not_come_is_none(connection):
    assert await connection.read_response(timeout=0.01, disconnect_on_error=False, push_request=True) is None
