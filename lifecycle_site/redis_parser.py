"""The parser with which the channel layer reads Redis replies. Separate from broker.py because it loads the client."""

from typing import Any

from redis.asyncio.connection import DefaultParser
from redis.exceptions import ConnectionError as Closed


class LossyParser(DefaultParser):  # type: ignore[misc,valid-type]
    """The client's own parser, but able to tell a connection that TCP has given up on from a message that has not arrived yet.

    Both are a TimeoutError in Python, and the client takes every one for the latter: a listener would poll a dead connection forever,
    without pausing, while its exception grows (redis-py 8.1, asyncio ``read_response``). The client's own timeouts reach a parser as
    cancellations, so any TimeoutError raised here came from the socket.
    """

    async def read_response(self, *args: Any, **kwargs: Any) -> Any:
        """Read the next reply. Raises the client's ConnectionError if the connection is lost."""
        try:
            return await super().read_response(*args, **kwargs)
        except TimeoutError as error:
            raise Closed(f"Redis' machine says nothing any more: {error}") from None
