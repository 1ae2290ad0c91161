"""What a site does when its runners have ended."""

import asyncio
from types import SimpleNamespace

import pytest

from simulator.runs.drive import server
from simulator.runs.drive.processes import RunnersLost
from simulator.runs.drive.server import SiteServer

LOST = RunnersLost("three times")


async def ended(outcome):
    """The task of runners that ended so."""

    async def serve():
        if outcome is LOST:
            raise LOST
        await asyncio.sleep(0 if outcome is None else 60)

    task = asyncio.create_task(serve())
    await asyncio.sleep(0)
    if outcome == "cancelled":
        task.cancel()
    await asyncio.wait([task])
    return task


@pytest.mark.parametrize("is_running", [True, False])
@pytest.mark.parametrize(("outcome", "failure"), [(None, None), ("cancelled", None), (LOST, LOST)])
async def test_site_stops_if_its_runners_cannot_be_kept_alive_and_not_if_they_were_stopped(monkeypatch, outcome, failure, is_running):
    stopped = []
    monkeypatch.setattr(server, "reactor", SimpleNamespace(running=is_running, stop=lambda: stopped.append(1)))
    site = SimpleNamespace(_failure=None)
    SiteServer._ended(site, await ended(outcome))
    assert (site._failure, len(stopped)) == (failure, int(is_running and failure is not None))
