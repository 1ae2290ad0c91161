"""Fixtures and options of all tests: golden files, and a site that needs no collected static files."""

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import pytest_timeout
from django.core.management import call_command
from django.test import override_settings
from hypothesis import HealthCheck, settings

from lifecycle_site.memory import collect_rarely
from tests.needs import left_out_lines
from tests.overdue import OVERDUE

# As the site does: rows have no cycles, and what was allocated during collection stays.
collect_rarely()

# The current speed of a machine is not a property of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Sites started by tests have one runner and one page worker unless the test asks for more: several sites share the cores.
os.environ.setdefault("PODSCOPE_WORKERS", "1")

PLAIN_STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--golden-rewrite`` writes golden files instead of comparing with them; ``--all-languages`` opens every story in each language.

    ``--all-stories`` plays every story instead of every fifth.
    """
    parser.addoption("--golden-rewrite", action="store_true", help="rewrite golden files from what the code does now")
    parser.addoption("--all-stories", action="store_true", help="play every story for what holds of each, not every fifth")
    parser.addoption("--all-languages", action="store_true", help="open a moment of every story in every language, not one by turns")


UNUSED = {
    "_dj_autoclear_mailbox", "_django_clear_site_cache", "_django_isolate_apps", "_django_set_urlconf", "_django_setup_unittest",
    "_live_server_helper", "_template_string_if_invalid_marker",
}  # fmt: skip
"""Fixtures that pytest-django sets up for every test, and that do something only for mail, ``contrib.sites``, ``unittest``, ``live_server``
and marks that no test has: together they cost more than half of the tests do."""


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """The site's translations are compiled once for all processes that run tests; and no test sets up what none uses.

    pytest offers no way to leave out the fixture of a plugin; tests/test_groups.py notices when it keeps them elsewhere.
    """
    if not hasattr(session.config, "workerinput"):
        call_command("compile_messages", quiet=True)
    used = session._fixturemanager._node_autousenames.get(session, [])
    used[:] = [name for name in used if name not in UNUSED]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Report below the summary which tests were left out, and how to install what they need."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    skipped = reporter.stats.get("skipped", [])
    for line in left_out_lines(report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)):
        reporter.write_line(line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Report changes of golden stories once for all of them."""
    reports = [report for of in terminalreporter.stats.values() for report in of if getattr(report, "user_properties", ())]
    if reports:
        from tests.engine.story_report import tell_changes

        tell_changes(reports, terminalreporter.write_line, rewrite=config.getoption("--golden-rewrite"))


def pytest_timeout_set_timer(item: pytest.Item, settings: pytest_timeout.Settings) -> bool | None:
    """One thread watches all tests of a process, where pytest-timeout would start one for each."""
    if settings.method != "thread":
        return None
    OVERDUE.start()
    OVERDUE.expect(item, settings)
    item.cancel_timeout = OVERDUE.forget  # type: ignore[attr-defined]
    return True


TOGETHER = [Path(__file__).parent / "production"]
"""Folders whose tests share servers that take longer to start than most of the tests take to run."""


STARTS_SITES = [
    Path(__file__).parent / path
    for path in (
        "production",
        "bench/test_doors.py",
        "bench/test_hostile.py",
        "bench/test_lesson.py",
        "bench/test_load.py",
        "bench/test_soak.py",
        "cluster/test_cluster_command.py",
        "door/test_chart.py",
        "door/test_cluster_streams.py",
        "door/test_helm.py",
        "door/test_kubectl_custom_kinds.py",
        "door/test_kubectl_server_side.py",
        "door/test_nginx.py",
        "door/test_node_and_mcp.py",
        "door/test_python_clients.py",
        "door/test_real_kubectl.py",
        "door/test_real_writes.py",
        "door/test_stories_by_kubectl.py",
        "door/test_tab_and_kubectl.py",
        "headless/sweeps/test_workers.py",
        "runs/drive/test_bounds.py",
        "runs/drive/test_forking.py",
        "runs/drive/test_quarantine.py",
        "runs/drive/test_serve.py",
        "site/test_data_dir.py",
        "site/test_memory.py",
        "site/test_prepare.py",
        "site/test_wheel.py",
        "web/base/test_page_workers_of_a_site.py",
    )
]
"""Tests that start servers for real clients, or a site with its processes: ``make test-fast`` leaves them to ``make test``."""


