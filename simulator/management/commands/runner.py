"""``manage.py runner``: only simulations, for sites that scale web processes separately."""

import asyncio
import os
import signal
from typing import Any

from channels.layers import InMemoryChannelLayer, get_channel_layer
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from lifecycle_site.memory import limit_memory
from simulator.management.commands.serve import refuse_old_database
from simulator.runs.drive.pool import RunnerPool
from simulator.runs.turns.constants import RUNNER_NICE


class Command(BaseCommand):
    """Keep runs on their clocks until SIGINT or SIGTERM."""

    help = "Run simulations for web processes that are served separately (needs PODSCOPE_REDIS_URL)."

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve. Refuses an outdated database, and the in-memory channel layer, whose messages would not leave this process."""
        if isinstance(get_channel_layer(), InMemoryChannelLayer):
            raise CommandError("A separate runner needs Redis between the processes: set PODSCOPE_REDIS_URL.")
        limit_memory(settings.MEMORY_MB)
        refuse_old_database(waits=True)
        os.nice(RUNNER_NICE)  # a web process may be on the same machine
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        pool = RunnerPool(on_ready=self._ready)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, pool.stop)
        await pool.serve()
        self.stdout.write("Runner stopped.")

    def _ready(self) -> None:
        self.stdout.write("Runner started.")
        self.stdout.flush()
