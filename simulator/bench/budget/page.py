"""A run's page as rendered by the server, on a temporary database. Raises ImportError in older trees."""

import atexit
import os
import tempfile
from collections.abc import Callable
from functools import cache
from shutil import rmtree

_FOLDER = tempfile.mkdtemp(prefix="podscope-budget-")
atexit.register(rmtree, _FOLDER, ignore_errors=True)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")
os.environ |= {"PODSCOPE_DATA_DIR": _FOLDER, "PODSCOPE_DATABASE_URL": "", "PODSCOPE_REDIS_URL": ""}

import django  # noqa: E402 - the settings read the environment

django.setup()

from django.core.management import call_command  # noqa: E402
from django.test import Client, override_settings  # noqa: E402

from simulator.engine import Course, RunHeader  # noqa: E402
from simulator.models import Run  # noqa: E402
from simulator.runs.drive import lease  # noqa: E402
from simulator.runs.log import storage  # noqa: E402
from simulator.runs.log.content import Content  # noqa: E402
from simulator.runs.services.runs import run_create  # noqa: E402

_PLAIN = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
"""A fresh checkout has no collected static files."""


@cache
def _client() -> Client:
    override_settings(STORAGES=_PLAIN).enable()
    call_command("migrate", run_syncdb=True, verbosity=0)
    return Client(SERVER_NAME="localhost")


def first_look(header: RunHeader, end_ms: int) -> Callable[[], int]:
    """Store a run up to ``end_ms``; the returned function opens its page for the first time and returns the number of records."""
    client = _client()
    run = run_create(content=Content(header=header), title="A run", owner_key="budget")
    course = Course(header)
    leg = course.drive(end_ms)
    records = (*course.world.first_records, *leg.records)
    batch = storage.Addition(records=records, head_seq=course.world.seq, head_ms=end_ms, digest=course.world.digest())
    epoch = lease.acquire(run.id, owner="host:1:budget", lease_ms=10_000)
    assert epoch is not None
    storage.append(run.id, epoch=epoch, batch=batch)
    Run.objects.filter(id=run.id).update(lease_until=None)

    def play() -> int:
        response = client.get(f"/r/{run.id}/", {"t": "60", "sel": "pod/default/p1"})
        assert response.status_code == 200, response
        return len(records)

    return play
