"""Redis's client is loaded only with a Redis, and its exceptions are recognised then."""

import os
import subprocess
import sys
from pathlib import Path

from redis.exceptions import ConnectionError as RedisConnectionError

from lifecycle_site.broker import broker_errors

ROOT = Path(__file__).resolve().parents[2]
LOADS = "import sys, lifecycle_site.asgi, simulator.runs.drive.server, simulator.runs.drive.preload; print('redis' in sys.modules)"


def test_a_site_without_redis_does_not_load_its_client() -> None:
    environment = {**os.environ, "PODSCOPE_REDIS_URL": "", "DJANGO_SETTINGS_MODULE": "lifecycle_site.settings"}
    told = subprocess.run(
        [sys.executable, "-c", "import django; django.setup(); " + LOADS],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["False"]


def test_what_redis_raises_is_known_once_its_client_is_loaded() -> None:
    assert issubclass(RedisConnectionError, broker_errors())


def test_a_line_that_breaks_is_known_without_the_client() -> None:
    assert issubclass(ConnectionResetError, broker_errors())
