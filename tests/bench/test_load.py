"""The load bench on a small scale: real sites and visitors, and figures that report errors."""

import os
import signal

import pytest

from simulator.bench.faults.servers import wait_until
from simulator.bench.load import report, scenes
from simulator.bench.load.visitor import LoadVisitor
from simulator.bench.processes import family_of
from simulator.bench.site import measured_site


@pytest.fixture(scope="module")
def site():
    with measured_site() as running:
        yield running


async def test_class_opens_runs_acts_and_reads_without_trouble(site, monkeypatch):
    monkeypatch.setattr(scenes, "ACTS_EVERY_S", (0.1, 0.2))
    seen = await scenes.classroom(site.port, 2, 3.0, comes_s=0.0)
    assert (seen["runs"], seen["troubles"]) == (2, {})
    assert min(seen["first_ms"] + seen["pages_ms"] + seen["acts_ms"]) > 0


async def test_runs_that_are_played_fast_keep_their_rate_and_somebody_new_sees_a_first_record(site, monkeypatch):
    monkeypatch.setattr(scenes, "WATCHED_S", 1.0)
    monkeypatch.setattr(scenes, "NEWCOMERS", 1)
    seen = await scenes.runs(site.port, 2, 4000)
    assert (seen["live"], seen["moving"], seen["troubles"]) == (2, 2, {})
    assert 0 < seen["kept"] < 2


async def test_trouble_of_a_visitor_is_reported(site):
    person = LoadVisitor(150, site.port)
    await person.page("/nothing/")
    assert person.troubles == ["404 /nothing/"]


def test_memory_of_a_site_is_that_of_all_its_processes(site):
    assert len([*family_of(site.process.pid)]) > 2
    assert report._memory_mib(site) > 50


def test_errors_in_the_log_of_a_site_are_reported():
    with measured_site({"PODSCOPE_WORKERS": "1"}) as site:
        assert site.errors() == 0
        *_, runner = family_of(site.process.pid)
        os.kill(runner, signal.SIGKILL)
        wait_until(lambda: site.errors() == 1, "its log says that a process ended")
