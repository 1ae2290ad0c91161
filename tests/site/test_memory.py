"""Limits are set in processes of their own, so that this one keeps its memory."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from lifecycle_site.memory import LEAST_MIB, MIB, half_of_memory_mib, limit_memory, threads_within
from simulator.runs.turns.constants import COMPUTING_BROWSER_MAX, READING_SIZE, THREADS_MAX

ROOT = Path(__file__).resolve().parents[2]
SETUP = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "lifecycle_site.settings"
import django; django.setup()
from lifecycle_site.memory import limit_memory

def grow():
    text = "x" * 1000
    while True:
        text = text + text
"""
ALLOWED = """
limit_memory(256)
import sqlite3, threading
def work():
    database = sqlite3.connect(":memory:")
    database.execute("PRAGMA mmap_size = 268435456")
    database.execute("CREATE TABLE t AS SELECT randomblob(1000000) AS b").close()
    database.close()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
try:
    grow()
except MemoryError:
    print("refused")
"""
REQUEST = """
limit_memory(400)
from django.test import Client
from simulator.web.pages import health
health.health = grow
answer = Client(raise_request_exception=False).get("/healthz")
print(answer.status_code, answer.headers["Retry-After"], "needed more memory" in answer.content.decode())
health.health = lambda: (True, {"ok": True})
print(Client().get("/healthz").status_code)
"""
RUN = """
limit_memory(400)
import asyncio, json
from asgiref.sync import sync_to_async
from django.core.management import call_command
from simulator.engine.course.replay import Course
from simulator.models import Run
from simulator.runs.drive.pool import RunnerPool
from simulator.runs.services.runs import run_attend
from tests.factories import make_run

call_command("migrate", verbosity=0)
bad, good = make_run(title="bad"), make_run(title="good")
Run.objects.update(viewers_seen_at=None)
for run in (bad, good):
    run_attend(run_id=run.id)
drive, bad_header = Course.drive, bad.header()
courses = []

def driven(course, *args, **kwargs):
    if course not in courses:
        courses.append(course)
    leg = drive(course, *args, **kwargs)
    if course is courses[0] and course.world.now_ms > 500:
        grow()
    return leg

Course.drive = driven

async def main():
    pool = RunnerPool()
    task = asyncio.create_task(pool.serve())
    for _ in range(300):
        await asyncio.sleep(0.05)
        rows = await sync_to_async(lambda: list(Run.objects.order_by("state").values_list("state", "state_note", "head_ms", "owner")))()
        if rows[0][0] == "failed" and not rows[0][3] and rows[1][2] > 1500:
            break
    ended = [[state, note, head > 0, bool(owner)] for state, note, head, owner in rows]
    pool.stop()
    await task
    print(json.dumps(ended))

asyncio.run(main())
"""


GARBAGE = """
import gc, threading
from lifecycle_site.memory import collect_rarely, give_back

def resident_mib():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

def work():
    for _ in range(NUMBER):
        pair = [bytearray(2000)]
        pair.append(pair)

collect_rarely()
gc.collect()
NUMBER, before = 20_000, resident_mib()
thread = threading.Thread(target=work)
thread.start()
thread.join()
left = resident_mib() - before
give_back()
print(left > 30, resident_mib() - before < left / 4)
"""

ARENAS = """
limit_memory(0)
import ctypes, threading
everybody = threading.Barrier(16)
def work():
    everybody.wait()
    bytearray(10_000)
    everybody.wait()
threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
os.dup2(1, 2)
ctypes.CDLL(None).malloc_stats()
"""


def output(code: str, folder: Path) -> str:
    """The output of a process of the site that runs the code."""
    environment = {
        **os.environ,
        "PODSCOPE_DATA_DIR": str(folder),
        "PODSCOPE_DATABASE_URL": "",
        "PODSCOPE_DEBUG": "1",
        "PODSCOPE_ALLOWED_HOSTS": "testserver",
    }
    command = [sys.executable, "-c", SETUP + code]
    ended = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_process_with_threads_and_sqlite_works_below_its_bound_and_is_refused_more(tmp_path):
    assert output(ALLOWED, tmp_path) == "refused\n"


def test_request_that_needs_too_much_is_answered_and_the_next_one_works(tmp_path):
    assert output(REQUEST, tmp_path) == "503 5 True\n200\n"


def test_run_that_needs_too_much_ends_with_the_reason_and_the_others_go_on(tmp_path):
    bad, good = json.loads(output(RUN, tmp_path))
    assert bad == ["failed", {"code": "out_of_memory"}, True, False]
    assert good == ["live", {}, True, True]


def test_memory_of_what_nobody_needs_any_more_is_given_back(tmp_path):
    assert output(GARBAGE, tmp_path) == "True True\n"


def test_threads_share_a_few_heaps(tmp_path):
    assert 1 <= output(ARENAS, tmp_path).count("Arena ") <= 2


def test_bound_of_a_container_counts_where_it_is_lower(tmp_path):
    (tmp_path / "memory.max").write_text(f"{1 << 30}\n")
    assert half_of_memory_mib(tmp_path / "memory.max") == 512


def test_container_without_a_bound_has_what_the_machine_has(tmp_path):
    (tmp_path / "memory.max").write_text("max\n")
    assert half_of_memory_mib(tmp_path / "memory.max") == half_of_memory_mib(tmp_path / "none") > LEAST_MIB


def test_bound_below_what_a_process_needs_is_refused():
    with pytest.raises(ImproperlyConfigured, match="PODSCOPE_MEMORY_MB"):
        limit_memory(100)


@pytest.mark.parametrize(
    ("mib", "hard", "soft"),
    [
        (LEAST_MIB, resource.RLIM_INFINITY, LEAST_MIB * MIB),
        (1024, 512 * MIB, 512 * MIB),
        (512, 1024 * MIB, 512 * MIB),
    ],
)
def test_bound_is_the_lower_one_of_ours_and_the_systems(monkeypatch, mib, hard, soft):
    limits = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (hard, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda which, both: limits.append((which, both)))
    limit_memory(mib)
    assert limits == [(resource.RLIMIT_DATA, (soft, hard))]


def test_machine_with_little_memory_is_still_used(tmp_path):
    (tmp_path / "memory.max").write_text("1000\n")
    assert half_of_memory_mib(tmp_path / "memory.max") == LEAST_MIB


@pytest.mark.parametrize(("mib", "threads"), [(0, 96), (LEAST_MIB, 26), (669, 94), (676, 96), (100_000, 96)])
def test_requests_have_as_many_threads_as_their_stacks_and_pages_fit(mib, threads):
    assert threads_within(mib, 96) == threads


def test_the_smallest_site_has_more_threads_than_one_browser_may_have_waiting():
    assert threads_within(LEAST_MIB, THREADS_MAX) > COMPUTING_BROWSER_MAX + READING_SIZE


def test_bound_is_left_alone_when_none_is_wanted():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit_memory(0)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_process_that_serves_nobody_does_not_load_the_web_server() -> None:
    loads = "import sys, simulator.runs.drive.preload; print(sorted({'twisted', 'autobahn', 'daphne.server'} & set(sys.modules)))"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "lifecycle_site.settings"}
    told = subprocess.run([sys.executable, "-c", loads], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    assert told.stdout.split() == ["[]"]
