"""What the channel layer reads Redis' answers with. Apart from broker.py because it loads the client."""

from typing import Any

from redis.asyncio.connection import DefaultParser
from redis.exceptions import ConnectionError as Closed


class LossyParser(DefaultParser):  # type: ignore[misc,valid-type]
    """The client's own, which tells a connection that TCP has given up from a message that has not come yet.

    Both are a TimeoutError in Python, and the client takes each for the second: whoever waits for messages would ask a dead connection for
    ever, without a pause, while its exception grows (redis-py 8.1, asyncio ``read_response``). The times that the client sets itself reach
    a parser as cancellations, so whatever TimeoutError is raised here came from the socket.
    """

    async def read_response(self, *args: Any, **kwargs: Any) -> Any:
        """The next answer. Raises the client's ConnectionError where the connection is lost."""
        try:
            return await super().read_response(*args, **kwargs)
        except TimeoutError as error:
            raise Closed(f"Redis' machine says nothing any more: {error}") from None