@cache
def _room_of(path: Path) -> tuple[bool, str | None]:
    """Whether the tests of a module start servers, and the name of the folder whose servers they share."""
    above = {path, *path.parents}
    return not above.isdisjoint(STARTS_SITES), next((each.name for each in TOGETHER if each in above), None)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Shared resources of a module or of such a folder are created once: all its tests run in one process.

    The shared resource may be a module fixture, or something that a function caches. Browser tests, each of which is slow, run in any
    process unless they share a fixture.
    """
    starts_site, folder = _room_of(item.path)
    if starts_site:
        item.add_marker(pytest.mark.servers)
    if folder:
        item.add_marker(pytest.mark.xdist_group(folder))
    elif not item.get_closest_marker("xdist_group") and ("e2e" not in item.path.parts or _shares_in_module(item)):
        item.add_marker(pytest.mark.xdist_group(str(item.path)))


def _shares_in_module(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function):
        return False
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    return any(fixture.scope == "module" for found in fixtures for fixture in found)


@pytest.fixture(scope="session")
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a golden file, or write the file with ``--golden-rewrite`` (``make golden``)."""

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--golden-rewrite"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session", autouse=True)
def _plain_static_files() -> Iterator[None]:
    """Templates refer to static files without a manifest, which only ``collectstatic`` writes; and tests may post without rate limits."""
    from simulator.runs.selectors import places

    places.BOARD_S = -1.0  # every page reads it again
    with override_settings(STORAGES=PLAIN_STORAGES, WHITENOISE_AUTOREFRESH=True, SIM_POSTS_PER_SECOND_MAX=0):
        yield


@pytest.fixture(autouse=True)
def _process_as_it_was() -> Iterator[None]:
    """Each test starts in English; a test that leaves work to page workers fails itself, rather than a later one."""
    from django.utils import translation

    from simulator.runs.log import elsewhere

    translation.deactivate()
    yield
    left = elsewhere._ask
    elsewhere.leave_to(None)
    assert left is None, "the test leaves work to page workers"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """As in pytest-django; but PostgreSQL does not drop a database that threads are still connected to.

    Tables that hold a few rows are emptied with DELETE: TRUNCATE makes new files for each table and index, which costs more than the test.
    """
    from asgiref.sync import SyncToAsync
    from django.db import connection

    from simulator.runs.log.db import close_connections

    if connection.vendor == "postgresql":
        connection.ops.sql_flush = lambda style, tables, **_: [f"DELETE FROM {connection.ops.quote_name(name)};" for name in tables]
    yield
    close_connections()
    SyncToAsync.single_thread_executor.submit(lambda: connection.close()).result()


@pytest.fixture
def parted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The groups that were left, with a broker that lets nobody join one."""
    from simulator.runs.wire import announce

    groups, part = list[str](), announce.part

    async def refused(group: str, channel: str) -> None:
        raise ConnectionRefusedError

    async def noted(group: str, channel: str) -> None:
        groups.append(group)
        await part(group, channel)

    monkeypatch.setattr(announce, "join", refused)
    monkeypatch.setattr(announce, "part", noted)
    return groups


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright keeps an event loop running in the main thread, where no other test could start one.

    pytest-xdist 3.8 stores the group of a test where pytest 9.2 no longer looks, and gives no warning: shared resources of a module were
    created in every process (https://github.com/pytest-dev/pytest-xdist/issues/1386).
    """
    for item in items:
        told = getattr(item, "_nodeid", "")
        if told.startswith(f"{item.nodeid}@"):
            item._id = type(item._id).parse(told)  # type: ignore[attr-defined]
    items.sort(key=lambda item: "tests/e2e/" in item.nodeid)
