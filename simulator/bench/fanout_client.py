"""The viewers of the fan-out measurement: ``python -m simulator.bench.fanout_client PORT RUN VIEWERS`` prints the figures as JSON."""

import asyncio
import json
import re
import sys
from time import monotonic_ns

from simulator.bench.fanout import FLOOD_FRAMES, RECORDS_A_FRAME, STEADY_FRAMES
from simulator.bench.frames import TEXT, greeting, masked, next_frame

STEADY_RECORDS = STEADY_FRAMES * RECORDS_A_FRAME
ALL_RECORDS = STEADY_RECORDS + FLOOD_FRAMES * RECORDS_A_FRAME
SILENCE_S = 6.0
"""Longer than any planned pause: after that nothing more will come."""
_SPAN = re.compile(rb'"from": ?(\d+), ?"to": ?(\d+), ?"now_ms": ?(\d+)')


FRAMES_AN_ACK = 4


class Viewer:
    """One websocket that counts records, notes delays and acknowledges."""

    def __init__(self) -> None:
        self.steady = self.flood = 0
        self.delays_ms: list[int] = []
        self.flood_began_ms = self.ended_ms = self._unsaid = 0

    async def watch(self, port: str, run: str) -> None:
        """Connect and read until everything has arrived or nothing arrives any more."""
        reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
        writer.write(greeting(int(port), run))
        await reader.readuntil(b"\r\n\r\n")
        while self.steady + self.flood < ALL_RECORDS:
            try:
                _, payload = await asyncio.wait_for(next_frame(reader), SILENCE_S)
            except TimeoutError:
                break
            span = _SPAN.search(payload[:120])
            if span and b'"records"' in payload:
                self._count(int(span[1]), int(span[2]), int(span[3]))
                self._unsaid += 1
                if self._unsaid == FRAMES_AN_ACK:  # as a page does
                    self._unsaid = 0
                    writer.write(masked(TEXT, json.dumps({"ack": int(span[2])}).encode()))
        writer.close()

    def _count(self, before: int, last: int, sent_ms: int) -> None:
        now_ms = monotonic_ns() // 1_000_000
        steady = max(0, min(last, STEADY_RECORDS) - before)
        self.steady += steady
        self.flood += last - before - steady
        if last <= STEADY_RECORDS:
            self.delays_ms.append(now_ms - sent_ms)
        else:
            self.flood_began_ms = self.flood_began_ms or sent_ms
            self.ended_ms = now_ms


async def main() -> None:
    """Watch with every viewer and print their combined figures."""
    port, run, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    viewers = [Viewer() for _ in range(count)]
    await asyncio.gather(*(viewer.watch(port, run) for viewer in viewers))
    delays = sorted(delay for viewer in viewers for delay in viewer.delays_ms) or [0]
    flooded = sum(viewer.flood for viewer in viewers)
    began_ms = min((viewer.flood_began_ms for viewer in viewers if viewer.flood_began_ms), default=0)
    took_ms = max(1, max(viewer.ended_ms for viewer in viewers) - began_ms)
    figures = {
        "delivered": sum(viewer.steady for viewer in viewers) / (count * STEADY_RECORDS),
        "p50_ms": delays[len(delays) // 2],
        "p99_ms": delays[len(delays) * 99 // 100],
        "deliveries_s": flooded * 1000 // took_ms,
        "flood_delivered": flooded / (count * (ALL_RECORDS - STEADY_RECORDS)),
    }
    print(json.dumps(figures))  # noqa: T201 - the figures are what the driver reads


if __name__ == "__main__":
    asyncio.run(main())
