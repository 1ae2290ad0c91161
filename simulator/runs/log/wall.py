"""The wall clock in Unix milliseconds, and its conversion from and to what the database stores."""

import time
from datetime import UTC, datetime


def wall_ms() -> int:
    """Now, in Unix milliseconds."""
    return time.time_ns() // 1_000_000


def to_wall_ms(moment: datetime) -> int:
    """Unix milliseconds of an aware datetime."""
    return round(moment.timestamp() * 1000)


def from_wall_ms(value: int) -> datetime:
    """The aware datetime of Unix milliseconds."""
    return datetime.fromtimestamp(value / 1000, tz=UTC)
