import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lifecycle_site.locks import alone_here

ROOT = Path(__file__).resolve().parents[2]
LOCKS = Path("/proc/locks")


def prepare(folder):
    site = {**os.environ, "PODSCOPE_DATA_DIR": str(folder), "PODSCOPE_DATABASE_URL": ""}
    return subprocess.Popen([sys.executable, "manage.py", "prepare"], env=site, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def waits_for_a_lock(process):
    return any(" -> FLOCK " in line and f" {process.pid} " in line for line in LOCKS.read_text().splitlines())


def test_preparations_wait_for_the_one_in_the_same_folder_and_all_succeed(tmp_path):
    with alone_here(tmp_path):
        processes = [prepare(tmp_path) for _ in range(2)]
        while not all(waits_for_a_lock(process) for process in processes):
            assert [process.communicate()[1] for process in processes if process.poll() is not None] == []
        assert (tmp_path / "podscope.sqlite3").stat().st_size == 0
    assert [(process.communicate(timeout=120)[1], process.returncode) for process in processes] == [("", 0)] * 2


KILLED = """
import os, signal, sys
from pathlib import Path
os.environ["DJANGO_SETTINGS_MODULE"] = "lifecycle_site.settings"
from django.conf import settings
settings.STATICFILES_DIRS, settings.STATICFILES_FINDERS = [sys.argv[1]], ["django.contrib.staticfiles.finders.FileSystemFinder"]
import django; django.setup()
from django.contrib.staticfiles.management.commands.collectstatic import Command
from lifecycle_site.collected import collect_static, finish_static
from lifecycle_site.staticfiles import ModuleStaticFilesStorage as Storage
PLACES = {"clearing": (Storage, "delete", 2), "copying": (Command, "copy_file", 2), "naming": (Storage, "save_manifest", 1),
          "packing": (Storage, "compress_files", 1), "marking": (Path, "replace", 1), "ending": (Path, "unlink", 1)}
def write(text):
    Path(sys.argv[1], "page.js").write_text(f'import {{ more }} from "./more.js"; more({text});')
def apart(work):  # in a process of its own, which may die from it
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
def die(owner, name, calls):
    kept, left = getattr(owner, name), [calls]
    def call(*args, **kwargs):
        left[0] -= 1
        return kept(*args, **kwargs) if left[0] else os.kill(os.getpid(), signal.SIGKILL)
    setattr(owner, name, call)
    collect_static()
def serve(place):
    did, again = finish_static(), finish_static()
    urls = [Storage().url(name) for name in ("page.js", "more.js")]
    print(place, did, again, all(Path(settings.STATIC_ROOT, url.rpartition("/")[2]).exists() for url in urls), flush=True)
write(1)
apart(collect_static)
for place, (owner, name, calls) in PLACES.items():
    write(22)
    print(place, apart(lambda: die(owner, name, calls)), flush=True)
    write(1)  # as after an upgrade that was killed and then reverted
    apart(lambda: serve(place))
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The result of collecting that was killed at each point, and of the process that served next, as lines."""
    sources, folder = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("site")
    (sources / "more.js").write_text("export const more = 1;\n")
    site = {**os.environ, "PODSCOPE_DATA_DIR": str(folder), "PODSCOPE_DATABASE_URL": ""}
    done = subprocess.run([sys.executable, "-c", KILLED, str(sources)], env=site, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("place", ["clearing", "copying", "naming", "packing", "marking", "ending"])
def test_collecting_that_was_killed_is_finished_by_the_next_process_that_serves(killed, place):
    assert f"{place} {-signal.SIGKILL}" in killed
    assert f"{place} True False True" in killed
