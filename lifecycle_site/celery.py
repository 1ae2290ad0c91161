"""The Celery application that ``manage.py worker`` serves, for sites with ``PODSCOPE_JOBS=celery``.

Messages are only hints. Jobs and their results live in the database alone, so there is no result backend; a message carries a job's id as
JSON, and nothing else is accepted.
"""

import os

from celery import Celery
from django.conf import settings

from lifecycle_site.broker import silence_options
from lifecycle_site.refusals import refused_in_one_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")

QUEUE = "jobs"
KEYS = "podscope:"
"""Prefix of our keys in Redis, which may also serve other programs and the channel layer."""
CONNECT_S = 3
STALL_S = 30
"""A Redis server that stays silent for this long is considered lost."""
REDELIVERED_S = 12 * 3600
"""After this long Redis redelivers a message to another worker. The leases in the database expire long before that."""

with refused_in_one_line():
    broker = settings.REDIS_URL

app = Celery("lifecycle_site")
app.conf.update(
    broker_url=broker,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_connection_timeout=CONNECT_S,
    broker_transport_options={
        "global_keyprefix": KEYS,
        "socket_connect_timeout": CONNECT_S,
        "socket_timeout": STALL_S,
        "socket_keepalive": True,
        "socket_keepalive_options": silence_options(),
        "visibility_timeout": REDELIVERED_S,
    },
    imports=["simulator.runs.drive.jobs.tasks"],
    accept_content=["json"],
    task_serializer="json",
    result_accept_content=["json"],
    result_serializer="json",
    task_ignore_result=True,
    task_store_errors_even_if_ignored=False,
    task_default_queue=QUEUE,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_pool="threads",  # a job's parts have processes of their own, which share one event loop
    worker_concurrency=settings.SIM_SWEEP_WORKERS + 1,  # one more than sweeps need: a replay of all runs must not keep them waiting
    worker_enable_remote_control=False,  # access to Redis must not give control over workers
    worker_send_task_events=False,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    timezone="UTC",
)
